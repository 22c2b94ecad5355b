"""Constraints left out as redundant are watched along the run."""

import numpy as np
import pytest

import flexnet as fx


def pinned_beam(modes: object) -> fx.System:
    """A steel beam pinned at both ends of its chord: it cannot bend without getting shorter."""
    steel = fx.Material(E=2e11, nu=0.3, rho=7800.0)
    s = fx.System("pinned beam", planar=True)
    beam = fx.beam_body(1.0, 4, steel, fx.rectangle(0.02, 0.01))
    body = s.flexible_body("beam", beam, support=fx.Pinned("start", "end"), modes=modes, stiffening=True)
    s.revolute("A", s.ground, body["start"], axis="z")
    s.revolute("B", s.ground.frame("b", [1.0, 0]), body["end"], axis="z")
    return s


@pytest.mark.parametrize("modes", [[1], [1, 2], [1, 2, 3, 4]])
def test_every_tree_leaves_out_the_same_number_of_rows(modes):
    """Elastic coordinates take part in the decision, and what Newton's method leaves of them does not."""
    trees = ("joint", "absolute", "absolute_angular", "default")
    counts = {len(fx.formulate(pinned_beam(modes), tree).redundant) for tree in trees}
    assert counts == {1}


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_row_that_opens_is_said(tree, tmp_path):
    s = pinned_beam([1, 2])
    equations = fx.formulate(s, tree)
    axial = [name for name in equations.redundant if "force x" in name]
    assert axial, equations.redundant
    elastic = [i for i, name in enumerate(equations.coordinates.v_names) if "elastic" in name]
    equations.initial.v[elastic[0]] = 8.0
    with pytest.warns(UserWarning, match="was left out as redundant at the start and is open by") as told:
        run = fx.simulate(equations, 0.02, 1e-5, interval=1e-3, out=tmp_path / f"{tree}.h5")
    assert any("force x" in str(w.message) for w in told)
    assert "was left out as redundant" in fx.Results.open(tmp_path / f"{tree}.h5").status.message
    assert run.warnings


def four_bar(push: object = (0.0, 0.0, 0.0)) -> fx.System:
    """A planar four-bar of spatial pins A, B, C, D: three rows too many, all along the way."""
    s = fx.System("four-bar")
    points = np.array([[0, 0, 0], [0.3, 0.4, 0], [1.2, 0.8, 0], [1.0, 0, 0]])
    bars = []
    for k in range(3):
        d = points[k + 1] - points[k]
        ends = {"1": -0.5 * d, "2": 0.5 * d}
        bars.append(s.rigid_body(f"bar{k}", 1.0, [0.1, 0.1, 0.1], ends, 0.5 * (points[k] + points[k + 1])))
    frames = [s.ground, bars[0]["2"], bars[1]["2"], s.ground.frame("D", points[3])]
    heads = [bars[0]["1"], bars[1]["1"], bars[2]["1"], bars[2]["2"]]
    for name, tail, head in zip("ABCD", frames, heads, strict=True):
        s.revolute(name, tail, head, axis="z")
    s.force("push", bars[1], list(push))
    s.start("A", rate=2.0)
    return s


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_rows_that_are_redundant_stay_closed(tree):
    equations = fx.formulate(four_bar(), tree)
    assert len(equations.redundant) == 3
    assert not fx.simulate(equations, 0.5, 2e-3).warnings
