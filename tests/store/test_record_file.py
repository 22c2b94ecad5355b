"""Record files: what was appended is what is read, whatever happens to the writer."""

import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

from flexnet.errors import FileFormatError, StorageError
from flexnet.store import Column, RecordReader, RecordWriter
from flexnet.store.record_writer import _counter

KIND = ("test-records", 1)
COLUMNS = (
    Column("time", attributes={"unit": "s"}),
    Column("a/position", (3,), attributes={"unit": "m", "names": ("x", "y", "z")}),
    Column("solver/iterations", dtype="i8"),
)


def block(start: int, stop: int) -> dict[str, np.ndarray]:
    n = np.arange(start, stop)
    return {
        "time": 0.5 * n,
        "a/position": n[:, None] + np.array([0.0, 0.25, 0.5]),
        "solver/iterations": n % 7,
    }


def assert_holds(path: Path, rows: int) -> None:
    reader = RecordReader(path, KIND)
    assert reader.rows() == rows
    for name, expected in block(0, rows).items():
        np.testing.assert_array_equal(reader.read(name), expected)


def written(path: Path, rows: int) -> RecordWriter:
    writer = RecordWriter.create(
        path, KIND, COLUMNS, {"case": "x"}, {"model": {"text": "ä", "n": np.arange(3)}}
    )
    writer.append(block(0, rows))
    return writer


def test_what_is_appended_is_read_back_with_its_attributes_and_trees(tmp_path):
    path = tmp_path / "a.h5"
    writer = written(path, 300)
    writer.append(block(300, 301))
    writer.set_status("finished", "reached the end")
    writer.close()
    assert_holds(path, 301)
    reader = RecordReader(path, KIND)
    assert reader.status() == ("finished", "reached the end")
    assert reader.attributes()["case"] == "x"
    assert {c.path: (c.shape, c.dtype) for c in reader.columns()} == {
        c.path: (c.shape, c.dtype) for c in COLUMNS
    }
    assert reader.columns()[0].attributes == {"unit": "m", "names": ("x", "y", "z")}
    assert reader.tree_names() == ("model",)
    tree = reader.tree("model")
    assert tree["text"] == "ä"
    np.testing.assert_array_equal(tree["n"], [0, 1, 2])
    np.testing.assert_array_equal(reader.read("time", slice(-2, None)), [149.5, 150.0])


@pytest.mark.parametrize("span", [1, 400, 1 << 23])
def test_rows_by_their_numbers_and_parts_of_them_are_those_of_the_whole(tmp_path, monkeypatch, span):
    monkeypatch.setattr("flexnet.store.record_reader.SPAN", span)
    writer = written(tmp_path / "a.h5", 60)
    for start in range(60, 300, 40):
        writer.append(block(start, start + 40))
    writer.close()
    reader, whole = RecordReader(tmp_path / "a.h5", KIND), block(0, 300)["a/position"]
    some = np.array([299, 3, 3, 70, 0, -1])
    for rows in (None, slice(7, 290, 3), slice(250, 10, -1), slice(5, 5), some):
        wanted = whole[slice(None) if rows is None else rows]
        np.testing.assert_array_equal(reader.read("a/position", rows), wanted)
        np.testing.assert_array_equal(reader.read("a/position", rows, 1), wanted[:, 1])


def test_a_file_is_readable_while_it_is_being_written(tmp_path):
    writer = written(tmp_path / "a.h5", 10)
    assert_holds(tmp_path / "a.h5", 10)
    writer.append(block(10, 20))
    assert_holds(tmp_path / "a.h5", 20)
    assert RecordReader(tmp_path / "a.h5", KIND).status() == ("running", "")
    writer.close()


def test_a_reopened_file_goes_on_after_its_last_complete_row(tmp_path):
    path = tmp_path / "a.h5"
    written(path, 700).close()
    writer = RecordWriter.reopen(path, KIND, chunk_rows=4)
    assert writer.rows == 700
    writer.append(block(700, 900))
    writer.close()
    assert_holds(path, 900)
    assert RecordReader(path, KIND).tree("model")["text"] == "ä"
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]


def test_rows_beyond_the_counter_are_not_there(tmp_path):
    path = tmp_path / "a.h5"
    writer = written(path, 40)
    writer.append(block(40, 50))
    writer.close()
    with h5py.File(path, "r+") as file:
        file["run/rows"][...] = _counter(40)
    assert_holds(path, 40)
    writer = RecordWriter.reopen(path, KIND)
    writer.append(block(40, 45))
    writer.close()
    assert_holds(path, 45)


