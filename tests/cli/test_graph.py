"""``flexnet graph`` prints the report, the equations of an edge, the comparison, and draws."""

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import flexnet as fx
from flexnet.cli.case import build_case
from flexnet.cli.graph import edge_equations, frame_positions
from flexnet.cli.main import build_app
from flexnet.formulation.symbolic import count_operations, symbolic
from flexnet.graph import select_trees

CASE = """
import flexnet as fx

def build(planar: bool = True) -> fx.System:
    s = fx.System("slider-crank", planar=planar)
    J = 0.1 if planar else [0.1, 0.1, 0.1]
    crank = s.rigid_body("crank", 1.0, J, {"O": [-0.5, 0], "A": [0.5, 0]}, position=[0.3, 0.4])
    rod = s.rigid_body("rod", 1.0, J, {"A": [-1, 0], "B": [1, 0]}, position=[1.3, 0.4])
    slider = s.rigid_body("slider", 1.0, J, position=[2.2, 0])
    s.revolute("O", s.ground, crank["O"])
    s.revolute("A", crank["A"], rod["A"])
    s.revolute("B", rod["B"], slider)
    s.prismatic("guide", s.ground, slider)
    s.torque("motor", joint="O", torque=1.0)
    return s
"""


@pytest.fixture
def case(tmp_path: Path) -> Path:
    file = tmp_path / "slider_crank.py"
    file.write_text(CASE)
    return file


def run(*arguments: object) -> Result:
    return CliRunner().invoke(build_app(), ["graph", *map(str, arguments)])


def test_the_report_is_printed(case: Path) -> None:
    result = run(case, "--tree", "joint")
    assert result.exit_code == 0, result.output
    for text in (
        "slider-crank: planar system, 3 bodies",
        "joint (4): O (ground → crank.O), A (crank.A → rod.A), B (rod.B → slider)",
        "O.angle, A.angle, guide.displacement",
        "3 dynamic + 2 constraint = 5 equations",
        "1 degree of freedom",
    ):
        assert text in result.output
    assert not list(case.parent.glob("*.svg"))


def test_a_parameter_and_redundant_constraints(case: Path) -> None:
    result = run(case, "--set", "planar=False", "--tree", "joint")
    assert "redundant constraints (3)" in result.output
    assert "planar=True" in result.output


def test_the_trees_are_compared(case: Path) -> None:
    result = run(case, "--compare")
    counted = result.output.partition("timed side by side")[0]
    last = {line.split()[0]: line.split()[-3] for line in counted.splitlines() if len(line.split()) > 5}
    found = [last[tree] for tree in ("joint", "absolute", "absolute_angular", "gtm", "default")]
    assert found == ["5", "17", "7", "3", "3"]


@pytest.mark.slow
def test_what_is_required_holds_for_every_tree_compared(case: Path) -> None:
    result = run(case, "--compare", "--require", "slider")
    assert result.exit_code == 0, result.output
    counted = result.output.partition("timed side by side")[0]
    table = counted[counted.index("\ntree ") :].splitlines()[2:]
    dynamic = {line.split()[0]: int(line.split()[-6]) for line in table if line}
    assert {"joint", "gtm", "default"} <= set(dynamic)
    assert min(dynamic.values()) >= 3  # the slider's own two displacements and angle


def test_virtual_joints_and_counts_are_options(case: Path) -> None:
    result = run(case, "--virtual", "--tree", "variable_based", "--counts", "in_plane")
    assert result.exit_code == 0, result.output
    assert "virtual joint planar_rod from ground to rod: the angle of rod to the ground" in result.output
    refused = run(case, "--counts", "flat")
    assert "counts are spatial or in_plane, not 'flat'" in str(refused.exception)


def test_trees_may_be_listed(case: Path) -> None:
    result = run(case, "--translation", "O,A, guide", "--rotation", "crank,rod,slider")
    assert "R-tree: crank, rod, slider" in result.output
    assert "T-tree: 4 arms and O, guide, A" in result.output


