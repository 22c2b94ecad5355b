"""Studies from elsewhere: read or refused in one sentence, and nothing else is opened or run."""

import gc
import json
import os
import pickle
import shutil
import struct
import zlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import FlexnetError, ResultError
from flexnet.store import Journal
from flexnet.studies import read_study

PENDULUM = str(Path(__file__).parents[2] / "cases" / "simple_pendulum.py")
LENGTHS = {"L": [1.0, 2.0, 3.0]}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies")
    for name in ("s.nc", "s.zarr"):
        fx.study(PENDULUM, LENGTHS, ["peak:bar_force"], 0.01, 1e-3, out=folder / name).close()
    return folder


@pytest.fixture
def zarr(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "s.zarr", tmp_path / "s.zarr"))


@pytest.fixture
def netcdf(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made / "s.nc", tmp_path / "s.nc"))


def refused(path: Path) -> str:
    with pytest.raises(ResultError) as caught:
        read_study(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class Runs:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


def test_both_kinds_are_read(made: Path) -> None:
    for name in ("s.nc", "s.zarr"):
        np.testing.assert_array_equal(read_study(made / name)["L"], LENGTHS["L"])


@pytest.mark.parametrize("variable", ["failure", "seconds"])
@pytest.mark.parametrize("where", ["compressor", "filters"])
def test_nothing_in_a_zarr_folder_is_unpickled(zarr: Path, variable: str, where: str, tmp_path: Path) -> None:
    place, mark = zarr / variable, tmp_path / "mark"
    told = json.loads((place / ".zarray").read_text())
    codec = {"id": "pickle"}
    told[where] = codec if where == "compressor" else [*(told["filters"] or ()), codec]
    (place / ".zarray").write_text(json.dumps(told))
    (place / "0").write_bytes(pickle.dumps(Runs(mark)))
    assert "'pickle'" in refused(zarr)
    assert not mark.exists()


@pytest.mark.parametrize("name", [".zarray", ".zattrs"])
@pytest.mark.parametrize("text", ["{nonsense", "[" * 400, "[]", "\N{BYTE ORDER MARK}{}"])
def test_variables_that_are_told_in_nonsense_are_one_sentence(
    zarr: Path, name: str, text: str, caplog: Any
) -> None:
    """Zarr reads variables side by side: those that fail after the first were tracebacks on the terminal."""
    for variable in ("seconds", "L", "failure"):
        (zarr / variable / name).write_text(text)
    assert f"/{name} is not " in refused(zarr)
    gc.collect()
    assert not caplog.records


@pytest.mark.parametrize("name", ["seconds/0", "seconds/.zarray", "seconds", ".zattrs"])
def test_no_link_in_a_zarr_folder_is_followed(zarr: Path, name: str, tmp_path: Path) -> None:
    (zarr / name).rename(tmp_path / "elsewhere")
    (zarr / name).symlink_to(tmp_path / "elsewhere")
    assert "is a link" in refused(zarr)
    (zarr / name).unlink()
    os.mkfifo(zarr / name)
    assert "a pipe" in refused(zarr)


def test_a_zarr_folder_claims_no_more_than_it_holds(zarr: Path) -> None:
    place = zarr / "seconds" / ".zarray"
    good = json.loads(place.read_text())
    for change, said in (
        ({"shape": [10**12], "chunks": [10**12]}, "claims 1000000000000 numbers"),
        ({"shape": [3], "chunks": [10**12]}, "claims 1000000000000 numbers"),
        ({"shape": [-1]}, "has as its shape"),
        ({"shape": "x"}, "has as its shape"),
        ({"dtype": "|V8"}, "neither numbers nor text"),
        ({"dtype": [["a", "<f8"]]}, "neither numbers nor text"),
    ):
        place.write_text(json.dumps(good | change))
        assert said in refused(zarr)
    place.write_text("[" * 100)
    assert "nested more than 32 deep" in refused(zarr)
    place.write_text("{}")
    refused(zarr)
    (zarr / "zarr.json").write_text("{}")
    assert "another format of Zarr" in refused(zarr)


def test_a_netcdf_file_opens_no_other_file(netcdf: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(64))
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = np.arange(3.0)
    good = netcdf.read_bytes()
    layout = h5py.VirtualLayout((3,), float)
    layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "x", (3,))
    for put, said in (
        (lambda f: f.create_dataset("y", (3,), float, external=[(str(secret), 0, 24)]), "in another file"),
        (lambda f: f.create_virtual_dataset("y", layout), "in another file"),
        (lambda f: f.__setitem__("y", h5py.ExternalLink(str(tmp_path / "other.h5"), "x")), "a link"),
        (lambda f: f.__setitem__("y", h5py.SoftLink("/seconds")), "a link"),
        (lambda f: f.create_dataset("y", (3,), float, compression="gzip"), "compressed"),
        (lambda f: f.create_dataset("y", (10**12,), float, chunks=(8,)), "claims 1000000000000 numbers"),
    ):
        netcdf.write_bytes(good)
        with h5py.File(netcdf, "a") as file:
            put(file)
        assert said in refused(netcdf)


