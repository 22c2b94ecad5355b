"""Every reader of text or bytes from outside, as a function of bytes: it answers or raises a FlexnetError."""

import atexit
import contextlib
import io
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from inspect import signature
from pathlib import Path
from shutil import rmtree

import h5py
import numpy as np

from flexnet.cli import table_job
from flexnet.cli.case import parse_settings
from flexnet.errors import FlexnetError, MeshError
from flexnet.fem import BeamRegion, Clamped, Material, ShellRegion, ShellSection, rectangle
from flexnet.fem.body import Body
from flexnet.fem.imported import export_body, export_table, imported_body, imported_table
from flexnet.fem.reduction import Reduction
from flexnet.fem.table_builder import TableOptions, build_table
from flexnet.fem.table_file import read_table, table_bytes
from flexnet.mesh import Mesh, beam_mesh, panel_mesh, write_mesh
from flexnet.mesh.guard import SECONDS, decoded
from flexnet.mesh.parsing import parse
from flexnet.mesh.reading import SUFFIXES, to_mesh
from flexnet.results import ChannelSpec, Mechanism, ResultLayout, Results, ResultWriter
from flexnet.results.mechanism import LOOKS, BodyRecord, EdgeRecord, Symbol, mechanism_from_tree
from flexnet.results.readers import read_channels
from flexnet.results.tolerance import parse_tolerance
from flexnet.store import Journal, check_study
from flexnet.store.inside import BROKEN
from flexnet.store.text import parse_json
from flexnet.studies import read_study, study
from flexnet.studies.plan import read_wish
from flexnet.units import parse_unit
from flexnet.view.live import LivePage, _Handler
from tests.fem import decks

DATA = Path(__file__).parents[1] / "results" / "readers" / "data"


@dataclass(frozen=True, slots=True)
class Target:
    """A reader.

    Parameters
    ----------
    read : reads bytes, or raises a :class:`FlexnetError`.
    seeds : makes good inputs.
    longest : bytes of an input beyond which nothing is read, where there are.
    """

    read: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]
    longest: int | None = None


def _from_file(read: Callable[[Path], object], ending: str, content: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=ending) as file:
        file.write(content)
        file.flush()
        read(Path(file.name))


def _channels(path: Path) -> None:
    found = read_channels(path)
    for name in found.names()[:20]:
        found.read(name)


@contextlib.contextmanager
def _bounded(seconds: float) -> Iterator[None]:
    """Stop a parser as its guard would."""

    def stop(*_: object) -> None:
        raise MeshError(f"its parser took longer than {seconds} s and was stopped")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


def _mesh(path: Path) -> None:
    with _bounded(SECONDS), contextlib.redirect_stdout(io.StringIO()):
        to_mesh(decoded(parse(str(path))))


def _written(suffix: str) -> list[bytes]:
    """Meshes in a format that flexnet writes."""
    made = []
    with tempfile.TemporaryDirectory() as folder:
        for mesh in (beam_mesh(1.0, 2), panel_mesh(1.0, 0.5, 2, 2)):
            path = Path(folder) / f"mesh{suffix}"
            write_mesh(path, mesh)
            made.append(path.read_bytes())
    return made


ABAQUS = (
    b"*NODE\n1, 0., 0., 0.\n2, 1., 0., 0.\n3, 1., 1., 0.\n4, 0., 1., 0.\n"
    b"*ELEMENT, TYPE=S3, ELSET=skin\n1, 1, 2, 3\n2, 1, 3, 4\n*ELEMENT, TYPE=B31, ELSET=rib\n3, 1, 2\n"
    b"*NSET, NSET=root\n1, 4\n*ELSET, ELSET=both\n1, 3\n"
)
NASTRAN = "\n".join(
    (
        "BEGIN BULK", "GRID,1,,0.,0.,0.", "GRID,2,,1.,0.,0.", "GRID,3,,1.,1.,0.",
        "GRID    " + "".join(f"{x:>8}" for x in (4, "", 0.0, 1.0, 0.0)),
        "CTRIA3,1,7,1,2,3", "CTRIA3  " + "".join(f"{x:>8}" for x in (2, 8, 1, 3, 4)), "$ remark", "ENDDATA\n",
    )
).encode()  # fmt: skip
STL = (
    b"solid plate\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
    b"endloop\nendfacet\nendsolid plate\n"
)
XDMF = (
    b'<?xml version="1.0"?><Xdmf Version="3.0"><Domain><Grid Name="Grid">'
    b'<Geometry GeometryType="XYZ"><DataItem DataType="Float" Dimensions="3 3" Format="XML" Precision="8">'
    b"0 0 0 1 0 0 0 1 0</DataItem></Geometry>"
    b'<Topology TopologyType="Triangle" NumberOfElements="1" NodesPerElement="3">'
    b'<DataItem DataType="Int" Dimensions="1 3" Format="XML" Precision="8">0 1 2</DataItem></Topology>'
    b"</Grid></Domain></Xdmf>"
)
GMSH_41 = (
    b'$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 1 "skin"\n$EndPhysicalNames\n'
    b"$Entities\n0 0 1 0\n1 0 0 0 1 1 0 1 1 0\n$EndEntities\n$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n"
    b"0 0 0\n1 0 0\n0 1 0\n$EndNodes\n$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n"
)
SEEDS: dict[str, Callable[[], list[bytes]]] = {
    ".msh": lambda: [*_written(".msh"), GMSH_41],
    ".inp": lambda: [ABAQUS, ABAQUS + b"*INCLUDE, INPUT=other.inp\n"],
    ".bdf": lambda: [NASTRAN, b"BEGIN BULK\n"],
    ".nas": lambda: [NASTRAN],
    ".fem": lambda: [NASTRAN],
    ".vtk": lambda: _written(".vtk"),
    ".vtu": lambda: _written(".vtu"),
    ".xdmf": lambda: [XDMF],
    ".stl": lambda: [STL],
}


