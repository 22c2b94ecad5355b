"""Whatever happens to a cache, the answer is right; nothing foreign in it is used."""

import errno
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from flexnet import cache
from flexnet.kernels import code_cache
from flexnet.kernels.compile import kernel

KIND, KEY, CONTENT = "things", "all it depends on", bytes(range(256)) * 3


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that holds one thing."""
    monkeypatch.setenv("FLEXNET_CACHE", str(tmp_path / "root"))
    monkeypatch.setattr(cache, "_told", set())
    cache.save(KIND, KEY, CONTENT)
    return tmp_path / "root" / KIND


def only_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def foreign_to(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder or file another user's."""
    if os.geteuid() == 0:
        os.chown(path, 4711, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4711)


def test_what_was_saved_is_loaded_and_nothing_else(folder: Path) -> None:
    assert cache.load(KIND, KEY) == CONTENT
    assert cache.load(KIND, KEY + " ") is None
    assert cache.load("other things", KEY) is None
    assert folder.stat().st_mode & 0o777 == 0o700
    assert only_file(folder).stat().st_mode & 0o777 == 0o600


def test_no_flipped_bit_and_no_truncation_gets_through(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = only_file(folder)
    whole = path.read_bytes()
    for place in range(len(whole)):
        for damaged in (
            whole[:place],
            whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :],
        ):
            path.write_bytes(damaged)
            assert cache.load(KIND, KEY) is None
            assert not path.exists()
    assert "damaged or foreign" in caplog.text
    cache.save(KIND, KEY, CONTENT)
    assert cache.load(KIND, KEY) == CONTENT


def test_the_file_of_another_key_is_not_taken(folder: Path) -> None:
    path = only_file(folder)
    cache.save(KIND, "another key", b"other content")
    (other,) = (p for p in folder.iterdir() if p != path)
    other.replace(path)
    assert cache.load(KIND, KEY) is None


