"""``flexnet run`` as its user meets it: answers, errors, Ctrl-C, resume."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import flexnet as fx
from flexnet.cli.main import build_app
from flexnet.cli.stepping import Stepping, choose_method

ROOT = Path(__file__).parents[2]
CASE = """
import flexnet as fx

END = 0.5
STEP = 1e-3

def build(length: float = 1.0, law: str = "none") -> fx.System:
    s = fx.System("pendulum", planar=True)
    s.gravity([0, -9.81])
    bob = s.rigid_body("bob", 1.0, 0.1, {"O": [0, length]}, position=[0, -length])
    s.revolute("O", s.ground, bob["O"])
    s.start("O", angle=0.0, rate=1.0)
    if law == "bad":
        s.torsional_spring("spring", joint="O", law=lambda x, v, t: 1.0 / (t < 0.2))
    s.channel("angle", fx.joint_coordinate("O"), "rad")
    return s
"""


@pytest.fixture
def case(tmp_path: Path) -> Path:
    file = tmp_path / "pendulum.py"
    file.write_text(CASE)
    return file


def run(*arguments: object, code: int = 0) -> Result:
    outcome = CliRunner().invoke(build_app(), ["run", *(str(a) for a in arguments)])
    if outcome.exception and not isinstance(outcome.exception, SystemExit):
        raise outcome.exception
    assert outcome.exit_code == code, outcome.output
    return outcome


def test_a_case_that_stops_leaves_a_page_of_what_it_found(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = CliRunner().invoke(build_app(), ["view", str(case), "--set", "law=bad"])
    assert outcome.exit_code == 1
    assert "holds what was found" in outcome.output
    assert outcome.output.rstrip().endswith("pendulum.html")
    assert '"failed"' in (tmp_path / "pendulum.html").read_text()
    assert fx.Results.open(tmp_path / "pendulum.h5").rows > 2


def test_measured_trees_hold_what_is_required(case, tmp_path, monkeypatch):
    monkeypatch.setenv("FLEXNET_CACHE", str(tmp_path / "cache"))
    out = tmp_path / "a.h5"
    said = run(case, "--end", 0.01, "--tree", "measured", "--require", "bob", "--out", out).output
    assert "trees measured: " in said
    trees = fx.Results.open(out).mechanism().trees
    assert "bob" in trees["translation"]
    assert "bob" in trees["rotation"]
    with pytest.raises(fx.GraphError, match="required edge 'bab' is not in the graph; did you mean 'bob'"):
        run(case, "--tree", "measured", "--require", "bab", "--out", tmp_path / "b.h5")


def test_branches_of_ones_own_are_taken(case, tmp_path):
    out = tmp_path / "a.h5"
    run(case, "--end", 0.01, "--translation", "bob", "--rotation", "O", "--share", "--out", out)
    trees = fx.Results.open(out).mechanism().trees
    assert ("bob" in trees["translation"], trees["rotation"]) == (True, ("O",))
    with pytest.raises(fx.GraphError, match="bab"):
        run(case, "--translation", "bab", "--out", tmp_path / "b.h5")


def test_virtual_joints_are_offered_and_said(case, tmp_path):
    said = run(case, "--end", 0.01, "--virtual", "--require", "planar_bob", "--out", tmp_path / "a.h5").output
    assert "virtual joint planar_bob from ground to bob: the angle of bob to the ground" in said
    assert "planar_bob" in fx.Results.open(tmp_path / "a.h5").mechanism().trees["rotation"]


def test_a_run_reports_simulates_and_says_where_the_file_is(case, tmp_path):
    out = tmp_path / "a.h5"
    said = run(case, "--out", out).output
    assert "pendulum: planar system, 1 body" in said
    assert "1 degree of freedom" in said
    assert "0 to 0.5 s, step 0.001 s" in said
    assert "done at t = 0.5 s: 500 steps" in said
    assert said.count("energy") == 1
    assert str(out) in said
    results = fx.Results.open(out)
    assert results.status.state == "finished"
    assert results.time[-1] == pytest.approx(0.5)


def test_parameters_of_the_case_and_of_the_run_can_be_set(case, tmp_path):
    out = tmp_path / "a.h5"
    options = ("--set", "length=2.0", "--tree", "absolute", "--integrator", "generalised-alpha", "--rho", 0.9)
    said = run(case, *options, "--step", 1e-2, "--end", 1, "--interval", 0.1, "--out", out).output
    assert "generalised_alpha" in said
    results = fx.Results.open(out)
    assert results.rows == 11
    assert results.names("state/q") == ("bob.x", "bob.y", "bob.angle")
    assert results.read("frames/bob/position")[0, 1] == pytest.approx(-2.0)


def test_a_tolerance_makes_the_step_adaptive(case, tmp_path):
    out = tmp_path / "a.h5"
    assert "tolerance 1e-05" in run(case, "--tolerance", 1e-5, "--out", out).output
    assert np.ptp(fx.Results.open(out).read("solver/step")[1:]) > 0


@pytest.mark.parametrize("method", ["hht", "generalised_alpha", "acceleration_level", "reference"])
def test_every_integrator_runs_from_the_command_line(case, tmp_path, method):
    run(case, "--integrator", method, "--end", 0.1, "--out", tmp_path / "a.h5")


def test_the_symbolic_engine_writes_the_same_file(case, tmp_path, monkeypatch):
    monkeypatch.setenv("FLEXNET_CACHE", str(tmp_path / "cache"))
    files = {engine: tmp_path / f"{engine}.h5" for engine in ("numeric", "symbolic")}
    said = {engine: run(case, "--engine", engine, "--out", file).output for engine, file in files.items()}
    assert "operations" in said["symbolic"]
    numeric, symbolic = (fx.Results.open(file) for file in files.values())
    for name in ("state/q", "state/v", "channels/angle", "joints/O/force", "energy/total"):
        assert np.allclose(symbolic.read(name), numeric.read(name), rtol=1e-8, atol=1e-8), name
    assert '"engine": "symbolic"' in str(symbolic.attributes["integrator"])
    # a second run finds its code
    assert "once" not in run(case, "--engine", "symbolic", "--out", tmp_path / "again.h5").output


def test_a_run_is_resumed_by_the_engine_that_began_it(case, tmp_path, monkeypatch):
    monkeypatch.setenv("FLEXNET_CACHE", str(tmp_path / "cache"))
    out = tmp_path / "a.h5"
    run(case, "--engine", "symbolic", "--end", 0.2, "--interval", 0.01, "--out", out)
    run(case, "--engine", "symbolic", "--interval", 0.01, "--out", out, "--resume")
    with pytest.raises(fx.FlexnetError, match="engine was symbolic and is now not set"):
        run(case, "--engine", "numeric", "--interval", 0.01, "--end", 0.6, "--out", out, "--resume")
    run(case, "--interval", 0.01, "--end", 0.6, "--out", out, "--resume")
    assert fx.Results.open(out).settings["engine"] == "symbolic"


def test_a_finished_run_that_is_resumed_keeps_what_it_said_of_itself(case, tmp_path):
    out = tmp_path / "a.h5"
    run(case, "--end", 0.2, "--step", 0.1, "--out", out)
    before, bits = fx.Results.open(out).status, out.read_bytes()
    assert "estimated error" in before.message
    said = run(case, "--end", 0.2, "--step", 0.1, "--out", out, "--resume").output
    assert "done at t = 0.2 s: nothing was left to do" in said
    assert before.message in said.replace("\n", " ")
    assert out.read_bytes() == bits
    assert fx.Results.open(out).status == before


def test_the_result_is_beside_the_user_if_no_file_is_named(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(case, "--end", 0.1)
    assert (tmp_path / "pendulum.h5").exists()


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
def test_a_failed_run_says_when_and_why_and_keeps_its_file(case, tmp_path, monkeypatch, engine):
    monkeypatch.setenv("FLEXNET_CACHE", str(tmp_path / "cache"))
    out = tmp_path / "a.h5"
    said = run(case, "--set", "law=bad", "--engine", engine, "--out", out, code=1).output
    assert "error: stopped at t = 0.199" in said
    assert "law of spring (ZeroDivisionError" in said
    assert f"{out} holds what was found" in " ".join(said.split())
    results = fx.Results.open(out)
    assert results.status.state == "failed"
    assert results.rows > 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--integrator", "hth"), "no integrator is called 'hth'; did you mean 'hht'?"),
        (("--rho", 0.5), "hht has no parameter --rho; its parameter is --alpha"),
        (("--integrator", "reference", "--alpha", -0.1), "reference has no parameter --alpha; it has none"),
        (("--step", -1), "step must be a positive time"),
        (("--set", "lenght=2"), "did you mean 'length'?"),
        (("--tree", "oak"), "oak"),
        (("--out", ""), "--out is empty; expected a file"),
        (("--out=",), "--out is empty; expected a file"),
        (("--out", "a.csv"), "a.csv: a run is written as HDF5 (.h5); then flexnet export a.h5 --out a.csv"),
        (("--out", "nowhere/a.h5"), "nowhere/a.h5: cannot be written"),
    ],
)
def test_what_cannot_be_is_one_sentence(case, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(fx.FlexnetError) as caught:
        run(case, *options)
    assert message in str(caught.value)


def test_a_case_without_an_end_asks_for_one():
    with pytest.raises(fx.ModelError, match="Give --end"):
        Stepping.choose({}, None, None, None, None)


def test_stepping_takes_the_users_word_before_the_cases():
    case = {"END": 2.0, "STEP": 1e-3, "INTERVAL": 0.1}
    assert Stepping.choose(case, None, None, None, None) == Stepping(2.0, 1e-3, 0.1)
    assert Stepping.choose(case, 1e-2, None, 1.0, 0.5) == Stepping(1.0, 1e-2, 0.5)
    assert Stepping.choose(case, None, 1e-6, None, None) == Stepping(2.0, 1e-3, 0.1, 1e-6)
    assert Stepping.choose({"END": 5}, None, None, None, None) == Stepping(5.0, 5e-5, 0.01, 1e-6)
    assert Stepping.choose({"END": 5}, 1e-4, None, None, None).interval == pytest.approx(0.01)


def test_methods_are_chosen_by_name():
    assert choose_method("hht", -0.2, None) == fx.hht(-0.2)
    assert choose_method("generalized-alpha", None, 0.5) == fx.generalised_alpha(0.5)


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-c", "from flexnet.cli.main import main; main()", *(str(a) for a in arguments)]


def test_control_c_leaves_a_valid_file_that_can_be_resumed(case, tmp_path):
    out = tmp_path / "a.h5"
    options = ("run", case, "--end", 2000, "--step", 1e-4, "--interval", 1e-2, "--out", out)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command(*options), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    limit = time.monotonic() + 60
    while time.monotonic() < limit and not out.exists():
        time.sleep(0.02)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "stopped by the user" in said
    assert "Traceback" not in said
    left = fx.Results.open(out)
    assert left.status.state == "interrupted"
    rows = left.rows
    assert rows < 200_000
    end = float(left.time[-1]) + 0.5
    run(case, "--end", f"{end:.2f}", "--step", 1e-4, "--interval", 1e-2, "--out", out, "--resume")
    assert fx.Results.open(out).rows == rows + 50
    assert fx.Results.open(out).status.state == "finished"


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
def test_a_run_starts_without_loading_what_it_does_not_need(engine, tmp_path):
    """What costs the start of every run: drawings, symbolic algebra, splines, hulls of flat bodies."""
    case, out = ROOT / "cases/squeezer.py", tmp_path / "a.h5"
    options = ["--step", "1e-5", "--end", "1e-4", "--engine", engine]
    arguments = ["flexnet", "run", str(case), *options, "--out", str(out)]
    code = (
        f"import sys; sys.argv = {arguments}\n"
        "from flexnet.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "slow = ('matplotlib', 'sympy', 'meshio', 'pandas', 'scipy.interpolate', 'scipy.spatial')\n"
        "assert not [name for name in slow if name in sys.modules]\n"
    )
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)


def test_the_shell_completes_verbs():
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "_FLEXNET_COMPLETE": "complete_bash",
        "COMP_WORDS": "flexnet r", "COMP_CWORD": "1",
    }  # fmt: skip
    code = "import sys; sys.argv[0] = 'flexnet'; from flexnet.cli.main import main; main()"
    made = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert "run" in made.stdout.split()


def test_a_finished_run_goes_on_to_a_later_end(case, tmp_path):
    """Rows stay as far apart as they were: their spacing is not chosen anew."""
    out = tmp_path / "long.h5"
    run(case, "--end", 0.2, "--step", 1e-4, "--out", out)
    run(case, "--end", 0.4, "--step", 1e-4, "--out", out, "--resume")
    t = fx.Results.open(out).time
    assert t[-1] == pytest.approx(0.4)
    assert np.allclose(np.diff(t), t[1])


def test_a_file_knows_the_parameters_it_was_made_with(case, tmp_path):
    out = tmp_path / "a.h5"
    run(case, "--set", "length=0.5", "--out", out)
    said = CliRunner().invoke(build_app(), ["info", str(out)]).output
    assert "length = 0.5, law = none" in said