@cache
def _table() -> bytes:
    mesh = beam_mesh(1.0, 2)
    region = BeamRegion("beam", Material(E=2e11, nu=0.3, rho=7800.0), rectangle(0.01, 0.02))
    body = Body(mesh, [region], frames={"B": "end"})
    return table_bytes(build_table(body, Reduction(Clamped("start"), 1), TableOptions()))


def _table_words(content: bytes) -> None:
    """Options of ``flexnet tables``: each reads the words that are meant for another, too."""
    text = content.decode(errors="replace")
    for read in (
        table_job._material,
        partial(table_job._section, nu=0.3),
        table_job._support,
        table_job._modes,
    ):
        with contextlib.suppress(FlexnetError):
            read(text)


_BODIES = {"rod": {"points": np.eye(3), "lines": np.array([[0, 1]]), "modes": np.ones((3, 3, 1))}}


def _mechanism() -> Mechanism:
    rod = BodyRecord("rod", "rod", ("rod.a",), points=np.eye(3), lines=np.array([[0, 1]]))
    edge = EdgeRecord("pin", "joint", "revolute", "ground", "rod.a")
    pin = Symbol(look=LOOKS[1], turns=((0.0, 0.0, 1.0),))
    trees = {"translation": ("pin",), "rotation": ("pin",)}
    return Mechanism(
        "m", ("ground", "rod", "rod.a"), (edge,), trees, (rod,), parameters={"g": 9.81}, symbols={"pin": pin}
    )


@cache
def _results() -> bytes:
    """A result file of a few blocks."""
    layout = ResultLayout(q=("x",), v=("x",), channels=(ChannelSpec("c"),), energies=(), memory={"m": 2})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.h5"
        with ResultWriter.create(path, layout, mechanism=Mechanism("m", ("ground",)), block=2) as writer:
            writer.append({c.path: np.arange(1.0, 6.0).reshape(5, *c.shape) for c in layout.columns()})
        return path.read_bytes()


@cache
def _unclosed() -> bytes:
    """A result file whose writer is at work, or was killed."""
    layout = ResultLayout(q=("x",), v=("x",), channels=(ChannelSpec("c"),), energies=())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.h5"
        with ResultWriter.create(path, layout, mechanism=Mechanism("m", ("ground",)), block=2) as writer:
            writer.append({c.path: np.arange(1.0, 6.0).reshape(5, *c.shape) for c in layout.columns()})
            return path.read_bytes()


#: what is asked of a result file; each question costs as much as opening it
QUESTIONS: tuple[Callable[[Results], object], ...] = (
    lambda found: found.damage(),
    lambda found: (found.memory(), found.settings, found.status),
    lambda found: found.mechanism(),
    lambda found: found.channel_set().read("c"),
)
#: a question and eight changes of three bytes
LONGEST = 25


@cache
def _used(good: bytes) -> list[int]:
    """Places of a file where something is, and a few bytes behind: most of it waits for rows."""
    something = np.flatnonzero(np.frombuffer(good, np.uint8))
    return sorted({int(at) + k for at in something for k in range(4) if at + k < len(good)})


def _damaged(good: Callable[[], bytes], content: bytes) -> None:
    """Put a question to a result file in which bytes are changed.

    The first byte of the input is the question; three are a change: place, and what is changed; nothing
    changed cuts the file there. Eight changes at most: more only make it less of a result file.
    """
    content, file, places = content[:LONGEST], bytearray(good()), _used(good())
    for i in range(1, len(content) - 2, 3):
        at = places[int.from_bytes(content[i : i + 2], "little") % len(places)]
        if not content[i + 2]:
            del file[at:]
        elif at < len(file):
            file[at] ^= content[i + 2]
    ask = QUESTIONS[content[0] % len(QUESTIONS) if content else 0]
    _from_file(lambda path: ask(Results.open(path)), ".h5", bytes(file))


