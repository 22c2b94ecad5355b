"""Damping of flexible bodies: by material, by Rayleigh, by ratios of modes."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ModelError
from flexnet.fem import Reduction, build_table, stress_modes
from tests.flexible.test_mode_acceleration import at_rest

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)


def table(damping=None, method="eigenmodes", modes=5, eta=0.0):
    material = fx.Material(E=2.1e11, nu=0.3, rho=7800.0, eta=eta)
    body = fx.beam_body(1.0, 6, material, fx.rectangle(0.05, 0.03), damping=damping)
    return body, build_table(body, Reduction(fx.Clamped("start"), modes, method=method))


@pytest.mark.parametrize("method", ["eigenmodes", "attachment", "craig_bampton"])
def test_ratios_are_those_of_the_complex_eigenvalues(method):
    """Coordinates are orthonormal in mass and diagonal in stiffness: every one is damped alone."""
    found = table(fx.ModalDamping(0.03), method)[1]
    m = found.m
    A = np.block([[np.zeros((m, m)), np.eye(m)], [-found.K, -found.C]])
    value = np.linalg.eigvals(A)
    assert np.allclose(-value.real / np.abs(value), 0.03, rtol=1e-6)
    assert np.allclose(found.damping_ratios, 0.03, rtol=1e-9)


def test_a_table_gives_the_ratio_at_the_frequency_of_each_mode():
    plain = table()[1]
    f = plain.modes.frequency
    given = fx.ModalDamping([0.01, 0.05], [f[0], f[2]])
    found = table(given)[1].damping_ratios
    expected = [0.01, 0.01 + 0.04 * (f[1] - f[0]) / (f[2] - f[0]), 0.05, 0.05, 0.05]
    assert np.allclose(found, expected, rtol=1e-9)


def test_the_mode_table_tells_what_was_used_whatever_it_came_from():
    eta = 1e-6
    _, kelvin = table(eta=eta)
    assert np.allclose(kelvin.damping_ratios, eta * np.pi * kelvin.modes.frequency, rtol=1e-9)
    f = kelvin.modes.frequency
    rayleigh = table(fx.Rayleigh.through((f[0], 0.02), (f[2], 0.03)))[1]
    assert np.allclose(rayleigh.damping_ratios[[0, 2]], [0.02, 0.03], rtol=1e-8)
    assert "damping [%]" in rayleigh.mode_text()
    assert " 2" in rayleigh.mode_text().splitlines()[1][-4:]


def test_a_struck_beam_dies_out_by_its_ratio():
    s = fx.System("bell")
    body = fx.beam_body(1.0, 6, STEEL, fx.rectangle(0.05, 0.03), damping=fx.ModalDamping(0.05))
    beam = s.flexible_body("beam", body, support=fx.Clamped("start"), modes=[2])
    s.weld("hub", s.ground, beam["start"])
    s.force("strike", beam["end"], [0, 1000.0, 0])
    s.channel("tip", fx.deflection(beam, "end", "y"))
    run = fx.simulate(s, 0.015, 2e-5, method=fx.generalised_alpha(1.0))
    found = s.components["beam"].table
    static = 1000.0 * found.frames.translation[1, 1, 0] ** 2 / found.K[0, 0]
    overshoot = run.channel("tip").max() / static - 1.0
    assert overshoot == pytest.approx(np.exp(-np.pi * 0.05 / np.sqrt(1 - 0.05**2)), rel=2e-3)


def test_damping_forces_of_ratios_are_in_the_balance_of_stresses():
    """M Φ C q̇ over all freedoms: of eigenmodes the residual flexibility takes none of it."""
    body, found = table(fx.ModalDamping(0.2))
    modes = stress_modes(body, found, fx.Clamped("start"))
    still = at_rest(np.zeros(5))
    moving = type(still)(
        still.q, np.ones((1, 5)), still.a, still.acceleration, still.omega, still.alpha, still.loads
    )
    size = np.abs(modes.groups["beam"].forces).max()
    assert np.abs(modes.recover(moving)["beam"].forces).max() < 1e-8 * size


def test_what_is_no_damping_is_refused_in_a_sentence():
    with pytest.raises(ModelError, match="must be finite and not negative"):
        fx.ModalDamping(-0.1)
    with pytest.raises(ModelError, match="2 ratios for 0 frequencies"):
        fx.ModalDamping([0.1, 0.2])
    with pytest.raises(ModelError, match="must increase"):
        fx.ModalDamping([0.1, 0.2], [5.0, 5.0])
    with pytest.raises(ModelError, match="must not be negative"):
        fx.Rayleigh.through((1.0, 0.5), (10.0, 0.0))
    with pytest.raises(ModelError, match="ModalDamping needs modes"):
        table(fx.ModalDamping(0.1), "full", None)


SUPPORTS = {"clamped": fx.Clamped("start"), "chord": fx.Pinned("start", "end"), "end": fx.Clamped("end")}


def arm(damping, support, joint, method="full", modes=None):
    s = fx.System("arm", planar=True)
    body = fx.beam_body(1.0, 4, STEEL, fx.rectangle(0.01, 0.03), damping=damping)
    link = s.flexible_body("link", body, support=SUPPORTS[support], method=method, modes=modes)
    getattr(s, joint)("O", s.ground, link["start"])
    return s


def ratios(system):
    """Frequencies [Hz] and ratios of the first two modes that swing."""
    modes = [m for m in fx.linearise(fx.formulate(system)).modes if m.frequency > 1.0]
    return np.array([(m.frequency, m.damping_ratio) for m in modes[:2]])


def test_strains_are_damped_alike_from_every_support_and_nobody_warns():
    found = [ratios(arm(fx.Rayleigh(beta=1e-5), support, "revolute")) for support in SUPPORTS]
    assert np.allclose(found, found[0], rtol=1e-8)
    assert not arm(fx.Rayleigh(beta=1e-5), "clamped", "revolute").warnings


def test_damping_by_mass_or_ratios_is_that_of_the_support_and_a_mechanism_that_holds_otherwise_is_told():
    held = arm(fx.Rayleigh(alpha=5.0), "clamped", "weld")
    assert not held.warnings
    (f, zeta), _ = ratios(held)
    assert zeta == pytest.approx(5.0 * np.sqrt(1 - zeta**2) / (4.0 * np.pi * f), rel=1e-8)  # α/2ω₀
    for support in SUPPORTS:
        (told,) = arm(fx.Rayleigh(alpha=5.0), support, "revolute").warnings
        assert told.startswith("the damping of flexible body 'link' by its mass is that of the body held by")
    (told,) = arm(fx.ModalDamping(0.02), "clamped", "revolute", "eigenmodes", 2).warnings
    assert "by ratios" in told
