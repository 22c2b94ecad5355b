"""Files from outside: read, or refused in one sentence, soon, within bounds, and without leaving the file."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path
from time import process_time
from types import FrameType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import flexnet
from flexnet.errors import FlexnetError, MeshError
from flexnet.fem.imported import READERS as MODELS
from flexnet.mesh import guard, read_mesh
from flexnet.results.readers import read_channels
from flexnet.results.readers.registry import READERS
from tests.faults.targets import ABAQUS, TARGETS, XDMF, is_answered

HERE = Path(__file__).parent
PACKAGE = Path(flexnet.__file__).parent
#: inputs a reader is given by the fuzzer, and the memory it may take, program included [MB]
INPUTS, MEMORY = 100_000, 1700
FINDINGS = sorted((HERE / "findings").glob("*/*"))


@pytest.mark.parametrize("name", TARGETS)
def test_a_good_input_is_read(name: str) -> None:
    assert is_answered(TARGETS[name], TARGETS[name].seeds()[0])


#: what reads a file, and in which pages it reads none from elsewhere: the program's own, case files (programs
#: that are trusted), caches and what is to be replaced, which have tests of their own
OPENING = re.compile(
    r"\.open\(|read_text\(|read_bytes\(|h5py\.File\(|\bopen\(|loadtxt\(|np\.load\(|library\.open_\w+\("
)
WRITING = re.compile(r"Results\.open\(|\"[wax]b?\"|\bwriting\(|_open\(run|O_CREAT|\bdraft\b")
OWN = {
    "store/draft.py", "store/plain.py", "cache.py", "kernels/code_cache.py", "formulation/symbolic/kept.py",
    "integrators/runge_kutta.py", "view/page.py", "view/live.py", "cli", "examples/__init__.py",
    "studies/source.py", "studies/worker.py",
}  # fmt: skip


def opening() -> dict[tuple[str, int], str]:
    """Functions of the package that open a file to read it, by page and first line."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        page, text = path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8")
        if page in OWN or page.split("/")[0] in OWN:
            continue
        for node in ast.walk(ast.parse(text)):
            source = ast.get_source_segment(text, node) or "" if isinstance(node, ast.FunctionDef) else ""
            if isinstance(node, ast.FunctionDef) and OPENING.search(source) and not WRITING.search(source):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                found[str(path), first] = f"{page}: {node.name}"
    return found


@pytest.mark.slow
def test_no_reader_is_forgotten() -> None:
    """Whatever opens a file to read it is gone through when inputs of all targets are read."""
    seen: set[tuple[str, int]] = set()

    def watch(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            seen.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

    inputs = [(target, target.seeds()[0]) for target in TARGETS.values()]
    sys.setprofile(watch)
    try:
        for target, content in inputs:
            is_answered(target, content)
            is_answered(target, content[:-7] + b"x")  # what finds the guilty line
    finally:
        sys.setprofile(None)
    entered = [*(each.read for each in READERS.values()), *MODELS.values()]
    codes = [inspect.unwrap(read).__code__ for read in entered]
    wanted = opening() | {(code.co_filename, code.co_firstlineno): code.co_name for code in codes}
    assert [told for place, told in wanted.items() if place not in seen] == []
    assert len(wanted) > 15


@pytest.mark.parametrize("path", FINDINGS, ids=lambda p: f"{p.parent.name}-{p.name}")
def test_past_findings_stay_found(path: Path) -> None:
    start = process_time()
    is_answered(TARGETS[path.parent.name], path.read_bytes())
    assert process_time() - start < 5.0


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.sampled_from(sorted(TARGETS)), st.data())
def test_any_damage_is_read_or_refused(name: str, data: st.DataObject) -> None:
    content = data.draw(st.sampled_from(TARGETS[name].seeds()))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        stop = data.draw(st.integers(start, min(len(content), start + 40)))
        patch = st.one_of(
            st.binary(max_size=8), st.text(max_size=6).map(str.encode), st.integers().map(lambda i: b"%d" % i)
        )
        content = content[:start] + data.draw(patch) + content[stop:]
    is_answered(TARGETS[name], content)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_a_fuzzer_finds_nothing(name: str, tmp_path: Path) -> None:
    pytest.importorskip("atheris")
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.fuzz", name, tmp_path, f"-runs={INPUTS}", "-seed=1"],
        cwd=HERE.parents[1], capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    told = dict(re.findall(r"stat::(\w+):\s+(\d+)", done.stderr))
    assert int(told["number_of_executed_units"]) >= INPUTS
    assert int(told["peak_rss_mb"]) < MEMORY


def refused(path: Path) -> str:
    with pytest.raises(MeshError) as caught:
        read_mesh(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_mesh_file_opens_no_other_file(tmp_path: Path) -> None:
    secret = tmp_path / "elsewhere" / "secret"
    secret.parent.mkdir()
    secret.write_bytes(bytes(72))
    path = tmp_path / "mesh.inp"
    path.write_bytes(ABAQUS + b"*INCLUDE, INPUT=" + str(secret).encode() + b"\n")
    assert "another file, 'secret'" in refused(path)
    path = tmp_path / "mesh.xdmf"
    raw = XDMF.replace(b'Format="XML"', b'Format="Binary"', 1).replace(
        b"0 0 0 1 0 0 0 1 0", str(secret).encode()
    )
    path.write_bytes(raw)
    assert "another file, 'secret'" in refused(path)
    path.write_bytes(raw.replace(b'"Binary"', b'"HDF"').replace(b"secret<", b"secret:/x<"))
    assert "only 'mesh.h5' beside it" in refused(path)


def test_a_parser_that_runs_away_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = tmp_path / "mesh.stl"
    mesh.write_bytes(b"solid")
    where = str(guard.PROGRAM.parent)
    limited = f"import sys\nsys.path.insert(0, {where!r})\nfrom parsing import limit\nlimit(1, 1 << 30)\n"
    for body, said in (
        ("while True: pass", "took longer than"),
        ("x = bytearray(1 << 31)", "MemoryError"),
        ("import os; os.abort()", "its parser failed"),
    ):
        program = tmp_path / "program.py"
        program.write_text(limited + body)
        monkeypatch.setattr(guard, "PROGRAM", program)
        assert said in refused(mesh)


def test_what_is_claimed_is_not_allocated(tmp_path: Path) -> None:
    path = tmp_path / "mesh.vtk"
    path.write_text(
        "# vtk DataFile Version 5.1\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 900000000000 double\n"
    )
    refused(path)


@pytest.mark.parametrize("read", [read_mesh, read_channels])
def test_a_path_that_cannot_be_one_is_refused(read, tmp_path: Path) -> None:
    for path in (tmp_path / ("x" * 300 + ".msh"), "a\0b.msh", tmp_path, tmp_path / "none.msh"):
        with pytest.raises(FlexnetError):
            read(path)