def test_equations_of_an_edge_are_written(case: Path) -> None:
    result = run(case, "--tree", "joint", "--equations", "B", "--equations", "guide")
    assert "T-circuit: r(B) - r(guide) + r(O) - r(crank.O) + r(crank.A) + r(A)" in result.output
    assert "R-circuit: [R(B)][R(guide)]ᵀ[R(O)][R(A)] = [1]" in result.output
    assert "T-cutset:  δW(guide) + δW(slider)" in result.output


def test_the_graph_is_drawn_where_asked(case: Path, tmp_path: Path) -> None:
    result = run(case, "--out", tmp_path / "pictures" / "graph")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "pictures" / "graph.svg").exists()
    assert (tmp_path / "pictures" / "graph.png").exists()
    assert "graph.svg" in result.output


def test_the_steps_of_a_selection_are_drawn_with_the_graph(case: Path, tmp_path: Path) -> None:
    result = run(case, "--tree", "formulation_based", "--explain", "--out", tmp_path / "graph")
    assert result.exit_code == 0, result.output
    assert "graph_steps.svg" in result.output
    assert "R-tree: " in (tmp_path / "graph_steps.svg").read_text()


def test_dependent_virtual_work_is_drawn_on_request(case: Path, tmp_path: Path) -> None:
    run(case, "--dependent", "--out", tmp_path / "graph")
    assert "edge B@slider" in (tmp_path / "graph.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tree", "best"], "tree choice is one of joint, absolute"),
        (["--equations", "giude"], "no edge is called 'giude'; did you mean 'guide'"),
        (["--translation", "O,A"], "does not reach node"),
        (["--set", "planer=True"], "did you mean 'planar'"),
    ],
)
def test_a_bad_option_is_one_sentence(case: Path, arguments: list[str], message: str) -> None:
    result = run(case, *arguments)
    assert isinstance(result.exception, fx.FlexnetError)
    assert message in str(result.exception)


def test_an_edge_of_one_graph_has_equations_of_that_graph_only(build) -> None:
    T, R = select_trees(build["slider_crank"]().graph, "joint")
    assert [line[:2] for line in edge_equations(T, R, "motor")] == ["R-"]
    assert [line[:2] for line in edge_equations(T, R, "crank.A")] == ["T-"]


def test_frames_are_seen_from_where_the_mechanism_is_widest(build) -> None:
    at = frame_positions(fx.formulate(build["platform"]()))
    spread = np.ptp(np.array(list(at.values())), axis=0)
    assert spread[0] >= 1.73  # a hexagon of radius 1 is √3 to 2 wide, whichever of its equal axes are taken
    planar = frame_positions(fx.formulate(build["slider_crank"]()))
    np.testing.assert_allclose(planar["slider"][1], 0.0, atol=1e-9)


def test_a_flexible_case_is_counted_and_drawn(tmp_path: Path) -> None:
    case = Path(__file__).parents[2] / "cases" / "slider_crank_flexible.py"
    result = run(case, "--out", tmp_path / "graph")
    assert result.exit_code == 0, result.output
    assert "planar system, 3 bodies" in result.output
    assert (tmp_path / "graph.svg").stat().st_size > 1000


def test_a_plane_that_is_not_xy_is_not_suggested(tmp_path: Path) -> None:
    case = Path(__file__).parents[2] / "cases" / "panel_deployment.py"
    assert "planar=True" not in run(case).output


def test_a_selection_is_explained_and_candidates_are_timed() -> None:
    case = Path(__file__).parents[2] / "cases" / "leger_a06_spatial_slider_crank.py"
    result = run(case, "--tree", "formulation_based", "--explain", "--compare")
    assert result.exit_code == 0, result.output
    assert "h9 enters the T-tree: weight 700; s12 was 1000" in result.output
    assert "trees measured: " in result.output
    starred = [line for line in result.output.splitlines() if line.startswith("* ")]
    assert len(starred) == 1
    joint = fx.formulate(build_case(case, []), "joint")
    row = next(line.split() for line in result.output.splitlines() if re.match(r"[* ] joint  .*\d\.\d", line))
    assert int(row[-3]) == count_operations(symbolic(joint)).total
