"""Fuzz one reader with atheris: ``python -m tests.faults.fuzz READER FOLDER [-runs=100000 …]``.

FOLDER receives the inputs that lead somewhere new, and findings (``crash-…``, ``timeout-…``, ``oom-…``).
An input is a finding if it ends otherwise than read or refused, takes longer than 5 s, or more than 1.5 GB.
"""

import resource
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["flexnet", "meshio"]):
    from tests.faults.targets import TARGETS, is_answered

#: memory an input may take on top of the program itself [MB]
MEMORY = 1500


def main() -> None:
    """Run the fuzzer; it ends the process."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    target = TARGETS[name]
    folder.mkdir(parents=True, exist_ok=True)
    for i, seed in enumerate(target.seeds()):
        (folder / f"seed-{i}").write_bytes(seed)
    limit = (MEMORY << 20) + 3 * (1 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    fixed = [f"-artifact_prefix={folder}/", "-timeout=5", "-max_len=4096", "-verbosity=0"]
    options = [sys.argv[0], *fixed, *sys.argv[3:], str(folder)]
    atheris.Setup(options, lambda content: is_answered(target, content) and None)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
