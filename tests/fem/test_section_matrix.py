"""Beams whose section is a (6, 6) matrix: coupled as in closed form, the old beam where nothing couples."""

import logging

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ModelError
from flexnet.fem import Loads, natural_modes, recover, solve_static, supported

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
FLAT = fx.rectangle(0.06, 0.02)
L = 1.3


def coupled(**options):
    """Stretch with twist, bending with twist, shear with bending; positive definite."""
    made = fx.RodSection.of(STEEL, FLAT)
    K = made.stiffness.copy()
    for i, j, share in ((0, 3, 0.2), (3, 5, 0.4), (3, 4, -0.15), (1, 5, 0.1), (0, 4, 0.3)):
        K[i, j] = K[j, i] = share * np.sqrt(K[i, i] * K[j, j])
    return fx.RodSection(K, made.mass, made.inertia, **options)


def tip(section, load, elements=1, material=None):
    body = fx.beam_body(L, elements, material, section)
    u = solve_static(supported(body, fx.Clamped("start")), Loads(nodes={"end": load}))
    return body, u.reshape(-1, 6)


def test_a_matrix_without_coupling_is_the_beam_of_its_material():
    X = np.array([[[0.1, -0.2, 0.3], [0.5, 0.4, 0.6]]])
    one = fx.BeamRegion("g", STEEL, FLAT, offset=(0.01, 0.02))
    two = fx.BeamRegion("g", None, fx.RodSection.of(STEEL, FLAT), offset=(0.01, 0.02))
    assert np.allclose(one.stiffness(X), two.stiffness(X), rtol=1e-12)
    assert np.allclose(one.geometric_basis(X), two.geometric_basis(X), rtol=1e-12, atol=1e-14)
    M = [np.einsum("ep,epai,epaj->eij", p.w, p.N, p.N) for p in (one.mass_points(X), two.mass_points(X))]
    assert np.allclose(*M, rtol=1e-12, atol=1e-14)
    assert two.retardation == 0.0


@pytest.mark.parametrize("elements", [1, 3])
def test_a_coupled_cantilever_moves_as_in_closed_form(elements):
    """With strains F s and s(x) = (n, m + (L - x) e₁ × n): d = L F p + L²/2 (…) + L³/3 (…), written out."""
    F = coupled().flexibility
    P = 40.0
    _, u = tip(coupled(), (0, P, 0, 0, 0, 0), elements)
    # Mz = P (L - x), Vy = P; θ = ∫κ, v = ∫(Γy + θz)
    twist = F[3, 5] * P * L**2 / 2 + F[3, 1] * P * L
    slope = F[5, 5] * P * L**2 / 2 + F[5, 1] * P * L
    v = F[1, 1] * P * L + (F[1, 5] + F[5, 1]) * P * L**2 / 2 + F[5, 5] * P * L**3 / 3
    stretch = F[0, 5] * P * L**2 / 2 + F[0, 1] * P * L
    assert u[-1, [3, 5, 1, 0]] == pytest.approx([twist, slope, v, stretch], rel=1e-9)
    assert abs(twist) > 0.1 * abs(slope)
    _, u = tip(coupled(), (0, 0, 0, 7.0, 0, 0), elements)
    assert u[-1, 3] == pytest.approx(F[3, 3] * 7.0 * L, rel=1e-9)
    assert u[-1, 1] == pytest.approx(7.0 * (F[5, 3] * L**2 / 2 + F[1, 3] * L), rel=1e-9)


def test_section_forces_of_a_coupled_beam_are_those_of_statics():
    body, u = tip(coupled(), (3.0, 40.0, -20.0, 1.0, 2.0, 0.5), 3)
    found = recover(body, u.reshape(-1))["beam"].forces[0]
    arm = L - np.array([[k, k + 1] for k in range(3)]) * L / 3
    exact = np.stack([0 * arm + 3.0, 0 * arm + 40.0, 0 * arm - 20.0, 0 * arm + 1.0,
                      2.0 + 20.0 * arm, 0.5 + 40.0 * arm], axis=-1)  # fmt: skip
    assert np.allclose(found, exact, rtol=1e-8, atol=1e-8)


