"""Each mistake of a beginner is one sentence that says what to do, in a script and at the command line."""

import re

import pytest
from typer.testing import CliRunner

import flexnet as fx
from flexnet.cli.case import build_case, load_case
from flexnet.cli.main import build_app
from tests.package.test_extras import COMMANDS, without

GOOD = """
import flexnet as fx

END, STEP = 0.05, 1e-3


def build():
    s = fx.System("pendulum", planar=True)
    s.gravity([0, -9.81])
    rod = s.rigid_body("rod", mass=1.0, inertia=1 / 12, frames={"top": [0, 0.5], "tip": [0, -0.5]})
    s.revolute("pin", s.ground, rod["top"])
    s.start("pin", angle=0.5)
    return s
"""
BAR = """
    bar = s.rigid_body("bar", 1.0, 0.1, {"a": [-0.4, 0], "b": [0.4, 0]})
    s.revolute("A", rod["tip"], bar["a"])
    s.revolute("B", bar["b"], s.ground.frame("far", [0.6, -1.2]))
"""
LAW = '    s.torsional_spring("k", joint="pin", law=lambda x, v, t: {})\n'
#: what is written, what in its place (an addition where nothing is replaced), and what is said to it
MISTAKES = {
    "wrong frame name": ('rod["top"]', 'rod["tpo"]', "body 'rod' has no frame 'tpo'; did you mean 'top'"),
    "loose body": ("", '    s.rigid_body("bob", 1.0, 0.1)\n', "'bob' is connected to nothing; add a joint"),
    "inconsistent start": (
        "angle=0.5)", f"angle=-2.5)\n{BAR}",
        "start value of joint 'pin' cannot be met: the loops do not allow it; ask for another",
    ),
    "two starts": ("", '    s.start("pin", angle=1.0)\n', "'pin' is to start at two values of angle"),
    "misspelt joint": ("s.revolute", "s.revolut", "has no attribute 'revolut'; did you mean 'revolute'?"),
    "misspelt name of flexnet": (
        "import flexnet as fx", "import flexnet as fx\nfx.Sistem",
        "flexnet has no 'Sistem'; did you mean 'System'.( .line|$)",
    ),
    "function for a number": ("mass=1.0", "mass=build", "mass is the function build; expected a finite"),
    "step beyond the end": ("0.05, 1e-3", "0.0005, 1e-3", "a step of 0.001 s: longer than the run"),
    "too large a step": ("0.05, 1e-3", "400.0, 40.0", "try a smaller step, an adaptive one"),
    "millimetres": ("0.5]", "500]", "500 m from its centre of mass .* are lengths in m"),
    "everything in millimetres": ("9.81", "9810", "gravity is 9810 m/s²: is that mm/s²"),
    "degrees": ("angle=0.5", "angle=30", r"of degrees write 30\*fx.deg"),
    "forgotten gravity": ("    s.gravity([0, -9.81])\n", "", r"nothing moves it: .* s.gravity\(\[0, -9"),
    "upward gravity": ("-9.81", "9.81", r"gravity points along \+y: if y is up, write -9.81"),
    "law that fails": (
        "", LAW.format('{}["stiffness"]'), r"law of k \(KeyError: 'stiffness'\) gives no number at the start"
    ),
    "law that fails later": (
        "", LAW.format("x if t < 0.02 else None"), "law of k .*float.*; look at the user's laws",
    ),
    "law with a pole": ("", LAW.format("1 / (t - 0.02) ** 2"), "law of k.*look at the user's laws"),
}  # fmt: skip


def made(mistake: str) -> str:
    """The case of a beginner."""
    right, wrong, _ = MISTAKES[mistake]
    return GOOD.replace(right, wrong) if right else GOOD.replace("    return s", f"{wrong}    return s")


def told_by_script(file) -> str:
    """What a script that builds, reports and runs the case is told."""
    try:
        system = build_case(file)
        report = str(fx.report(fx.formulate(system)))
        case = load_case(file)
        run = fx.simulate(system, case.END, case.STEP)
    except fx.FlexnetError as error:
        return str(error)
    return "\n".join([report, *run.warnings])


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence_that_says_what_to_do(mistake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = tmp_path / "mine.py"
    case.write_text(made(mistake))
    done = CliRunner().invoke(build_app(), ["run", "mine.py"])
    command = f"{done.output} {done.exception}"
    for said in (told_by_script(case), command):
        assert re.search(MISTAKES[mistake][2], " ".join(said.split())), said
        assert "Traceback" not in said


def test_a_missing_extra_is_one_sentence_that_says_what_to_install(tmp_path):
    (tmp_path / "mine.py").write_text(GOOD)
    script = f"{GOOD}\nrun = fx.simulate(build(), 0.01, 1e-3)\n"
    script += "try: run.plot()\nexcept fx.FlexnetError as error: print(error)\n"
    asked = ("run mine.py --end 0.01", "plot mine.h5 state/q/rod.angle")
    said = without(("matplotlib", "meshio"), script + COMMANDS, tmp_path, *asked)
    assert len(said) == 3
    for text in (said[0], said[2]):
        assert "matplotlib, which is not installed; try: pip install 'flexnet[view]'" in text
