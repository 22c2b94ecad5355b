"""A result file takes its own place and nobody else's, and whatever stops its writer is one sentence."""

import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from flexnet.errors import FlexnetError, StorageError
from flexnet.results import Results, ResultWriter
from flexnet.store import draft, lock

sys.path.insert(0, str(Path(__file__).parents[1] / "results"))
from sample import LAYOUT, MECHANISM, rows, write_sample

TIMES = np.linspace(0.0, 2.0, 1001)


def begin(path: Path, **more: object) -> ResultWriter:
    return ResultWriter.create(path, LAYOUT, mechanism=MECHANISM, **more)


def drafts(folder: Path) -> list[str]:
    return [p.name for p in folder.iterdir() if p.name.endswith(".part")]


@pytest.mark.parametrize("content", [b"", b"def build(): ...\n", b"\x89HDF\r\n\x1a\n but not really"])
def test_what_is_no_result_file_stays_as_it_is_unless_the_user_insists(tmp_path, content):
    path = tmp_path / "case.py"
    path.write_bytes(content)
    with pytest.raises(StorageError, match=r"case\.py: stays as it is.*--overwrite"):
        begin(path)
    assert path.read_bytes() == content
    begin(path, may_overwrite=True).finish("finished")
    assert Results.open(path).rows == 0


def test_a_foreign_hdf5_file_stays_as_it_is(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"] = [1.0]
    with pytest.raises(StorageError, match="stays as it is"):
        begin(tmp_path / "a.h5")


def test_a_result_file_is_replaced(tmp_path):
    path = write_sample(tmp_path / "a.h5")
    path.chmod(0o600)
    begin(path).finish("finished")
    assert Results.open(path).rows == 0
    assert path.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]


@pytest.mark.parametrize("may_overwrite", [False, True])
def test_a_folder_a_pipe_and_a_device_are_never_replaced(tmp_path, may_overwrite):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(os.devnull)
    for name, said in (("folder", "a folder"), ("pipe", "a pipe"), ("link", "a device")):
        with pytest.raises(StorageError, match=f"{name}: cannot be written .it is {said}"):
            begin(tmp_path / name, may_overwrite=may_overwrite)
    assert (tmp_path / "folder").is_dir()
    assert (tmp_path / "pipe").is_fifo()
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_links_are_followed(tmp_path):
    (tmp_path / "data").mkdir()
    link = tmp_path / "a.h5"
    link.symlink_to(tmp_path / "data" / "b.h5")
    for _ in range(2):  # the first leads nowhere yet
        begin(link).finish("finished")
        assert link.is_symlink()
        assert Results.open(tmp_path / "data" / "b.h5").status.state == "finished"
    assert not drafts(tmp_path)


def test_a_planted_draft_is_neither_followed_nor_replaced(tmp_path, monkeypatch):
    (tmp_path / "precious").write_text("mine")
    monkeypatch.setattr(draft.secrets, "token_hex", lambda n: "0" * 16)
    (tmp_path / ".a.h5.0000000000000000.part").symlink_to(tmp_path / "precious")
    with pytest.raises(StorageError, match=r"a\.h5: cannot be written"):
        begin(tmp_path / "a.h5")
    assert (tmp_path / "precious").read_text() == "mine"


def test_drafts_left_behind_are_removed_and_held_ones_are_not(tmp_path):
    for k in range(3):
        (tmp_path / f".a.h5.{k:016x}.part").write_bytes(b"half")
    (tmp_path / ".b.h5.0000000000000000.part").write_bytes(b"another file's")
    with (tmp_path / f".a.h5.{2:016x}.part").open("r+b") as held:
        assert lock.try_lock(held.fileno())
        begin(tmp_path / "a.h5").finish("finished")
    assert sorted(drafts(tmp_path)) == [f".a.h5.{2:016x}.part", ".b.h5.0000000000000000.part"]


def test_a_second_writer_is_told_and_readers_are_not_kept_out(tmp_path):
    path = tmp_path / "a.h5"
    with begin(path) as writer:
        writer.append(rows(TIMES[:10]))
        writer.flush()
        for again in (begin, lambda p: ResultWriter.resume(p, MECHANISM.fingerprint())):
            with pytest.raises(StorageError, match="another run is writing it"):
                again(path)
        with h5py.File(path, "r", swmr=True) as file:
            assert file["run/rows"][0] == 10
        assert Results.open(path).rows == 10
        writer.append(rows(TIMES[10:20]))
    np.testing.assert_array_equal(Results.open(path).time, TIMES[:20])


def test_of_two_that_begin_together_one_is_told(tmp_path, monkeypatch):
    """The other file appears while this one is being prepared."""
    path, image = tmp_path / "a.h5", draft._image
    others: list[ResultWriter] = []

    def slow(make):
        if not others:
            others.append(None)
            others[0] = begin(path)
        return image(make)

    monkeypatch.setattr(draft, "_image", slow)
    with pytest.raises(StorageError, match="another run is writing it"):
        begin(path)
    others[0].finish("finished")
    assert Results.open(path).status.state == "finished"
    assert not drafts(tmp_path)


def test_a_file_deleted_under_its_writer_is_said_at_once(tmp_path):
    writer = begin(tmp_path / "a.h5")
    (tmp_path / "a.h5").unlink()
    writer.append(rows(TIMES[:10]))
    with pytest.raises(StorageError, match="was deleted while it was being written"):
        writer.flush()


def test_a_file_moved_under_its_writer_keeps_everything_and_is_said_at_the_end(tmp_path):
    writer = begin(tmp_path / "a.h5")
    (tmp_path / "a.h5").rename(tmp_path / "b.h5")
    writer.append(rows(TIMES[:10]))
    with pytest.raises(StorageError, match="was moved or replaced"):
        writer.finish("finished")
    assert Results.open(tmp_path / "b.h5").rows == 10
    assert Results.open(tmp_path / "b.h5").status.state == "finished"


def write_in_child(path: Path, prepare) -> tuple[int, str]:
    """Exit code and sentence of a process that writes until it is refused."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 9
        try:
            prepare()
            with begin(path, block=50) as writer:
                for k in range(100):
                    writer.append(rows(np.arange(20 * k, 20 * k + 20) / 500))
            code = 0
        except FlexnetError as error:
            os.write(write, str(error).encode())
            code = 2
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


@pytest.mark.parametrize("limit", [100, 3000, 10_000, 20_000, 25_000, 40_000, 90_000, 200_000, 400_000])
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_limit_on_the_size_of_files_is_the_sentence_of_a_full_disk(tmp_path, limit):
    path = tmp_path / "a.h5"
    code, said = write_in_child(path, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert code == 2
    assert said.startswith(f"{path}: cannot be written (file too large")
    assert not drafts(tmp_path)
    if path.exists():
        found = Results.open(path)
        assert said.endswith(f"its first {found.rows} rows are safe")
        assert found.damage() == ()
        np.testing.assert_array_equal(found.time, np.arange(found.rows) / 500)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_full_disk_is_one_sentence_and_loses_nothing(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", disk], capture_output=True)
    if made.returncode:
        pytest.skip("no small disk can be made here")
    try:
        code, said = write_in_child(disk / "a.h5", lambda: None)
        assert code == 2
        assert "no space left on the disk" in said
        found = Results.open(disk / "a.h5")
        assert found.damage() == ()
        np.testing.assert_array_equal(found.time, np.arange(found.rows) / 500)
    finally:
        subprocess.run(["umount", disk], check=True)
