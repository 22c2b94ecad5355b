"""Tables on disk: bit-identical, damaged files refused, never a stale table."""

import subprocess
import sys
from dataclasses import fields, is_dataclass, replace
from io import BytesIO

import h5py
import numpy as np
import pytest

from flexnet.errors import FileFormatError
from flexnet.fem import cache
from flexnet.fem.beam import BeamRegion, BeamSection, rectangle
from flexnet.fem.body import Body
from flexnet.fem.cache import cache_folder, flex_table
from flexnet.fem.fingerprint import fingerprint
from flexnet.fem.links import RigidLink
from flexnet.fem.material import Material, Rayleigh
from flexnet.fem.point_mass import PointMass
from flexnet.fem.reduction import Reduction
from flexnet.fem.supports import Clamped, Free
from flexnet.fem.table_builder import TableOptions, build_table, table_key
from flexnet.fem.table_file import read_table, write_table
from flexnet.mesh import Mesh, beam_mesh
from flexnet.store import create_file

STEEL = Material(E=210e9, nu=0.3, rho=7850.0)
BAR = BeamSection(A=1e-4, Iy=8e-10, Iz=2e-9, J=2e-9)


def body(mesh=None, material=STEEL, section=BAR, **options):
    mesh = mesh or beam_mesh(1.0, 4)
    options = {"frames": {"B": "end", "é": "start"}} | options
    return Body(mesh, [BeamRegion("beam", material, section)], **options)


def equal(a, b):
    if is_dataclass(a):
        return type(a) is type(b) and all(equal(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, float):
        return a == b or (np.isnan(a) and np.isnan(b))
    if hasattr(a, "keys"):
        return list(a) == list(b) and all(equal(a[k], b[k]) for k in a)
    return a == b and type(a) is type(b)


@pytest.mark.parametrize(
    "reduction",
    [Reduction(Clamped("start"), 3, method="attachment"), Reduction(Clamped("start"), method="full")],
    ids=["reduced", "full"],
)
def test_what_is_read_is_bit_for_bit_what_was_written(tmp_path, reduction):
    table = build_table(body(), reduction)
    write_table(tmp_path / "body.h5", table)
    assert equal(read_table(tmp_path / "body.h5"), table)
    assert [p.name for p in tmp_path.iterdir()] == ["body.h5"]


def test_building_twice_gives_the_same_bits():
    reduction = Reduction(Clamped("start"), 3)
    assert equal(build_table(body(), reduction), build_table(body(), reduction))


def empty(path, schema, version):
    memory = BytesIO()
    with create_file(memory, schema, version):
        pass
    path.write_bytes(memory.getvalue())


def test_a_foreign_file_is_refused(tmp_path):
    (tmp_path / "noise.h5").write_bytes(b"not a table")
    with pytest.raises(FileFormatError, match=r"noise\.h5: not a readable HDF5 file"):
        read_table(tmp_path / "noise.h5")
    empty(tmp_path / "results.h5", "flexnet-results", 1)
    with pytest.raises(FileFormatError, match="schema is 'flexnet-results'"):
        read_table(tmp_path / "results.h5")
    empty(tmp_path / "empty.h5", "flexnet-table", 1)
    with pytest.raises(FileFormatError, match=r"empty\.h5"):
        read_table(tmp_path / "empty.h5")
    empty(tmp_path / "new.h5", "flexnet-table", 99)
    with pytest.raises(FileFormatError, match="schema version 99"):
        read_table(tmp_path / "new.h5")
    with pytest.raises(FileFormatError, match="no such file"):
        read_table(tmp_path / "nothing.h5")


@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_a_truncated_file_is_refused(tmp_path, part):
    path = tmp_path / "body.h5"
    write_table(path, build_table(body(), Reduction(Clamped("start"), 2)))
    content = path.read_bytes()
    path.write_bytes(content[: int(part * len(content))])
    with pytest.raises(FileFormatError, match=r"body\.h5"):
        read_table(path)


def test_a_flipped_bit_anywhere_is_refused_or_harmless(tmp_path):
    path = tmp_path / "body.h5"
    table = build_table(body(), Reduction(Clamped("start"), 2), TableOptions(geometric=False))
    write_table(path, table)
    content = path.read_bytes()
    refused = 0
    for place in np.random.default_rng(0).integers(0, len(content), 60):
        damaged = bytearray(content)
        damaged[place] ^= 0x10
        path.write_bytes(damaged)
        try:
            assert equal(read_table(path), table)
        except FileFormatError:
            refused += 1
    assert refused > 20


DAMAGE = """
import sys
from pathlib import Path
import numpy as np
from flexnet.errors import FileFormatError
from flexnet.fem import read_table

path = Path(sys.argv[1])
content = path.read_bytes()
rng = np.random.default_rng(1)
for place, value in zip(rng.integers(0, len(content), 150), rng.integers(0, 256, 150)):
    damaged = bytearray(content)
    damaged[place] = value
    path.write_bytes(damaged)
    try:
        read_table(path)
    except FileFormatError:
        pass
"""


def test_no_damaged_byte_makes_the_reader_hang_or_fail_otherwise(tmp_path):
    path = tmp_path / "body.h5"
    write_table(path, build_table(body(), Reduction(Clamped("start"), 2), TableOptions(geometric=False)))
    done = subprocess.run(
        [sys.executable, "-c", DAMAGE, str(path)], timeout=300, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_missing_dataset_is_refused(tmp_path):

    path = tmp_path / "body.h5"
    write_table(path, build_table(body(), Reduction(Clamped("start"), 2)))
    with h5py.File(path, "r+") as file:
        del file["inertia/NN"]
    with pytest.raises(FileFormatError, match="incomplete or damaged"):
        read_table(path)


def test_the_second_run_only_reads(tmp_path, monkeypatch):
    reduction = Reduction(Clamped("start"), 3)
    first = flex_table(body(), reduction, folder=tmp_path)

    def forbidden(*_):
        raise AssertionError("computed again")

    monkeypatch.setattr(cache, "build_table", forbidden)
    assert equal(flex_table(body(), reduction, folder=tmp_path), first)


def test_a_damaged_or_exchanged_cache_file_is_computed_again(tmp_path, caplog):
    reduction = Reduction(Clamped("start"), 3)
    first = flex_table(body(), reduction, folder=tmp_path)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:1000])
    assert equal(flex_table(body(), reduction, folder=tmp_path), first)
    assert "damaged or foreign" in caplog.text
    assert path.read_bytes() == whole
    flex_table(body(), Reduction(Clamped("start"), 2), folder=tmp_path / "other")
    (other,) = (tmp_path / "other").iterdir()
    other.replace(path)
    assert equal(flex_table(body(), reduction, folder=tmp_path), first)


