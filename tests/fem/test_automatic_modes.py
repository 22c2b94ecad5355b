"""``modes="auto"``: at most ten coordinates that answer the loads on the frames."""

import logging

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ModelError
from flexnet.fem import Loads, Reduction, build_table, nodal_shapes, solve_static, supported
from flexnet.fem.statics import load_vector

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)


def beam(**options):
    return fx.beam_body(1.0, 8, STEEL, fx.rectangle(0.02, 0.01), **options)


def test_a_beam_answers_every_load_on_its_end_exactly_and_has_eigenmodes_too():
    body, held = beam(), fx.Clamped("start")
    table = build_table(body, Reduction(held, "auto"))
    assert table.m == 10
    assert table.modes.kind.count("normal") == 4
    structure, shapes = supported(body, held), nodal_shapes(body, table)
    for direction in np.eye(6):
        loads = Loads(nodes={"end": direction})
        q = np.linalg.solve(table.K, shapes.T @ load_vector(structure, loads))
        u = solve_static(structure, loads)
        assert np.allclose(shapes @ q, u, rtol=0, atol=1e-8 * np.abs(u).max())


def test_where_shapes_are_many_the_softest_stay():
    """A plate with two frames has twelve; the bending ones answer, those in its plane are left out."""
    body = fx.panel_body(
        (1.0, 1.0), (4, 4), fx.ShellSection.uniform(0.003, STEEL),
        points={"hinge": (0.0, 0.5, 0.0)}, frames={"hinge": "hinge", "edge": 14, "middle": 12},
        links=[fx.RigidLink("hinge", "left")],
    )  # fmt: skip
    table = build_table(body, Reduction(fx.Clamped("hinge"), "auto"))
    assert table.m == 10
    assert list(table.modes.kind) == ["normal"] * 4 + ["attachment"] * 6
    structure, shapes = supported(body, fx.Clamped("hinge")), nodal_shapes(body, table)
    loads = Loads(nodes={14: (0, 0, 1.0, 0.2, 0.3, 0)})
    q = np.linalg.solve(table.K, shapes.T @ load_vector(structure, loads))
    u = solve_static(structure, loads)
    assert np.abs(shapes @ q - u).max() < 1e-3 * np.abs(u).max()


def test_a_body_without_frames_has_ten_eigenmodes():
    table = build_table(beam(frames={}), Reduction(fx.Clamped("start"), "auto"))
    assert table.modes.kind == ("normal",) * 10


def test_what_was_chosen_is_said(caplog):
    s = fx.System("said")
    with caplog.at_level(logging.INFO, "flexnet"):
        s.flexible_body("rod", beam(), support=fx.Clamped("start"), modes="auto")
    assert "'rod': 4 eigenmodes" in caplog.text
    assert "6 shapes of loads on frames" in caplog.text
    assert "next eigenmode" in caplog.text


@pytest.mark.parametrize("method", ["craig_bampton", "full"])
def test_auto_chooses_the_method_too(method):
    with pytest.raises(ModelError, match="'auto', which chooses the method"):
        Reduction(fx.Clamped("start"), "auto", method=method)
    with pytest.raises(ModelError, match="'auto', which chooses the method"):
        fx.System("s").flexible_body("b", beam(), fx.Clamped("start"), modes="auto", method=method)
