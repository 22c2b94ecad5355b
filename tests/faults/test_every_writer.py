"""No writer is forgotten: options that name a file are found by their signatures, what writes by its source.

An option that takes a path is tried: it reads, and refuses a file that is not there, or it writes. What
writes is tried on a case, a pipe and a device; while it writes, no file is opened for writing but under the
name of a draft. No page writes but through the doors of the store, and whoever calls one of these is tried.
"""

import ast
import importlib
import inspect
import os
import re
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import pytest
from typer import Typer
from typer.models import OptionInfo

import flexnet as fx
from flexnet import store
from flexnet.analysis import looking
from flexnet.cli.main import VERBS, main
from flexnet.mesh import beam_mesh, write_mesh
from tests.faults.test_plain_writing import CASE, WRITERS, write_sample

CASES = Path(__file__).parents[2] / "cases"
PACKAGE = Path(fx.__file__).parent
PENDULUM = str(CASES / "simple_pendulum.py")
CIRCUIT = str(CASES / "gtm_electrical.py")
BEAM = ["--material", "2e11,0.3,7800", "--section", "circle:0.01", "--support", "clamped:start"]
BENT = """import flexnet as fx


def build():
    s = fx.System("bent", planar=True)
    steel = fx.Material(E=2.0e11, nu=0.3, rho=7800.0)
    rod = s.flexible_body("rod", fx.beam_body(1.0, 2, steel, fx.circle(0.01)), fx.Clamped("start"), modes=1)
    s.revolute("pin", s.ground, rod["start"])
    return s
"""
#: by verb and option: the command, in which SOURCE is a result file; what it writes
WRITTEN: dict[tuple[str, str], tuple[list[str], str]] = {
    ("run", "out"): ([PENDULUM, "--end", "0.01", "--step", "0.001", "--out", "OUT"], "OUT.h5"),
    ("study run", "out"): (
        [
            PENDULUM,
            "--vary",
            "L=1,2",
            "--end",
            "0.01",
            "--step",
            "0.001",
            "--workers",
            "1",
            "--out",
            "OUT.nc",
        ],
        "OUT.nc",
    ),
    ("study plot", "out"): (["STUDY", "--kind", "bars", "--out", "OUT.png"], "OUT.png"),
    ("bode", "out"): ([CIRCUIT, "--input", "E1", "--output", "C4.voltage", "--out", "OUT.png"], "OUT.png"),
    ("graph", "out"): ([PENDULUM, "--out", "OUT"], "OUT.svg"),
    ("equations", "out"): ([PENDULUM, "--format", "latex", "--out", "OUT.tex"], "OUT.tex"),
    ("tables", "out"): (["BEAM", *BEAM, "--modes", "1", "--out", "OUT.h5"], "OUT.h5"),
    ("tables", "shapes"): (
        ["BEAM", *BEAM, "--modes", "1", "--out", "other.h5", "--shapes", "OUT"],
        "OUT.vtu",
    ),
    ("audit", "out"): (["SOURCE", "--out", "OUT.png"], "OUT.png"),
    ("plot", "out"): (["SOURCE", "tip_x", "--out", "OUT.png"], "OUT.png"),
    ("animate", "out"): (["SOURCE", "--out", "OUT.gif", "--frames", "2"], "OUT.gif"),
    ("view", "out"): (["SOURCE", "--out", "OUT.html"], "OUT.html"),
    ("stress", "out"): (["BENT", "--case", "bent.py", "--out", "OUT.png"], "OUT.png"),
    ("stress", "cycles"): (
        ["BENT", "--case", "bent.py", "--out", "other.png", "--cycles", "OUT.csv"],
        "OUT.csv",
    ),
    ("stress", "paraview"): (
        ["BENT", "--case", "bent.py", "--out", "other.png", "--pictures", "2", "--paraview", "OUT.pvd"],
        "OUT.pvd",
    ),
    ("compare", "plot"): (["SOURCE", "SOURCE", "--map", "tip_x=tip_x", "--plot", "OUT.png"], "OUT.png"),
    ("compare", "report"): (["SOURCE", "SOURCE", "--map", "tip_x=tip_x", "--report", "OUT.html"], "OUT.html"),
    ("export", "out"): (["SOURCE", "--out", "OUT.csv"], "OUT.csv"),
    ("verify", "out"): (["VERIFIED", "--out", "."], "turning_0.h5"),
    ("verify", "update"): (["VERIFIED", "--update", "OUT.md"], "OUT.md"),
    ("new", "NAME"): (["OUT"], "OUT.py"),
    ("examples copy", "NAME"): (["simple_pendulum"], "simple_pendulum.py"),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("source") / "a.h5")


