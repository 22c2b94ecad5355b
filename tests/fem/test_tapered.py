"""Tapered beams: a section for every element, of order two in its length."""

import numpy as np
import pytest
from scipy.integrate import quad

import flexnet as fx
from flexnet.errors import ModelError
from flexnet.fem import Loads, port_rows, recover, solve_static, supported

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
LENGTH = 1.2


def section(x):
    """A height that falls to a third."""
    return fx.rectangle(0.06 * (1.0 - x / 1.8), 0.03)


def cantilever(elements, **options):
    return fx.beam_body(LENGTH, elements, STEEL, section, **options)


def deflection(elements):
    body = cantilever(elements, shear=False)
    u = solve_static(supported(body, fx.Clamped("start")), Loads(nodes={"end": (0, 1000.0, 0, 0, 0, 0)}))
    return body, u


def test_the_end_deflects_as_the_integral_with_order_two():
    """W = ∫ F (L - x)²/EI dx."""
    exact = quad(lambda x: 1000.0 * (LENGTH - x) ** 2 / (STEEL.E * section(x).Iz), 0.0, LENGTH)[0]
    errors = []
    for n in (4, 8, 16):
        body, u = deflection(n)
        errors.append(abs(u.reshape(-1, 6)[body.mesh.find_node("end"), 1] / exact - 1.0))
    assert errors[2] < 4e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.1)


def test_section_forces_do_not_see_the_steps():
    body, u = deflection(4)
    for k in range(4):
        found = recover(body, u)[f"piece {k}"].forces[0, 0]
        arm = LENGTH - np.array([k, k + 1]) * LENGTH / 4
        assert np.allclose(found[:, 5], 1000.0 * arm, rtol=1e-8, atol=1e-6)


def bending_stress(x):
    """Largest of a section under 1000 N at the tip [Pa]."""
    return 1000.0 * (LENGTH - x) / section(x).Iz * 0.03 * (1.0 - x / 1.8)


@pytest.mark.parametrize("pieces", [1, 2])
def test_stresses_are_those_of_the_section_where_they_are_told(pieces):
    """At the nodes M/W and M/EI of the section there, with four elements, in fields and channels."""
    s = fx.System("tapered")
    body = cantilever(4)
    beam = s.flexible_body(
        "beam", body, fx.Clamped("start"), 1, "attachment", stiffening=False, pieces=pieces
    )
    s.weld("wall", s.ground, beam["start"])
    s.force("F", beam["end"], [0.0, 1000.0, 0.0])
    for k in range(4):
        s.channel(f"sigma {k}", fx.stress(beam, k, "sigma"), "Pa")
        s.channel(f"kz {k}", fx.strain(beam, k, "kz"), "1/m")
    rest = fx.equilibrium(s)
    run = fx.simulate(s, 1e-6, 1e-6, start=rest.equations.poses(rest.state))
    for k in range(4):
        exact = bending_stress(k * LENGTH / 4)
        assert run.channel(f"sigma {k}")[-1] == pytest.approx(exact, rel=1e-3)
        curvature = exact / STEEL.E / (0.03 * (1.0 - k * LENGTH / 4 / 1.8))
        assert run.channel(f"kz {k}")[-1] == pytest.approx(curvature, rel=1e-3)
    most = max(abs(p.value) for p in run.stress_peaks() if p.quantity == "sigma")
    assert most == pytest.approx(bending_stress(LENGTH / 2), rel=1e-3)


def test_a_step_has_the_stress_of_its_thinner_side_and_a_point_is_no_trouble():
    step = fx.beam_body(1.0, 4, STEEL, lambda x: fx.rectangle(0.02 if x < 0.5 else 0.04, 0.03), shear=False)
    u = solve_static(supported(step, fx.Clamped("start")), Loads(nodes={"end": (0, 100.0, 0, 0, 0, 0)}))
    found = recover(step, u)
    assert found["piece 1"].outer_stress()[0, 0, 1] == pytest.approx(50.0 / (0.02**2 * 0.03 / 6), rel=1e-6)
    assert found["piece 2"].outer_stress()[0, 0, 0] == pytest.approx(50.0 / (0.04**2 * 0.03 / 6), rel=1e-6)
    pointed = fx.beam_body(1.0, 4, STEEL, lambda x: fx.circle(0.02 * (1.0 - x)))
    u = solve_static(supported(pointed, fx.Clamped("start")), Loads(nodes={"end": (0, 1e-3, 0, 0, 0, 0)}))
    assert all(np.isfinite(one.outer_stress()).all() for one in recover(pointed, u).values())


def test_a_force_is_spread_over_all_pieces_by_their_length():
    body = cantilever(4, frames={"span": fx.Spread("beam")})
    port = port_rows(body, "span")
    assert port.position == pytest.approx([LENGTH / 2, 0.0, 0.0], abs=1e-12)
    middle = port.rows[1].reshape(-1, 6)[:, 1]
    assert middle.sum() == pytest.approx(1.0)


def test_what_is_no_section_is_named_with_its_place():
    with pytest.raises(ModelError, match=r"at 0\.15 m is 0\.03; expected a BeamSection"):
        fx.beam_body(LENGTH, 4, STEEL, lambda x: 0.03)