def test_an_unwritable_cache_does_not_stop_the_work(tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")
    table = flex_table(body(), Reduction(Clamped("start"), 1), folder=tmp_path / "file")
    assert table.m == 1
    assert "cannot be written to" in caplog.text


def test_the_cache_folder_follows_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("FLEXNET_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path / "tables"
    monkeypatch.delenv("FLEXNET_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache_folder() == tmp_path / "x" / "flexnet" / "tables"


def moved_node():
    mesh = beam_mesh(1.0, 4)
    nodes = mesh.nodes.copy()
    nodes[2, 1] = np.nextafter(0.0, 1.0)
    return replace(mesh, nodes=nodes)


BASE = (body(), Reduction(Clamped("start"), 3), TableOptions())
CHANGES = {
    "node": (body(moved_node()), *BASE[1:]),
    "mesh": (body(beam_mesh(1.0, 5)), *BASE[1:]),
    "material": (body(material=Material(E=210e9 * (1 + 1e-15), nu=0.3, rho=7850.0)), *BASE[1:]),
    "damping material": (body(material=Material(E=210e9, nu=0.3, rho=7850.0, eta=1e-9)), *BASE[1:]),
    "section": (body(section=rectangle(0.01, 0.01)), *BASE[1:]),
    "frames": (body(frames={"B": "middle", "é": "start"}), *BASE[1:]),
    "frame name": (body(frames={"C": "end", "é": "start"}), *BASE[1:]),
    "mass": (body(masses=[PointMass("end", 1.0)]), *BASE[1:]),
    "link": (body(links=[RigidLink(3, 4)]), *BASE[1:]),
    "rayleigh": (body(damping=Rayleigh(beta=1e-9)), *BASE[1:]),
    "support": (BASE[0], Reduction(Free(), 3), BASE[2]),
    "modes": (BASE[0], Reduction(Clamped("start"), 4), BASE[2]),
    "mode list": (BASE[0], Reduction(Clamped("start"), [1, 2, 3]), BASE[2]),
    "method": (BASE[0], Reduction(Clamped("start"), 3, method="attachment"), BASE[2]),
    "inertia": (*BASE[:2], TableOptions(inertia="lumped")),
    "output": (*BASE[:2], TableOptions(output="end")),
    "geometric": (*BASE[:2], TableOptions(geometric=False)),
}


def test_the_same_input_has_the_same_key():
    assert table_key(*BASE) == table_key(body(), Reduction(Clamped("start"), 3), TableOptions())


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_of_the_input_changes_the_key(change):
    assert table_key(*CHANGES[change]) != table_key(*BASE)


def test_fingerprints_do_not_run_into_each_other():
    distinct = [
        (1,),
        (1.0,),
        ("1",),
        (True,),
        (None,),
        ([1],),
        ([[1]],),
        ({1: 1},),
        (1, 1),
        ([1, 1],),
        ("ab", "c"),
        ("a", "bc"),
    ]
    distinct += [
        (np.array([1, 2]),),
        (np.array([[1], [2]]),),
        (np.array([1.0, 2.0]),),
        (Mesh(np.zeros((1, 3))),),
    ]
    assert len({fingerprint(*x) for x in distinct}) == len(distinct)
    with pytest.raises(TypeError, match="no fingerprint of a object"):
        fingerprint(object())