def path_options() -> dict[tuple[str, str], str]:
    """Every option of the command line that is a path, and the word for it."""
    found = {}
    pages = [(verb, getattr(importlib.import_module(f"flexnet.cli.{verb}"), verb)) for verb in VERBS]
    groups = [(verb, page) for verb, page in pages if isinstance(page, Typer)]
    named = [(verb, page) for verb, page in pages if not isinstance(page, Typer)]
    for verb, group in groups:
        named += [(f"{verb} {c.callback.__name__}", c.callback) for c in group.registered_commands]
    for verb, page in named:
        hints = get_type_hints(page, include_extras=True)
        defaults = inspect.signature(page).parameters
        for name, hint in hints.items():
            told = [info for info in getattr(hint, "__metadata__", ()) if isinstance(info, OptionInfo)]
            if name in defaults and told and "Path" in str(hint):
                # where it stands in an annotation, the first word of an option is taken for its default
                first = [told[0].default] if isinstance(told[0].default, str) else []
                found[verb, name] = [*first, *(told[0].param_decls or ()), f"--{name}"][0]
    return found


@contextmanager
def only_drafts(folder: Path) -> Iterator[None]:
    """Nothing in a folder is opened for writing but drafts."""
    opened: list[str] = []

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and is_on and isinstance(arguments[0], str | bytes | os.PathLike):
            path = os.fsdecode(arguments[0])
            if (arguments[2] or 0) & (os.O_CREAT | os.O_TRUNC) and Path(path).absolute().is_relative_to(
                folder
            ):
                opened.append(path)

    is_on = True
    sys.addaudithook(watch)
    try:
        yield
    finally:
        is_on = False
    # what is finished of a study is found again under a name of its own
    drafts = re.compile(r"\..*\.[0-9a-f]{16}\.part(\.\w+)?|.*\.journal")
    assert opened, "nothing was written"
    assert all(drafts.fullmatch(Path(path).name) for path in opened), opened


def command(key: tuple[str, str], source: Path, folder: Path) -> tuple[list[str], Path]:
    """Words of a command, and what it writes."""
    words, written = WRITTEN[key]
    if "BEAM" in words:
        write_mesh(folder / "beam.msh", beam_mesh(1.0, 2))
    if "VERIFIED" in words:
        from tests.cli.test_verify import TURNING

        case = folder / "cases"
        case.mkdir()
        (case / "turning.py").write_text(TURNING)
        (case / "circle.csv").write_text("# x of a circle\nt [s],x [mm]\n0,500\n0.5,270.151152934\n")
        (folder / "OUT.md").write_text("# A\n\n<!-- table of flexnet verify -->\n<!-- end of table -->\n")
    places = {"SOURCE": str(source), "BEAM": "beam.msh", "VERIFIED": "cases", "BENT": "bent.h5"}
    if "BENT" in words:
        (folder / "bent.py").write_text(BENT)
        bent: dict[str, Any] = {}
        exec(BENT, bent)  # as a case file is run
        fx.simulate(bent["build"](), 2e-3, 1e-3, out=folder / "bent.h5")
    if "STUDY" in words:
        places["STUDY"] = str(source.with_name("study.nc"))
        lengths = {"L": [1.0, 2.0, 3.0, 4.0]}
        how = {"end": 0.01, "step": 1e-3, "resume": True}
        fx.study(PENDULUM, lengths, ["peak:bar_force"], out=places["STUDY"], **how).close()
    if written == "OUT.h5" and "OUT" in words:
        places["OUT"] = "OUT.h5"
    return [*key[0].split(), *(places.get(word, word) for word in words)], folder / written