def test_links_and_pipes_are_not_taken(folder: Path, tmp_path: Path) -> None:
    path = only_file(folder)
    path.replace(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert cache.load(KIND, KEY) is None
    assert (tmp_path / "elsewhere").exists()
    path.unlink()
    os.mkfifo(path)
    assert cache.load(KIND, KEY) is None


@pytest.mark.parametrize("sign", ["owner", "group", "world"])
def test_a_folder_that_others_can_change_is_not_used(
    folder: Path, sign: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    if sign == "owner":
        foreign_to(folder, monkeypatch)
    else:
        folder.chmod({"group": 0o770, "world": 0o707}[sign])
    assert cache.load(KIND, KEY) is None
    cache.save(KIND, "new", b"new content")
    assert len(list(folder.iterdir())) == 1
    assert cache.load(KIND, "new") == b"new content"  # from memory
    assert caplog.text.count("is not used") == 1


@pytest.mark.parametrize("sign", ["owner", "world"])
def test_a_file_that_others_can_change_is_not_used(
    folder: Path, sign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sign == "owner" and os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    path = only_file(folder)
    foreign_to(path, monkeypatch) if sign == "owner" else path.chmod(0o606)
    assert cache.load(KIND, KEY) is None


def test_a_folder_that_others_can_read_is_closed(folder: Path) -> None:
    folder.chmod(0o755)
    assert cache.load(KIND, KEY) == CONTENT
    cache.save(KIND, "new", b"")
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_read_only_folder_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    folder.chmod(0o500)  # which root need not care about
    for place, name in ((tempfile, "mkstemp"), (os, "utime"), (Path, "chmod"), (Path, "unlink")):
        monkeypatch.setattr(place, name, refuse)
    assert cache.load(KIND, KEY) == CONTENT
    cache.save(KIND, "new", b"new content")
    assert cache.load(KIND, "new") == b"new content"
    assert "cannot be written to (Read-only file system)" in caplog.text
    only_file(folder).write_bytes(b"damaged")
    assert cache.load(KIND, KEY) is None


SHARING = """
import sys
from flexnet.cache import load, save
for i in range(300):
    key = f"key {i % 7}"
    found = load("things", key)
    assert found in (None, key.encode() * 1000), key
    save("things", key, key.encode() * 1000)
"""


def test_processes_share_a_folder(folder: Path) -> None:
    command = [sys.executable, "-c", SHARING]
    workers = [
        subprocess.Popen(command, cwd=Path(__file__).parents[2], stderr=subprocess.PIPE) for _ in range(3)
    ]
    said = [worker.communicate()[1] for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0, 0], said
    assert said == [b"", b"", b""]
    assert len(list(folder.iterdir())) == 8  # no drafts are left


def test_a_full_cache_forgets_what_was_longest_unused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LIMIT", 4000)
    os.utime(only_file(folder), (0.0, 0.0))
    cache.save(KIND, "second", bytes(1500))
    assert cache.load(KIND, KEY) == CONTENT  # used now
    os.utime(folder / cache._name(KIND, "second"), (1.0, 1.0))
    cache.save(KIND, "third", bytes(2000))
    assert cache.load(KIND, "second") is None
    assert cache.load(KIND, KEY) == CONTENT


def test_without_any_folder_memory_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEXNET_CACHE", "/proc/no/such/folder")
    cache.save(KIND, KEY, CONTENT)
    assert cache.load(KIND, KEY) == CONTENT


def doubled(x: np.ndarray) -> None:
    for i in range(x.shape[0]):
        x[i] = 2.0 * x[i]


def halved(x: np.ndarray) -> None:
    for i in range(x.shape[0]):
        x[i] = 0.5 * x[i]


class _Foreign:
    """Unpickled, it writes a file."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, ...]:
        return Path.write_text, (self.trace, "ran")


def test_damaged_machine_code_is_made_again_and_foreign_code_never_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(code_cache, "FOLDER", tmp_path / "kernels")

    def answer() -> int:
        made, x = kernel(doubled), np.ones(3)
        made(x)
        assert np.array_equal(x, 2.0 * np.ones(3))
        return made.found

    assert answer() == 0
    assert answer() == 1
    path = max((tmp_path / "kernels").iterdir(), key=lambda p: p.stat().st_size)
    whole, trace = path.read_bytes(), tmp_path / "trace"
    foreign = pickle.dumps(_Foreign(trace))
    damages = [b"", whole[:100], whole[:-1], foreign, whole[:48] + foreign]
    damages += [whole[:i] + b"\xff" + whole[i + 1 :] for i in (50, len(whole) // 2, len(whole) - 9)]
    for damaged in damages:
        caplog.clear()
        path.write_bytes(damaged)
        assert answer() == 0
        assert "damaged or foreign" in caplog.text
        assert answer() == 1
        assert not trace.exists()


def test_machine_code_of_another_kernel_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that change places are refused: each holds what it is the code of."""
    monkeypatch.setattr(code_cache, "FOLDER", tmp_path / "kernels")
    kernel(doubled)(np.ones(3))
    ours = {path: path.read_bytes() for path in (tmp_path / "kernels").iterdir()}
    kernel(halved)(np.ones(3))
    others = [path.read_bytes() for path in (tmp_path / "kernels").iterdir() if path not in ours]
    for path, content in ours.items():
        path.write_bytes(max(others, key=len) if len(content) > 200 else min(others, key=len))
    x = np.ones(3)
    kernel(doubled)(x)
    assert np.array_equal(x, 2.0 * np.ones(3))


#: runs of both engines, and of a flexible body; prints the bits of their ends
RUNNING = """
import numpy as np
import flexnet as fx
from tests import catalogue
for case, engine in (
    ("simple_pendulum", "numeric"), ("simple_pendulum", "symbolic"), ("slider_crank_flexible", "numeric")
):
    run = fx.simulate(catalogue.build(case), 4e-5, 2e-6, engine=engine)
    print(np.concatenate([run["state/q"][-1], run["state/v"][-1]]).tobytes().hex())
"""
DAMAGES = ("truncated", "flipped", "emptied", "foreign", "exchanged")


def started(root: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", RUNNING], cwd=Path(__file__).parents[2], text=True,
        env={**os.environ, "FLEXNET_CACHE": str(root)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def ended(process: "subprocess.Popen[str]") -> tuple[str, str]:
    out, said = process.communicate()
    assert process.returncode == 0, said
    assert "Traceback" not in said
    return out, said


def spoil(path: Path, how: str, other: bytes) -> None:
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(
        {
            "truncated": content[:middle],
            "flipped": content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :],
            "emptied": b"",
            "foreign": pickle.dumps(_Foreign(path.with_name("trace"))),
            "exchanged": other,
        }[how]
    )


@pytest.mark.slow
def test_whatever_happens_to_all_caches_a_run_gives_the_same_bits(tmp_path: Path) -> None:
    """All files at once: machine code, generated code, tables; and two that begin on an empty folder."""
    root = tmp_path / "root"
    both = [started(root), started(root)]
    (right, _), (same, _) = map(ended, both)
    assert right == same
    assert len(right.split()) == 3
    kept = {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and path.stat().st_size}
    assert len({path.parent.name for path in kept}) > 2
    contents = list(kept.values())
    for turn in (0, 2):
        for i, path in enumerate(kept):
            path.write_bytes(contents[i])
            spoil(path, DAMAGES[(i + turn) % len(DAMAGES)], contents[i - 1])
        found, said = ended(started(root))
        assert found == right
        assert "damaged or foreign" in said
        assert not list(root.rglob("trace"))
    for path in (*kept, *root.iterdir(), root):
        path.chmod(0o400 if path.is_file() else 0o500)
    found, said = ended(started(root))
    assert found == right
    assert "damaged" not in said


def test_a_kernel_is_compiled_again_when_what_it_rests_on_changes_and_only_then() -> None:
    package = Path(code_cache.__file__).parent.parent

    def rests_on(name: str) -> set[str]:
        return {Path(file).stem for file in code_cache._rests_on(str(package / f"{name}.py"))}

    entry, loop = rests_on("kernels/entry"), rests_on("integrators/alpha_loop")
    assert {"dynamics", "forces", "vector", "model"} <= entry
    assert {"alpha_corrector", "sparse_ldl", "linear_algebra"} <= loop
    assert not {"alpha_loop", "energy_loop"} & entry
    assert not {"dynamics", "energy_loop"} & loop
