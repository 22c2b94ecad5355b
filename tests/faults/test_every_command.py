"""Every command that writes, where it cannot: no space, a limit, a link planted meanwhile, a real signal."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from flexnet.cli.main import main
from flexnet.store import draft, plain
from tests.faults.test_every_writer import WRITTEN, command, told
from tests.faults.test_plain_writing import write_sample

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")]
ROOT = Path(__file__).parents[2]
every_command = pytest.mark.parametrize("key", WRITTEN, ids=" --".join)


def ended(words: list[str], folder: Path, prepare: Callable[[], object]) -> tuple[int, str]:
    """Exit code of a command in a process of its own, and what it said."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 9
        try:
            os.chdir(folder)
            for stream in (1, 2):
                os.dup2(write, stream)
            sys.stdout = os.fdopen(1, "w")
            sys.stderr = os.fdopen(2, "w")
            sys.argv = ["flexnet", *words]
            prepare()
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    os.close(write)
    with os.fdopen(read, errors="replace") as pipe:
        said = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def check_refused(key: tuple[str, str], code: int, said: str, folder: Path, out: Path, why: str) -> None:
    assert code == (1 if key == ("verify", "out") else 2), said  # there it is the verdict on a case
    assert why in said.replace("\n", " ")
    assert "Traceback" not in said
    assert not out.exists() or out.stat().st_size == 0 or out.suffix == ".md", out
    assert not list(folder.rglob("*.part*"))


@every_command
@pytest.mark.parametrize("limit", [0, 50])
def test_a_limit_on_the_size_of_files_is_a_sentence(key: tuple[str, str], limit: int, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    source = write_sample(tmp_path / "source.h5")
    words, out = command(key, source, place)
    before = out.read_bytes() if out.exists() else None
    code, said = ended(
        words, place, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    )
    check_refused(key, code, said, place, out, "too large")
    assert before is None or out.read_bytes() == before


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", place], capture_output=True)
    if made.returncode:
        pytest.skip("no small disk can be made here")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


@every_command
def test_a_full_disk_is_a_sentence(key: tuple[str, str], disk: Path, tmp_path: Path) -> None:
    source = write_sample(tmp_path / "source.h5")
    words, out = command(key, source, disk)
    before = out.read_bytes() if out.exists() else None
    with (disk / "filler").open("wb", buffering=0) as filler:
        try:
            while filler.write(bytes(512)):
                pass
        except OSError:
            pass
    code, said = ended(words, disk, lambda: None)
    check_refused(key, code, said, disk, out, "no space left")
    assert before is None or out.read_bytes() == before


@every_command
def test_a_link_that_is_planted_while_it_writes_is_not_written_through(
    key: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    words, out = command(key, write_sample(tmp_path / "source.h5"), tmp_path)
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    planted: list[Path] = []

    def planting(create: Callable[..., Any]) -> Callable[..., Any]:
        def make(*arguments: Any, **named: Any) -> Any:
            made = create(*arguments, **named)
            if not planted:
                out.unlink(missing_ok=True)
                out.symlink_to(victim)
                planted.append(out)
            return made

        return make

    for page in (draft, plain):
        monkeypatch.setattr(page, "create", planting(page.create))
    told(words, monkeypatch, capsys)
    assert planted
    assert victim.read_bytes() == b"precious"
    assert not list(tmp_path.rglob("*.part*"))


@every_command
def test_a_real_signal_leaves_what_was_there_or_what_is_whole(key: tuple[str, str], tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    words, out = command(key, write_sample(tmp_path / "source.h5"), place)
    before = out.read_bytes() if out.exists() else None
    start = [sys.executable, "-m", "flexnet", *words]
    how: dict[str, Any] = {"cwd": place, "env": {**os.environ, "PYTHONPATH": str(ROOT)}, "text": True}
    began = time.monotonic()
    whole = subprocess.run(start, capture_output=True, **how)
    seconds = time.monotonic() - began
    assert whole.returncode in (0, 1), whole.stderr
    full = out.stat().st_size
    if before is None and key[0] not in ("new", "examples copy"):
        out.unlink()
    after = out.read_bytes() if out.exists() else None
    process = subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    time.sleep(random.Random(str(key)).uniform(0.3, 1.0) * seconds)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate()
    assert "Traceback" not in said
    # before Python is told of them, a signal ends the process as ever
    assert process.returncode in (0, 1, 2, 143, -signal.SIGTERM), said
    if process.returncode == 143:
        assert "error: stopped by the system (SIGTERM)" in said.replace("\n", " ")
        if key != ("run", "out"):  # it keeps the rows there are
            left = out.read_bytes() if out.exists() else None
            assert left == after or (left is not None and len(left) == full)  # it came after the last byte
    assert not list(place.rglob("*.part*"))