def told(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["flexnet", *words])
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr()
    assert "Traceback" not in said.err + said.out
    return int(caught.value.code or 0), said.err


@pytest.mark.sweep(4)
@pytest.mark.parametrize("key", WRITTEN, ids=" --".join)
def test_what_an_option_writes_is_written_whole_and_replaces_nothing_foreign(
    key: tuple[str, str],
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    words, out = command(key, source, tmp_path)
    with only_drafts(tmp_path):
        code, said = told(words, monkeypatch, capsys)
    assert code in (0, 1), said  # an audit of a made-up run may find something
    assert out.read_bytes()
    out.unlink()
    for make in (lambda: out.write_bytes(CASE), lambda: os.mkfifo(out), lambda: out.symlink_to(os.devnull)):
        make()
        code, said = told(words, monkeypatch, capsys)
        assert code != 0
        assert not out.is_file() or out.read_bytes() == CASE
        assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
        if key != ("verify", "out"):  # there it is the verdict on a case
            assert code == 2
            assert str(out.name) in said.replace("\n", "")
        out.unlink()
    assert not list(tmp_path.rglob("*.part*"))


def test_every_option_that_writes_nothing_reads_what_is_there(
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What no command here writes to is an option that refuses a file that is not there."""
    tried, options = {verb: (verb, option) for verb, option in WRITTEN}, path_options()
    for number, (verb, option) in enumerate(sorted(set(options) - set(WRITTEN))):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        words, _ = command(tried[verb], source, folder)
        code, said = told([*words, options[verb, option], "no_such_file.x"], monkeypatch, capsys)
        assert code == 2
        assert "no_such_file.x" in said.replace("\n", "")
        assert not (folder / "no_such_file.x").exists()


# -- functions ---------------------------------------------------------------------------------------

#: what records a run or a study, or looks at a run in memory by way of a file: the function, a call
RECORDERS: dict[str, tuple[Callable[..., object], Callable[[Path], object]]] = {
    "run": (fx.simulate, lambda out: fx.simulate(swinging(), 0.02, 0.01, out=out)),
    "driven": (fx.kinematics, lambda out: fx.kinematics(driven(), [0.0, 0.1], out=out)),
    "mode": (fx.animate_mode, lambda out: swing_of(fx.linearise(fx.formulate(swinging())), out)),
    "study": (
        fx.study,
        lambda out: fx.study(PENDULUM, {"L": [1.0]}, ["peak:bar_force"], 0.01, 1e-3, out=out).close(),
    ),
    "plot": (fx.plot, lambda out: fx.plot(ran(), "x", out=out.with_suffix(".png"))),
    "export": (fx.export, lambda out: fx.export(ran(), out.with_suffix(".csv"))),
    "compare": (fx.compare, lambda out: fx.compare(ran(), ran())),
    "view": (looking.view, lambda out: looking.view(ran(), out=out.with_suffix(".html"))),
}


def swinging() -> fx.System:
    s = fx.System("pendulum", planar=True)
    s.gravity([0, -9.81, 0])
    s.revolute("O", s.ground, s.rigid_body("bob", 1.0, 0.1, frames={"pivot": [0, 1.0]})["pivot"])
    return s


def ran() -> fx.Run:
    s = swinging()
    s.channel("x", fx.position(s.bodies["bob"], along="x"))
    return fx.simulate(s, 0.02, 0.01)


def driven() -> fx.System:
    s = swinging()
    s.motion("turn", joint="O", angle=fx.ramp(0.0, 1.0))
    return s


def swing_of(linear: fx.Linearisation, out: Path) -> object:
    return fx.animate_mode(linear, linear.modes[0], out=out, frames=3)


@pytest.mark.parametrize("name", RECORDERS)
def test_a_recorder_opens_nothing_but_drafts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with only_drafts(tmp_path):
        RECORDERS[name][1](tmp_path / ("a.nc" if name == "study" else "a.h5"))


@pytest.mark.sweep(12)
@pytest.mark.parametrize("name", WRITERS)
def test_a_writer_opens_nothing_but_drafts(name: str, source: Path, tmp_path: Path) -> None:
    with only_drafts(tmp_path):
        WRITERS[name][1](source, tmp_path / name)


# -- source ------------------------------------------------------------------------------------------

#: methods and functions that write a file, and the names of what they may be called with
WRITING = {
    "write_text",
    "write_bytes",
    "savefig",
    "touch",
    "savez",
    "save",
    "tofile",
    "symlink_to",
    "mkstemp",
}
DRAFTS = {"draft", "stream", "out"}
#: pages that do it themselves: the store, the cache, and the parser that writes to its standard output
OWN = ("store/", "cache.py", "mesh/parsing.py")


def writes(call: ast.Call) -> bool:
    """Whether a call writes a file under its own name; a handle given to ``fdopen`` is open already."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    mode = [a.value for a in (*call.args, *(k.value for k in call.keywords)) if isinstance(a, ast.Constant)]
    if name in ("open", "File"):
        is_writing = any(isinstance(m, str) and re.fullmatch(r"[wax]b?\+?|rb?\+", m) for m in mode)
    elif isinstance(function, ast.Attribute):
        is_writing = name in WRITING
    else:
        return False
    ends = [function.value] if isinstance(function, ast.Attribute) else []
    names = {end.id for end in (*ends, *call.args) if isinstance(end, ast.Name)}
    return is_writing and not names & DRAFTS


def calls(node: ast.AST) -> set[str]:
    """Names of what is called in a part of a page, and of what their methods belong to."""
    made = [call.func for call in ast.walk(node) if isinstance(call, ast.Call)]
    owners = [f.value for f in made if isinstance(f, ast.Attribute)]
    return {getattr(f, "attr", getattr(f, "id", "")) for f in made} | {getattr(o, "id", "") for o in owners}


class Part(NamedTuple):
    """A function or class of the package: its page, its name, names it calls, rooms its page has names of."""

    page: str
    name: str
    called: set[str]
    known: dict[str, str]


def parts() -> Iterator[Part]:
    """Functions and classes of the package outside its store."""
    for path in sorted(PACKAGE.rglob("*.py")):
        page, tree = path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))
        lines = [line for line in ast.walk(tree) if isinstance(line, ast.ImportFrom)]
        known = {a.name: (f"{line.module}..".split(".")[1]) for line in lines for a in line.names}
        if not page.startswith("store/"):
            for node in tree.body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    yield Part(page, node.name, calls(node), known)


