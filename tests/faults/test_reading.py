"""Result files from anywhere: right numbers, or one sentence that says what is wrong; nothing outside."""

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from flexnet.errors import FileFormatError, FlexnetError
from flexnet.results import Results
from flexnet.store import parse_json

sys.path.insert(0, str(Path(__file__).parents[1] / "results"))
from sample import LAYOUT, MECHANISM, rows

from flexnet.results import ResultWriter

TIMES = np.linspace(0.0, 2.0, 201)


def sample(path: Path) -> Path:
    """A file of several blocks."""
    with ResultWriter.create(path, LAYOUT, mechanism=MECHANISM, block=50) as writer:
        writer.append(rows(TIMES[:1]))
        writer.remember({"a_bar": np.array([3.0])})
        writer.flush()
        writer.append(rows(TIMES[1:]))
    return path


def changed(path: Path, change: Callable[[h5py.File], object]) -> Path:
    with h5py.File(sample(path), "r+", libver=("v110", "v110")) as file:
        change(file)
    return path


def external(file: h5py.File, secret: Path) -> None:
    del file["channels/tip_x"]
    file.create_dataset("channels/tip_x", (201,), "f8", external=[(str(secret), 0, 1608)], maxshape=(201,))


def virtual(file: h5py.File, secret: Path) -> None:
    del file["channels/tip_x"]
    layout = h5py.VirtualLayout((201,), "f8")
    layout[:] = h5py.VirtualSource(str(secret), "x", (201,))
    file.create_virtual_dataset("channels/tip_x", layout)


def endless(file: h5py.File, secret: Path) -> None:
    file["model/again"] = file["/"]


def packed(file: h5py.File, secret: Path) -> None:
    file.create_dataset("channels/zeros", (201,), "f8", maxshape=(None,), chunks=(201,), compression="gzip")


def claims(file: h5py.File, secret: Path) -> None:
    del file["channels/tip_x"]
    file.create_dataset("channels/tip_x", (10**12,), "f8", maxshape=(None,), chunks=(256,))


OUTSIDE = {
    "external storage": (external, "keeps its data in another file"),
    "virtual dataset": (virtual, "keeps its data in another file"),
    "external link": (lambda f, s: f.__setitem__("x", h5py.ExternalLink(str(s), "/")), "may leave the file"),
    "soft link": (lambda f, s: f.__setitem__("x", h5py.SoftLink("/time")), "may leave the file"),
    "text of any length": (lambda f, s: f.__setitem__("model/x", "text"), "neither text of fixed length"),
    "pointer": (lambda f, s: f.__setitem__("model/x", f["time"].ref), "neither text of fixed length"),
    "attribute": (lambda f, s: f.attrs.__setitem__("x", "text"), "neither text of fixed length"),
    "group within itself": (endless, "deep"),
    "compressed": (packed, "filtered or compressed"),
}  # fmt: skip


def read_tip(path: Path) -> None:
    found = Results.open(path)
    assert found.attributes
    found.read("channels/tip_x")


@pytest.mark.parametrize("what", OUTSIDE)
def test_a_file_that_leads_elsewhere_is_refused(tmp_path, what):
    change, said = OUTSIDE[what]
    secret = tmp_path / "secret"
    secret.write_bytes(b"s3cret!!" * 201)
    path = changed(tmp_path / "a.h5", lambda file: change(file, secret))
    with pytest.raises(FileFormatError, match=rf"a\.h5.*{said}"):
        read_tip(path)


def test_what_is_claimed_and_not_there_is_not_allotted(tmp_path):
    path = changed(tmp_path / "a.h5", lambda file: claims(file, tmp_path))
    with pytest.raises(FileFormatError, match="tip_x claims 1608 bytes and holds 0"):
        read_tip(path)
    np.testing.assert_array_equal(Results.open(path).read("channels/tip_vx"), rows(TIMES)["channels/tip_vx"])


def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "a.h5")
    with pytest.raises(FileFormatError, match="not a regular file"):
        Results.open(tmp_path / "a.h5")


def test_damage_is_named_by_dataset_and_rows_and_the_rest_is_read(tmp_path):
    path = changed(tmp_path / "a.h5", lambda file: file["energy/total"].__setitem__(130, 1.126))
    found = Results.open(path)
    with pytest.raises(FileFormatError, match="energy/total is damaged in rows 101 to 150"):
        found.read("energy/total")
    np.testing.assert_array_equal(found.read("energy/total", slice(0, 101)), np.full(101, 1.125))
    np.testing.assert_array_equal(found.read("energy/total", slice(151, 201)), np.full(50, 1.125))
    np.testing.assert_array_equal(found.read("energy/work"), np.full(201, 1.125))
    assert found.damage() == ("energy/total is damaged in rows 101 to 150 (not as their digest says)",)
    assert found.damage(is_deep=False) == ()