def test_a_counter_beyond_the_data_is_an_error(tmp_path):
    path = tmp_path / "a.h5"
    written(path, 50).close()
    with h5py.File(path, "r+") as file:
        file["run/rows"][...] = _counter(51)
    with pytest.raises(FileFormatError, match="run/rows is 51, a dataset has 50"):
        RecordReader(path, KIND)


def test_text_longer_than_its_place_is_cut_at_a_whole_character(tmp_path):
    writer = written(tmp_path / "a.h5", 1)
    writer.set_status("failed", "é" * 5000)
    writer.close()
    assert RecordReader(tmp_path / "a.h5", KIND).status() == ("failed", "é" * 1000)


WRITER = """
import sys, numpy as np
sys.path.insert(0, {tests!r})
from test_record_file import KIND, COLUMNS, block
from flexnet.store import RecordWriter
{setup}
writer = RecordWriter.create({path!r}, KIND, COLUMNS)
print("ready", flush=True)
sizes = np.random.default_rng(int(sys.argv[1])).integers(1, 600, 100_000)
row = 0
try:
    for size in sizes:
        writer.append(block(row, row + int(size)))
        row += int(size)
        {tell}
except Exception as error:
    print(f"{{type(error).__name__}}: {{error}}")
    writer.close()
"""


def start(path: Path, seed: int, setup: str = "", tell: str = "pass") -> subprocess.Popen[str]:
    code = textwrap.dedent(WRITER).format(
        tests=str(Path(__file__).parent), path=str(path), setup=setup, tell=tell
    )
    return subprocess.Popen([sys.executable, "-c", code, str(seed)], stdout=subprocess.PIPE, text=True)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("seed", range(5))
def test_a_killed_writer_leaves_every_flushed_row(tmp_path, seed):
    path = tmp_path / "a.h5"
    process = start(path, seed, tell="print(row, flush=True)")
    assert process.stdout.readline() == "ready\n"
    time.sleep(random.Random(seed).uniform(0.0, 0.25))
    process.send_signal(signal.SIGKILL)
    told = [int(line) for line in process.stdout.read().splitlines() if line]
    process.wait()
    process.stdout.close()
    rows = RecordReader(path, KIND).rows()
    assert rows >= (told[-1] if told else 0)
    assert_holds(path, rows)
    writer = RecordWriter.reopen(path, KIND)
    writer.append(block(rows, rows + 10))
    writer.close()
    assert_holds(path, rows + 10)


def test_a_full_disk_is_one_clear_sentence_and_loses_nothing_flushed(tmp_path):
    path = tmp_path / "a.h5"
    limit = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
"""
    process = start(path, 0, setup=limit)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    sentence = out.splitlines()[-1]
    assert sentence.startswith(f"StorageError: {path}: cannot be written (file too large")
    rows = RecordReader(path, KIND).rows()
    assert sentence.endswith(f"its first {rows} rows are safe")
    assert rows > 1000
    assert_holds(path, rows)


def test_an_unwritable_path_is_named_with_its_reason(tmp_path):
    with pytest.raises(StorageError, match=r"none/a\.h5: cannot be written \(its folder does not exist\)"):
        RecordWriter.create(tmp_path / "none" / "a.h5", KIND, COLUMNS)
    with pytest.raises(StorageError, match="it is a folder"):
        RecordWriter.create(tmp_path, KIND, COLUMNS)
    (tmp_path / "plain").write_text("")
    with pytest.raises(StorageError, match="its folder does not exist"):
        RecordWriter.create(tmp_path / "plain" / "a.h5", KIND, COLUMNS)


def test_a_failed_creation_leaves_the_old_file_and_no_litter(tmp_path):
    path = tmp_path / "a.h5"
    written(path, 5).close()
    with pytest.raises(StorageError, match="cannot name an entry"):
        RecordWriter.create(path, KIND, COLUMNS, trees={"model": {"a/b": "x"}})
    assert_holds(path, 5)
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]


def test_a_column_that_cannot_be_is_refused():
    with pytest.raises(StorageError, match="group/name"):
        Column("a//b")
    with pytest.raises(StorageError, match="empty row"):
        Column("a", (0,))
    with pytest.raises(StorageError, match="dtype"):
        Column("a", dtype="O")


@pytest.mark.parametrize("keep", [0, 1, 8, 100, 2000])
def test_a_truncated_file_is_named(tmp_path, keep):
    path = tmp_path / "a.h5"
    written(path, 50).close()
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(FileFormatError, match=r"a\.h5"):
        RecordReader(path, KIND).read("time")