def doors_of_the_store() -> set[str]:
    """What the store offers that makes drafts or journals."""
    pages = {name: inspect.getmodule(getattr(store, name)) for name in store.__all__ if name[0].isalpha()}
    return {
        n for n, page in pages.items() if page and "flexnet.store.draft import" in inspect.getsource(page)
    }


def test_whoever_writes_through_the_store_is_tried_here() -> None:
    functions = [function for function, _ in (*WRITERS.values(), *RECORDERS.values())]
    tried = {inspect.unwrap(function).__name__ for function in functions}
    pages = {f"cli/{verb.split()[0]}.py" for verb, _ in WRITTEN}
    package = list(parts())
    seen: set[tuple[str, str]] = set()
    due = [("store/", name) for name in sorted(doors_of_the_store())]
    assert {"writing", "RecordWriter", "Journal"} <= {name for _, name in due}
    while due:
        page, name = due.pop()
        room = page.split("/")[0].removesuffix(".py")
        callers = {
            (part.page, part.name)
            for part in package
            if name in part.called and (part.page == page or part.known.get(name) == room)
        }
        assert callers, f"{name} in {page} writes, and nothing that is tried here calls it"
        news = callers - seen - {(page, name)}
        due += [part for part in news if part[0] not in pages and part[1] not in tried]
        seen |= news
    assert len(seen) > 20


def test_no_page_writes_a_file_but_through_the_store() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if not path.relative_to(PACKAGE).as_posix().startswith(OWN)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and writes(node)
    ]
    assert found == []
