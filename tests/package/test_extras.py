"""Without its extras flexnet simulates, compares and writes tables, and says in a sentence what draws."""

import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXTRA = {"matplotlib": "view", "meshio": "fe"}
PENDULUM = """
import flexnet as fx
s = fx.System("pendulum", planar=True)
s.gravity([0, -9.81])
rod = s.rigid_body("rod", mass=1.0, inertia=1 / 12, frames={"top": [0, 0.5]})
s.revolute("pivot", s.ground, rod["top"])
s.start("pivot", angle=1.0)
s.channel("angle", fx.joint_coordinate("pivot"), "rad")
"""


COMMANDS = """
from typer.testing import CliRunner
from flexnet.cli.main import build_app
for words in sys.argv[1:]:
    done = CliRunner().invoke(build_app(), words.split())
    print(words, done.exit_code, " ".join(done.output.split()), done.exception, sep="|")
"""


def without(libraries: tuple[str, ...], code: str, folder: Path, *words: str) -> list[str]:
    """The lines that Python says where libraries are not installed."""
    hidden = f"import sys\nfor name in {libraries}: sys.modules[name] = None\n"
    done = subprocess.run(
        [sys.executable, "-c", hidden + code, *words], cwd=folder, capture_output=True, text=True
    )
    assert all(line.startswith("compiling ") for line in done.stderr.splitlines()), done.stderr
    return done.stdout.splitlines()


def test_what_is_missing_is_named_with_its_extra_in_one_sentence(tmp_path):
    asked = {
        "fx.draw_graph(s)": "matplotlib",
        "run.plot()": "matplotlib",
        "run.view()": "matplotlib",
        "run.animate('a.gif')": "matplotlib",
        "fx.write_graph": "matplotlib",
        f"fx.read_mesh({str(ROOT / 'meshes' / 'panel_32.msh')!r})": "meshio",
        "flexnet.mesh.write_mesh('a.vtu', fx.panel_mesh(1.0, 1.0, 2, 2))": "meshio",
    }
    code = PENDULUM + "import flexnet.mesh\nrun = fx.simulate(s, 0.01, 1e-3)\n"
    code += "".join(f"try: {x}\nexcept fx.FlexnetError as error: print(error)\n" for x in asked)
    said = without(tuple(EXTRA), code, tmp_path)
    for text, library in zip(said, asked.values(), strict=True):
        extra = f"try: pip install 'flexnet\\[{EXTRA[library]}\\]'"
        assert re.fullmatch(f"[a-z ]+ need {library}, which is not installed; {extra}", text)


def test_notebooks_show_what_they_can_without_matplotlib(tmp_path):
    shown = "run = fx.simulate(s, 0.01, 1e-3)\nfor x in (s, run, fx.audit(run)): print(x._repr_html_())"
    system, run, audit = without(tuple(EXTRA), PENDULUM + shown, tmp_path)
    assert system.startswith("<p>drawings and pages need matplotlib, which is not installed; try: pip ")
    assert all("<table>" in text for text in (system, run, audit))


def test_runs_comparisons_audits_and_tables_need_no_extra(tmp_path):
    built = "\n    ".join(PENDULUM.strip().splitlines()[1:])
    (tmp_path / "mine.py").write_text(f"import flexnet as fx\ndef build():\n    {built}\n    return s\n")
    asked = {
        "run mine.py --end 0.1 --step 1e-3": "0|*done at t = 0.1 s*",
        "compare mine.h5 mine.h5 --tolerance 1e-9:max": "0|*within*",
        "audit mine.h5": "0|no picture: pictures need matplotlib*the balance holds within*",
        "audit mine.h5 --out a.png": "1||pictures need matplotlib, which is not installed*",
        "compare mine.h5 mine.h5 --plot a.png": "1|*|drawings and pages need matplotlib*",
        "export mine.h5": "0|mine.csv*",
        "export mine.h5 --out mine.json": "0|mine.json*",
        "export mine.h5 --out mine.glb": "1||drawings and pages need matplotlib*pip install*",
        "graph mine.py": "0|*redundant constraints (0)*",
    }
    said = without(tuple(EXTRA), COMMANDS, tmp_path, *asked)
    for text, (words, expected) in zip(said, asked.items(), strict=True):
        assert fnmatch(text, f"{words}|{expected}"), text
    assert not (tmp_path / "mine.glb").exists()


def test_every_requirement_is_used():
    """By an import, or by its name where another library is told to take it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [text for one in project["optional-dependencies"].values() for text in one]
    source = "\n".join(path.read_text() for path in (ROOT / "flexnet").rglob("*.py"))
    used = re.findall(r"^ *(?:import|from) (\w+)|[\"'](\w+)[\"']", source, re.MULTILINE)
    names = {re.match(r"[\w-]+", text)[0] for text in [*project["dependencies"], *extras]}
    assert names <= {word for pair in used for word in pair}