def _build(speed: float = 1.0, name: str = "a", n: int = 3, at: tuple[float, ...] = (1.0,)) -> None:
    """Parameters that ``--set`` may set."""


IMPORTED = {
    "calculix": ("m.inp", "m.sti", "m.mas", "m.dof"),
    "abaqus": ("m.inp", "m_STIF1.mtx", "m_MASS1.mtx"),
    "nastran": ("m.bdf", "m.op4"),
    "binary_nastran": ("m.bdf", "m.op4"),
}


@cache
def _foreign(program: str) -> dict[str, bytes]:
    """Files of a triangle, as a finite-element program writes them."""
    section = ShellSection.uniform(0.01, Material(E=2e11, nu=0.3, rho=7800.0))
    mesh = Mesh(np.eye(3), triangles=np.array([[0, 1, 2]]), triangle_groups={"t": np.array([0])})
    body = Body(mesh, [ShellRegion("t", section)], frames={"A": 0})
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if program == "plain":
            export_body(place / "m.h5", body)
            table = build_table(body, Reduction(Clamped(0), 1), TableOptions())
            export_table(place / "t.h5", table)
        else:
            getattr(decks, f"write_{program}")(place, body)
        return {path.name: path.read_bytes() for path in place.iterdir()}


def _one_of(names: Sequence[str], content: bytes) -> tuple[str, bytes]:
    """The file that an input stands for, by its first byte, and what it holds."""
    return names[content[0] % len(names) if content else 0], content[1:]


def _each(names: Sequence[str], good: Callable[[], Mapping[str, bytes]]) -> list[bytes]:
    """Good inputs: every file as it is."""
    return [bytes([i]) + good()[name] for i, name in enumerate(names)]


def _imported(program: str, content: bytes) -> None:
    """One file of a model is what came, the others are good."""
    name, content = _one_of(IMPORTED[program], content)
    with tempfile.TemporaryDirectory() as folder:
        for other, good in _foreign(program).items():
            (Path(folder) / other).write_bytes(content if other == name else good)
        paths = [Path(folder) / file for file in IMPORTED[program][:3]]
        imported_body(*paths)


@cache
def _study() -> dict[str, bytes]:
    """Files of a small study: NetCDF under no name, a folder of Zarr by the names in it."""
    case = Path(__file__).parents[2] / "cases" / "simple_pendulum.py"
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.nc", "a.zarr"):
            path = Path(folder) / name
            study(case, {"L": [1.0, 2.0]}, ["peak:bar_force"], 2e-3, 1e-3, out=path, workers=1).close()
        inside = Path(folder) / "a.zarr"
        found = {str(p.relative_to(inside)): p.read_bytes() for p in inside.rglob("*") if p.is_file()}
        return found | {"": (Path(folder) / "a.nc").read_bytes()}


def _netcdf(path: Path) -> None:
    """Look at a Dataset as it is looked at before xarray opens it, then read every variable."""
    check_study(path)
    try:
        with h5py.File(path, "r", locking=False) as file:
            file.visititems(lambda _, item: item[()] if isinstance(item, h5py.Dataset) else None)
    except BROKEN as error:
        raise FlexnetError("as xarray says it") from error


#: files of a folder of Zarr that differ in what is in them
ZARR = (".zattrs", "failure/.zarray", "seconds/.zarray", "seconds/0", "L/.zattrs")


@cache
def _zarr_folder() -> Path:
    """A good folder, in which one file at a time is replaced."""
    place = Path(tempfile.mkdtemp(prefix="flexnet-zarr-"))
    atexit.register(rmtree, place, True)
    for name, good in _study().items():
        if name:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(good)
    return place


def _zarr(content: bytes) -> None:
    """One file of a folder is what came, the others are good."""
    name, content = _one_of(ZARR, content)
    place = _zarr_folder() / name
    place.write_bytes(content)
    try:
        read_study(_zarr_folder())
    finally:
        place.write_bytes(_study()[name])


ABOUT = {"a": 1}


def _journal(path: Path) -> None:
    with Journal(path, ABOUT, is_new=False) as journal:
        for number in journal.places:
            journal.read(number)


@cache
def _journals() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.journal"
        with Journal(path, ABOUT, is_new=True) as journal:
            for number in range(2):
                journal.append(number, {"reason": "", "seconds": 1.0}, {"x": np.eye(2)})
        return [path.read_bytes()]


