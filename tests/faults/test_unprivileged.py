"""Folders that cannot be written to, for real: as root, in a process that has given up its rights."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import flexnet as fx
from flexnet import cache
from flexnet.errors import FlexnetError, StorageError
from flexnet.results import SCHEMA, Results
from flexnet.store import RecordWriter, write_text
from tests import catalogue
from tests.faults.test_plain_writing import write_sample
from tests.faults.test_writing import begin

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
    pytest.mark.skipif(os.name != "posix", reason="users and modes of POSIX"),
]
NOBODY = 65534
USER = NOBODY if os.geteuid() == 0 else os.geteuid()


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder of the user's that others may enter, unlike those of pytest."""
    folder = Path(tempfile.mkdtemp())
    os.chown(folder, USER, -1)
    folder.chmod(0o755)
    yield folder
    for inner in (folder, *folder.rglob("*")):
        if inner.is_dir():
            inner.chmod(0o755)
    shutil.rmtree(folder)


def sample(folder: Path) -> Path:
    path = write_sample(folder / "a.h5")
    os.chown(path, USER, -1)
    return path


def as_user(work: Callable[[], object]) -> str:
    """What is said by work that an ordinary user does in a process of his own."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        said = "it went"
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            found = work()
            said = said if found is None else str(found)
        except FlexnetError as error:
            said = str(error)
        except BaseException as error:
            said = f"Traceback: {error!r}"
        finally:
            os.write(write, said.encode())
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def test_the_rights_are_given_up(place: Path) -> None:
    place.chmod(0o500)
    assert "Permission" in as_user(lambda: (place / "a").write_text("a"))


def test_a_read_only_folder_is_one_sentence_and_what_is_in_it_is_read(place: Path) -> None:
    path = sample(place)
    before = path.read_bytes()
    place.chmod(0o500)
    refusal = "cannot be written (permission denied)"
    assert as_user(lambda: begin(place / "b.h5")) == f"{place / 'b.h5'}: {refusal}"
    assert as_user(lambda: begin(path)) == f"{path}: {refusal}"
    assert as_user(lambda: RecordWriter.reopen(path, SCHEMA)) == f"{path}: {refusal}"
    assert as_user(lambda: write_text(place / "b.txt", "b")) == f"{place / 'b.txt'}: {refusal}"
    assert as_user(lambda: Results.open(path).rows) == str(Results.open(path).rows)
    assert path.read_bytes() == before
    assert [p.name for p in place.iterdir()] == ["a.h5"]


def test_a_read_only_file_stays_as_it_is_in_a_folder_that_can_be_written_to(place: Path) -> None:
    path = sample(place)
    before = path.read_bytes()
    path.chmod(0o444)
    assert as_user(lambda: begin(path)) == f"{path}: cannot be written (permission denied)"
    assert as_user(lambda: Results.open(path).damage()) == "()"
    assert path.read_bytes() == before


def test_a_file_that_may_not_be_read_is_one_sentence(place: Path) -> None:
    path = sample(place)
    path.chmod(0o000)
    for read in (Results.open, fx.read_mesh, fx.read_table):
        said = as_user(lambda read=read: read(path))  # type: ignore[misc]
        assert str(path) in said
        assert "Traceback" not in said


def test_a_run_to_a_read_only_folder_costs_nothing_but_a_sentence(place: Path) -> None:
    system = catalogue.build("simple_pendulum")
    fx.simulate(system, step=1e-3, end=2e-3)  # everything is loaded
    place.chmod(0o500)
    said = as_user(lambda: fx.simulate(system, step=1e-3, end=2e-3, out=place / "a.h5"))
    assert said == f"{place / 'a.h5'}: cannot be written (permission denied)"


def test_a_read_only_cache_is_read_and_memory_keeps_the_rest(place: Path) -> None:
    folder = place / "cache"
    folder.mkdir(mode=0o700)
    os.chown(folder, USER, -1)
    assert as_user(lambda: cache.save("kind", "old", b"kept", folder)) == "it went"
    folder.chmod(0o500)

    def work() -> object:
        cache.save("kind", "new", b"fresh", folder)
        return cache.load("kind", "old", folder), cache.load("kind", "new", folder)

    assert as_user(work) == str((b"kept", b"fresh"))
    assert len(list(folder.iterdir())) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make folders of other users")
def test_a_cache_of_another_user_is_not_used_and_stays_as_it_is(place: Path) -> None:
    folder = place / "cache"
    folder.mkdir(mode=0o755)
    cache.save("kind", "key", b"theirs", folder)
    for path in (folder, *folder.iterdir()):
        os.chown(path, 4711, -1)
        path.chmod(0o777 if path == folder else 0o666)
    before = sorted(folder.iterdir())

    def work() -> object:
        found = cache.load("kind", "key", folder)
        cache.save("kind", "key", b"mine", folder)
        return found, cache.load("kind", "key", folder)

    assert as_user(work) == str((None, b"mine"))
    assert sorted(folder.iterdir()) == before


def test_a_read_only_disk_is_one_sentence(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True)
    if made.returncode:
        pytest.skip("no disk can be mounted here")
    try:
        path = write_sample(disk / "a.h5")
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        for work in (
            lambda: begin(path),
            lambda: begin(disk / "b.h5"),
            lambda: RecordWriter.reopen(path, SCHEMA),
        ):
            with pytest.raises(StorageError, match=r"cannot be written \(read-only file system\)"):
                work()
        np.testing.assert_array_equal(Results.open(path).time, Results.open(path).read("time"))
    finally:
        subprocess.run(["umount", disk], check=True)
