"""Fuzz one reader with atheris: ``python -m tests.faults.fuzz READER FOLDER [-runs=100000 …]``.

FOLDER receives the inputs that lead somewhere new, and findings (``crash-…``, ``timeout-…``, ``oom-…``).
An input is a finding if it ends otherwise than read or refused, takes longer than 5 s of processor time (a
minute of any other), or more than 1.5 GB. At the end a line says how many inputs there were, how long they
took and the most memory.
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time

import atheris

#: writes the seeds, and prints the modules that reading and refusing them does not go through, in a process
#: without instrumentation: kernels that carry it cannot be compiled, and all modules together take long
SEEDING = """
import sys
from pathlib import Path
from tests.faults.targets import TARGETS, is_answered
target, modules = TARGETS[sys.argv[1]], set()
for i, seed in enumerate(target.seeds()):
    (Path(sys.argv[2]) / f"seed-{i}").write_bytes(seed)
def watch(frame, event, argument):
    modules.add(frame.f_globals.get("__name__", ""))
for seed in target.seeds():
    for content in (seed, seed[:-7] + b"x", seed[: len(seed) // 2], b""):
        sys.setprofile(watch)
        is_answered(target, content)
        sys.setprofile(None)
print(*(m for m in sys.modules if m.split(".")[0] in ("flexnet", "meshio") and m not in modules))
"""
#: memory an input may take on top of the program itself [MB], and processor time [s]
MEMORY, SECONDS = 1500, 5.0


def main() -> None:
    """Run the fuzzer; it ends the process."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    if Path("/dev/shm").is_dir():
        tempfile.tempdir = "/dev/shm"
    command = [sys.executable, "-c", SEEDING, name, folder]
    idle = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    with atheris.instrument_imports(include=["flexnet", "meshio"], exclude=idle):
        from tests.faults.targets import TARGETS, is_answered
    target = TARGETS[name]
    limit = (MEMORY << 20) + 3 * (1 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    # a seed that is cut off is refused at its head, and nothing behind it is ever reached
    longest = target.longest or max([4096, *(seed.stat().st_size for seed in folder.glob("seed-*"))])
    fixed = [f"-artifact_prefix={folder}/", "-timeout=60", f"-max_len={longest}", "-verbosity=0"]
    fixed.append("-print_final_stats=1")
    if target.longest:
        fixed.append("-len_control=0")  # long ones from the beginning: they are no dearer

    def one(content: bytes) -> None:
        start = process_time()
        is_answered(target, content)
        assert process_time() - start < SECONDS

    atheris.Setup([sys.argv[0], *fixed, *sys.argv[3:], str(folder)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