class _Wire:
    """A connection of which the other end has sent some bytes."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def makefile(self, *how: object) -> io.BytesIO:
        return io.BytesIO(self.content)

    def settimeout(self, seconds: float) -> None: ...

    def sendall(self, answer: bytes) -> None:
        assert live_page()._token.encode() not in answer or live_page()._token.encode() in self.content


@cache
def live_page() -> LivePage:
    return LivePage("none.h5")


def _request(content: bytes) -> None:
    page = live_page()
    page.is_stopped = False
    _Handler(_Wire(content), ("127.0.0.1", 1), page._server)  # type: ignore[arg-type]
    assert not page.is_stopped or page._token.encode() in content


def _requests() -> list[bytes]:
    page = live_page()
    host = page.origin.removeprefix("http://")
    return [
        f"{what} HTTP/1.1\r\nHost: {host}\r\nOrigin: {page.origin}\r\nSec-Fetch-Site: none\r\n\r\n".encode()
        for what in (f"GET /{page._token}/data?rows=1&status=x", f"POST /{page._token}/stop", "GET /x/")
    ]


TARGETS: dict[str, Target] = {
    "netcdf": Target(partial(_from_file, _netcdf, ".nc"), lambda: [_study()[""]]),
    "zarr": Target(_zarr, lambda: _each(ZARR, _study)),
    "journal": Target(partial(_from_file, _journal, ".journal"), _journals),
    "request": Target(_request, _requests),
    "vary": Target(
        lambda b: read_wish("x", b.decode(errors="replace")),
        lambda: [b"1:2:5", b"1:2", b"1~2", b"a, 1, [2]", b"True,'x'"],
    ),
    **{
        program: Target(partial(_imported, program), partial(_each, names, partial(_foreign, program)))
        for program, names in IMPORTED.items()
    },
    "body": Target(
        lambda b: _from_file(imported_body, ".h5", b), lambda: [_foreign("plain")["m.h5"]]
    ),
    "reduced": Target(lambda b: imported_table(io.BytesIO(b)), lambda: [_foreign("plain")["t.h5"]]),
    "csv": Target(
        partial(_from_file, _channels, ".csv"),
        lambda: [b"t [s],x [mm]\n0,1\n0.5,2\n1,3\n", b"# remark\nt_ms;q.quaternion.w;force_N\n0;1;2\n"],
    ),
    "tab": Target(
        partial(_from_file, _channels, ".tab"),
        lambda: [b'"TIME" "X"\n0 1\n1 2\n', (DATA / "adams_spreadsheet_export_sample.tab").read_bytes()],
    ),
    "res": Target(
        partial(_from_file, _channels, ".res"),
        lambda: [(DATA / "adams2022_freefall_sample.res").read_bytes()],
    ),
    **{
        suffix[1:]: Target(partial(_from_file, _mesh, suffix), SEEDS[suffix])
        for suffix in SUFFIXES
        if suffix not in (".nas", ".fem")
    },
    "unit": Target(
        lambda b: parse_unit(b.decode(errors="replace")),
        lambda: [b"kg*m^2/s**2", "N·mm/°".encode(), b"(lbf-inch)/(sec**2*deg)"],
    ),
    "tolerance": Target(
        lambda b: parse_tolerance(b.decode(errors="replace")), lambda: [b"tip=1.5%:peak", b"1e-3:max"]
    ),
    "set": Target(
        lambda b: parse_settings(b.decode(errors="replace").split("\n"), signature(_build).parameters),
        lambda: [b"speed=1.5\nname=x\nn=3\nat=[1, 2.0]"],
    ),
    "words": Target(
        _table_words, lambda: [b"2e11,0.3,7800,1e-4", b"tube:0.05,0.04", b"pinned:left,right", b"1,2,5"]
    ),
    **{
        name: Target(
            partial(_damaged, good),
            lambda: [bytes([k]) for k in range(len(QUESTIONS))] + [bytes(range(1, 21))],
            LONGEST,
        )
        for name, good in (("results", _results), ("unclosed", _unclosed))
    },
    "unnamed": Target(
        partial(_from_file, _channels, ".dat"),
        lambda: [b"t [s],x [mm]\n0,1\n0.5,2\n", b'"TIME" "X"\n0 1\n1 2\n'],
    ),
    "json": Target(
        lambda b: parse_json(b.decode(errors="replace")), lambda: [b'{"a": [1, 2.5e3, "\\u00e9"]}', b'["\\"']
    ),
    "mechanism": Target(
        lambda b: mechanism_from_tree({"description": b.decode(errors="replace"), "bodies": _BODIES}),
        lambda: [str(_mechanism().to_tree()["description"]).encode()],
    ),
    "table": Target(lambda b: read_table(io.BytesIO(b)), lambda: [_table()]),
}  # fmt: skip


def is_answered(target: Target, content: bytes) -> bool:
    """Read an input; whether it was read (True) or refused as it should be (False)."""
    with np.errstate(all="ignore"):
        try:
            target.read(content)
        except FlexnetError:
            return False
    return True