def test_a_damaged_study_is_refused(netcdf: Path, zarr: Path) -> None:
    good = netcdf.read_bytes()
    for stop in range(0, len(good), len(good) // 40):
        netcdf.write_bytes(good[:stop])
        refused(netcdf)
    (zarr / "peak_bar_force" / "0").write_bytes(b"\xff" * 30)
    refused(zarr)


# -- journals ------------------------------------------------------------------------------------------


def record(head: object, body: bytes = b"") -> bytes:
    """A record with its digest."""
    raw = head if isinstance(head, bytes) else json.dumps(head).encode()
    return struct.pack("<4sIII", b"FXJ1", len(raw), len(body), zlib.crc32(body, zlib.crc32(raw))) + raw + body


@pytest.mark.parametrize(
    "head",
    [
        b"\xff", b"[", b"[" * 99, [], {}, 3, {"number": "x"}, {"number": -1}, {"number": 1e300},
        {"number": 0}, {"number": 0, "facts": {}, "arrays": [["a", [1e9]]]},
        {"number": 0, "facts": {}, "arrays": [["a", [10**18]]]},
        {"number": 0, "facts": {}, "arrays": [["a", [-1]]]}, {"number": 0, "facts": 3, "arrays": []},
        {"number": 0, "facts": {}, "arrays": 3}, {"number": 0, "facts": {}, "arrays": [[[], [1]]]},
    ],
    ids=lambda x: str(x)[:40],
)  # fmt: skip
def test_a_record_that_flexnet_did_not_write_is_refused(head: object, tmp_path: Path) -> None:
    """Also one with a right digest."""
    path = tmp_path / "a.journal"
    path.write_bytes(record({"a": 1}) + record(head, bytes(8)))
    before = path.read_bytes()
    with pytest.raises(FlexnetError) as caught, Journal(path, {"a": 1}, is_new=False) as journal:  # noqa: PT012
        for number in journal.places:
            journal.read(number)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before


def test_a_study_does_not_go_on_from_records_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "s.nc"
    with pytest.raises(KeyboardInterrupt):
        fx.study(PENDULUM, LENGTHS, ["peak:bar_force"], 0.01, 1e-3, out=path, workers=1, progress=stop)
    journal = tmp_path / "s.nc.journal"
    good = journal.read_bytes()
    first = 16 + struct.unpack_from("<4sIII", good)[1]
    for facts in ({}, {"reason": 3, "warnings": "", "seconds": 1.0}):
        journal.write_bytes(good[:first] + record({"number": 0, "facts": facts, "arrays": []}))
        with pytest.raises(FlexnetError, match="record 0 is not one of a study"):
            fx.study(PENDULUM, LENGTHS, ["peak:bar_force"], 0.01, 1e-3, out=path, resume=True, workers=1)


def stop(*news: object) -> None:
    raise KeyboardInterrupt
