"""First steps at the command line: new, examples, doctor, clean, --version."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

import flexnet
from flexnet.cache import save
from flexnet.cli.case import build_case, load_case
from flexnet.cli.main import EXIT_CODES, VERBS, build_app
from flexnet.cli.stepping import Stepping
from flexnet.errors import ModelError
from flexnet.examples import MESHES, examples, find, templates
from flexnet.results import Results

ROOT = Path(__file__).parents[2]


def run(*words: object, code: int = 0) -> str:
    outcome = CliRunner().invoke(build_app(), [str(word) for word in words])
    if outcome.exception and not isinstance(outcome.exception, SystemExit):
        raise outcome.exception
    assert outcome.exit_code == code, outcome.output
    return outcome.output


def test_the_version_is_said_and_stands_in_one_place():
    assert run("--version").strip() == f"flexnet {flexnet.__version__}"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "flexnet/__init__.py"


def test_python_m_flexnet_is_the_command_line():
    done = subprocess.run(
        [sys.executable, "-m", "flexnet", "--help"], capture_output=True, text=True, check=True
    )
    for verb in VERBS:
        assert f"  {verb} " in done.stdout
    for code in EXIT_CODES:
        assert f" {code} " in done.stdout


def test_the_list_of_verbs_loads_no_verb():
    """Nor what draws frames round a help text: a start takes an eighth of a second of the processor."""
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom flexnet.cli.main import build_app\n"
        "assert CliRunner().invoke(build_app(), ['--help']).exit_code == 0\n"
        "print(*(m for m in sys.modules if m.startswith(('flexnet.cli.', 'rich.markdown', 'numpy'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    by_typer = {"rich.markdown"} if version("typer") < "0.2" else set()  # older ones load it themselves
    assert set(done.stdout.split()) - by_typer == {"flexnet.cli.main", "flexnet.cli.interruption"}


@pytest.mark.parametrize("template", templates(), ids=lambda each: each.name)
def test_a_new_case_of_every_template_can_be_built_and_run(template, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = run("new", "my_mechanism", "--template", template.name)
    assert "flexnet run my_mechanism.py" in said
    system = build_case("my_mechanism.py")
    assert system.name == "my_mechanism"
    assert system.channels
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    run("new", "my_mechanism.py", "--template", template.name)
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_mesh_of_the_user_is_kept_and_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("wing.msh").write_bytes((MESHES / "panel_128.msh").read_bytes())
    assert "wing.msh is there already, and wing.py reads it" in run("new", "wing", "--template", "shell")
    assert Path("wing.msh").read_bytes() == (MESHES / "panel_128.msh").read_bytes()
    assert build_case("wing.py").name == "wing"


@pytest.mark.slow
@pytest.mark.parametrize("template", templates(), ids=lambda each: each.name)
def test_the_run_of_a_template_needs_no_advice(template, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("new", "mine", "--template", template.name)
    run("run", "mine.py")
    assert Results.open(Path("mine.h5")).status.state == "finished"
    how = Stepping.choose(vars(load_case("mine.py")), None, None, None, None)
    made = flexnet.simulate(build_case("mine.py"), how.end, how.step, tolerance=how.tolerance)
    assert not made.warnings


def test_a_file_of_the_user_is_never_written_over(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("# mine\n")
    with pytest.raises(ModelError, match=r"there is a mine\.py already"):
        run("new", "mine")
    with pytest.raises(ModelError, match="no name of a case"):
        run("new", "../mine")
    Path("squeezer.py").write_text("# mine\n")
    with pytest.raises(ModelError, match=r"there is a squeezer\.py already"):
        run("examples", "copy", "squeezer")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine.py", "squeezer.py"]
    assert Path("mine.py").read_text() == Path("squeezer.py").read_text() == "# mine\n"


def test_every_example_is_listed_with_its_title():
    said = run("examples", "list")
    for example in examples():
        assert f" {example.name} " in said
        assert example.title
    assert len(examples()) == len(list((ROOT / "cases").glob("*.py")))


def test_the_references_of_an_example_are_those_its_case_names():
    for example in examples():
        given = getattr(load_case(example.path), "REFERENCES", [])
        named = {Path(each.file).name for each in given if each.file}
        assert named <= {file.name for file in example.references}, example.name


def test_a_copied_example_brings_its_references_and_runs_where_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("examples", "copy", "panel_deployment", "mine")
    assert sorted(p.name for p in Path("mine/references").iterdir()) == [
        file.name for file in find("panel_deployment").references
    ]
    build_case("mine/panel_deployment.py", ["modes=1"])
    with pytest.raises(ModelError, match="did you mean 'squeezer'"):
        run("examples", "copy", "squezer")


def test_an_example_is_run_by_its_name_with_the_options_of_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = run("examples", "run", "simple_pendulum", "--end", "0.01", "--step", "1e-3", "--out", "a.h5")
    assert "done at t = 0.01 s" in said
    assert Path("a.h5").is_file()
    with pytest.raises(ModelError, match="flexnet examples run squeezer"):
        run("run", "squeezer.py")


def test_a_machine_that_has_everything_is_well():
    said = run("doctor")
    assert "all is well" in said
    assert "steps/s" in said


def test_a_library_that_is_too_old_is_named(monkeypatch):
    from flexnet.cli import doctor

    monkeypatch.setattr(doctor.metadata, "requires", lambda _: ["numpy>=99.1", "no-such>=1; extra == 'view'"])
    said = run("doctor", code=1)
    assert "99.1 is needed" in said
    assert 'pip install "flexnet[view]" brings it' in said


def test_clean_removes_the_files_of_the_cache_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setenv("FLEXNET_CACHE", str(tmp_path / "cache"))
    save("tables", "key", b"content")
    mine = tmp_path / "cache" / "tables" / "thesis.txt"
    mine.write_text("mine")
    (tmp_path / "cache" / "kernels").symlink_to(tmp_path)
    (tmp_path / "kernels-1").write_text("mine")
    assert "could be removed" in run("clean", "--dry-run")
    assert len(list(mine.parent.iterdir())) == 2
    assert "MB removed" in run("clean")
    assert list(mine.parent.iterdir()) == [mine]
    assert (tmp_path / "kernels-1").is_file()


def test_pages_that_name_a_version_name_this_one():
    version = flexnet.__version__
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert re.findall(r"flexnet-([\d.]+)-py3", (ROOT / "README.md").read_text()) == [version]
    assert re.findall(r"^## \[(\d.*)\] - \d{4}", (ROOT / "docs/changelog.md").read_text(), re.M)[0] == version


def test_workflows_only_call_the_makefile():
    targets = {line.partition(":")[0] for line in (ROOT / "Makefile").read_text().splitlines() if ":" in line}
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        commands = [x.partition("run:")[2].strip() for x in file.read_text().splitlines() if "- run:" in x]
        assert commands
        assert all(words.split()[0] == "make" and words.split()[1] in targets for words in commands)