def test_turned_axes_of_a_section_change_nothing():
    """A flat section, its axes turned by 0.4 in the matrix or in the mesh: products of inertia included."""
    made, a = fx.RodSection.of(STEEL, FLAT), 0.4
    c, s = np.cos(a), np.sin(a)
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    both = np.kron(np.eye(2), turn)
    turned = fx.RodSection(both @ made.stiffness @ both.T, made.mass, turn @ made.inertia @ turn.T)
    mesh = fx.beam_body(L, 4, STEEL, FLAT).mesh
    regions = [
        fx.BeamRegion("beam", None, turned),
        fx.BeamRegion("beam", STEEL, FLAT, orientation=(0.0, c, s)),
    ]
    found = [
        natural_modes(supported(fx.mesh_body(mesh, [one]), fx.Clamped("start")), 6).frequency
        for one in regions
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-9)
    assert turned.mass_spread()[0, 1] != 0.0


def test_a_coupled_body_twists_in_motion_and_its_stress_is_a_signal(caplog):
    """A blade that bends and twists, accelerated sideways: the root torque is what balance says, none."""
    section = coupled(stress=FLAT.stress_rows())
    s = fx.System("blade")
    blade = s.flexible_body("blade", fx.beam_body(L, 4, None, section), fx.Clamped("start"), modes=4)
    s.prismatic("rail", s.ground, blade["start"], axis="y")
    s.motion("drive", joint="rail", displacement=fx.polynomial(0.0, 0.0, 5.0))
    s.channel("moment", fx.stress(blade, "start", "Mz"), "N*m")
    s.channel("sigma", fx.stress(blade, "start", "sigma"), "Pa")
    s.channel("twist", fx.angular_velocity(blade["end"], "x"), "rad/s")
    run = fx.simulate(s, 0.02, 1e-4)
    assert np.abs(run.channel("twist")).max() > 1e-3
    forces = run.stress("blade")["beam"]
    assert run.channel("sigma") == pytest.approx(
        np.abs(forces.forces[:, 0, 0] @ section.stress.T).max(axis=1), rel=1e-6, abs=1.0
    )
    assert any(p.quantity == "sigma" for p in run.stress_peaks())
    with caplog.at_level(logging.WARNING):
        bare = recover(fx.beam_body(L, 1, None, coupled()), np.zeros(12))["beam"]
        assert not bare.corner_stress().any()
    assert "without rows of stress" in caplog.text
    assert "sigma" not in [name for name, _, _ in bare.quantities()]


def test_bad_sections_are_named():
    made = fx.RodSection.of(STEEL, FLAT)
    with pytest.raises(ModelError, match="takes None as material"):
        fx.BeamRegion("g", STEEL, made)
    with pytest.raises(ModelError, match="needs a material"):
        fx.BeamRegion("g", None, FLAT)
    with pytest.raises(ModelError, match="masses in a section"):
        fx.BeamRegion("g", None, fx.RodSection(made.stiffness, made.mass, np.array([5.0, 1.0, 1.0])))
    with pytest.raises(ModelError, match=r"rows of stress are \(1, 5\)"):
        fx.RodSection(made.stiffness, made.mass, made.inertia, stress=np.ones(5))
    with pytest.raises(ModelError, match="rows of stress as well"):
        recover(fx.beam_body(L, 1, None, made), np.zeros(12))["beam"].outer_stress()


def test_a_coupled_section_of_micrometres_is_one():
    """EI is 1e-14 of EA there, below the round-off of an eigenvalue of both."""
    made = coupled()
    unit = np.array([1.0, 1.0, 1.0, 1e-6, 1e-6, 1e-6])
    small = fx.RodSection(made.stiffness * np.outer(unit, unit), made.mass, 1e-12 * made.inertia)
    size = np.sqrt(np.outer(np.diag(made.flexibility), np.diag(made.flexibility)))
    found = small.flexibility * np.outer(unit, unit)
    assert np.allclose(found / size, made.flexibility / size, atol=1e-9)
    K = made.stiffness.copy()
    K[0, 3] = K[3, 0] = 1.1 * np.sqrt(K[0, 0] * K[3, 3])
    with pytest.raises(ModelError, match="stiffness must be positive definite"):
        fx.RodSection(K, made.mass, made.inertia)
