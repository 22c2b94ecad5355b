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


def test_a_force_is_spread_over_all_pieces_by_their_length():
    body = cantilever(4, frames={"span": fx.Spread("beam")})
    port = port_rows(body, "span")
    assert port.position == pytest.approx([LENGTH / 2, 0.0, 0.0], abs=1e-12)
    middle = port.rows[1].reshape(-1, 6)[:, 1]
    assert middle.sum() == pytest.approx(1.0)


def test_what_is_no_section_is_named_with_its_place():
    with pytest.raises(ModelError, match=r"at 0\.15 m is 0\.03; expected a BeamSection"):
        fx.beam_body(LENGTH, 4, STEEL, lambda x: 0.03)