def test_a_damaged_counter_status_or_memory_is_said_and_the_rows_are_read(tmp_path):
    def change(file: h5py.File) -> None:
        file["run/rows"][0] = 151
        file["run/message"][()] = np.bytes_("rumour")
        file["run/coming"][100] = 4
        file["run/memory"][0, 2] = 4.0

    found = Results.open(changed(tmp_path / "a.h5", change))
    assert found.rows == 201
    assert "does not say" in found.status.message
    assert found.memory() is None
    np.testing.assert_array_equal(found.time, TIMES)
    assert [sentence.split(":")[0] for sentence in found.damage()] == ["run/rows", "run/status"]


@pytest.mark.parametrize("name", ["a\n1,2", "\x1b[31m", "a\x07", "a\u202eb"])
def test_names_that_would_reach_terminals_and_tables_as_something_else_are_refused(tmp_path, name):
    path = changed(tmp_path / "a.h5", lambda file: file.move("channels/tip_x", f"channels/{name}"))
    with pytest.raises(FileFormatError, match="cannot be printed"):
        Results.open(path).channel_set()
    assert Results.open(path).damage() == ()


@pytest.mark.parametrize(
    ("place", "key", "value"),
    [
        ("channels/tip_x", "unit", b"m\x1b[31m"),
        ("channels/tip_x", "description", b"a\nb"),
        ("frames/tip/position", "names", b"x"),
        ("frames/tip/position", "names", [b"x", b"y"]),
        ("frames/tip/position", "names", [b"x", b"y", b"\x07"]),
    ],
)
def test_texts_beside_numbers_are_such_as_flexnet_writes(tmp_path, place, key, value):
    """What steers a terminal went to a table in a unit; one name for three numbers was an assertion."""
    path = changed(tmp_path / "a.h5", lambda f: f[place].attrs.create(key, np.array(value, dtype="S")))
    with pytest.raises(FileFormatError, match=f"{place}, attribute '{key}' is .*flexnet writes no such file"):
        Results.open(path).channel_set()


def test_times_that_do_not_increase_are_refused(tmp_path):
    def change(file: h5py.File) -> None:
        as_version_1(file)
        file["time"][7] = change.value

    for change.value in (0.0, np.nan, np.inf):
        with pytest.raises(FileFormatError, match="not finite and increasing"):
            Results.open(changed(tmp_path / "a.h5", change)).read("time")


def as_version_1(file: h5py.File) -> None:
    """Make of a file what the first version wrote."""
    file.attrs["schema_version"] = 1
    for name in ("digests", "seal", "coming", "memory", "rows"):
        del file[f"run/{name}"]
    file["run/rows"] = np.int64(201)
    file.create_dataset("solver/memory/a_bar", data=np.zeros((201, 1)), maxshape=(None, 1))


def test_files_of_version_1_open_and_say_that_they_cannot_be_checked(tmp_path):
    found = Results.open(changed(tmp_path / "a.h5", as_version_1))
    for path, expected in rows(TIMES).items():
        np.testing.assert_array_equal(found.read(path), expected)
    assert not found.has_digests
    assert found.damage() == ()
    assert not any("memory" in name for name in found.channel_set().names())


def test_json_is_bounded_in_depth():
    assert parse_json('{"[": [[1, "]]]"]]}') == {"[": [[1, "]]]"]]}
    for text in ("[" * 100_000, '{"a":' * 40 + "1" + "}" * 40, "[1", "\udc80", '["\\ud800"]', "1" * 5000):
        with pytest.raises(FileFormatError):
            parse_json(text)


def test_json_takes_a_time_that_is_linear_in_its_length():
    """Quadratic, each of these would take hours."""
    for text in ('"' + '\\"' * 10**6, '"' * (10**6 + 1), '"' + "\\" * (10**6 + 1)):
        with pytest.raises(FileFormatError):
            parse_json(text)


def check_flips(path: Path, count: int, seed: int) -> None:
    """Flip single bits of a file: every number that is given out is right."""
    good, chance = path.read_bytes(), random.Random(seed)
    expected = rows(TIMES)
    for _ in range(count):
        at, bit = chance.randrange(len(good)), chance.randrange(8)
        path.write_bytes(good[:at] + bytes([good[at] ^ 1 << bit]) + good[at + 1 :])
        try:
            found = Results.open(path)
            assert found.rows == 201
        except FlexnetError:
            continue
        for name in found.paths():
            try:
                data = found.read(name)
            except FlexnetError:
                continue
            np.testing.assert_array_equal(data, expected[name], err_msg=f"byte {at}, bit {bit}, {name}")
        try:
            assert found.mechanism().fingerprint() == MECHANISM.fingerprint()
        except FlexnetError:
            continue


def test_a_flipped_bit_never_gives_another_number(tmp_path):
    check_flips(sample(tmp_path / "a.h5"), 5, seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 5))
def test_no_flipped_bit_of_thousands_gives_another_number(tmp_path, seed):
    check_flips(sample(tmp_path / "a.h5"), 1000, seed)
