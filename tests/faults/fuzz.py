"""Fuzz one reader with atheris: ``python -m tests.faults.fuzz READER FOLDER [-runs=100000 …]``.

FOLDER receives the inputs that lead somewhere new, and findings (``crash-…``, ``timeout-…``, ``oom-…``).
An input is a finding if it ends otherwise than read or refused, takes longer than 5 s, or more than 1.5 GB.
"""

import resource
import subprocess
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["flexnet", "meshio"]):
    from tests.faults.targets import TARGETS, is_answered

#: writes the seeds, in a process without instrumentation: numba cannot compile functions that carry it
SEEDING = """
import sys
from pathlib import Path
from tests.faults.targets import TARGETS
for i, seed in enumerate(TARGETS[sys.argv[1]].seeds()):
    (Path(sys.argv[2]) / f"seed-{i}").write_bytes(seed)
"""
#: memory an input may take on top of the program itself [MB]
MEMORY = 1500


def main() -> None:
    """Run the fuzzer; it ends the process."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    target = TARGETS[name]
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-c", SEEDING, name, folder], check=True)
    limit = (MEMORY << 20) + 3 * (1 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    # a seed that is cut off is refused at its head, and nothing behind it is ever reached
    longest = max([4096, *(seed.stat().st_size for seed in folder.glob("seed-*"))])
    fixed = [f"-artifact_prefix={folder}/", "-timeout=5", f"-max_len={longest}", "-verbosity=0"]
    options = [sys.argv[0], *fixed, *sys.argv[3:], str(folder)]
    atheris.Setup(options, lambda content: is_answered(target, content) and None)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
