"""Theorems of the beam element: rigid motions, exactness, limits, invariance."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexnet.errors import MeshError, ModelError
from flexnet.fem.beam import BeamRegion, BeamSection, RodSection
from flexnet.fem.beam.frame import beam_axes
from flexnet.fem.body import Body
from flexnet.fem.links import arm_matrix
from flexnet.fem.mass_points import mass_matrix
from flexnet.fem.material import Material
from flexnet.fem.modes import natural_modes
from flexnet.fem.statics import Loads, solve_static
from flexnet.fem.structure import supported
from flexnet.fem.supports import Clamped, Held
from flexnet.mesh import beam_mesh

STEEL = Material(E=210e9, nu=0.3, rho=7850.0)
FLAT = BeamSection(A=1.5e-3, Iy=3e-7, Iz=1e-7, J=2.5e-7, ky=0.85, kz=0.8)
COUPLED = RodSection(
    np.diag([9.0, 4.0, 3.0, 2.0, 5.0, 7.0]) + 0.3 * (1 - np.eye(6)), 1.0, np.array([2.0, 1.0, 1.0])
)
X = np.array([[[0.1, -0.2, 0.3], [0.5, 0.4, 0.6]], [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]]])

points = st.tuples(*[st.floats(-2, 2)] * 3)


def region(**options):
    return BeamRegion("beam", STEEL, FLAT, **options)


@pytest.mark.parametrize(
    "options", [{}, {"offset": (0.02, -0.05), "orientation": (1, 2, 3)}, {"shear": False}]
)
def test_a_rigid_motion_leaves_no_force_and_the_rest_is_positive(options):
    K = region(**options).stiffness(X)
    rigid = arm_matrix(X.reshape(-1, 3)).reshape(2, 12, 6)
    assert np.abs(K @ rigid).max() < 1e-9 * np.abs(K).max()
    for k in K:
        scale = np.tile(np.repeat([1.0, 0.1], 3), 2)
        values = np.linalg.eigvalsh(k * scale * scale[:, None])
        assert (np.abs(values[:6]) < 1e-9 * values[-1]).all()
        assert values[6] > 1e-7 * values[-1]


@settings(max_examples=40, deadline=None)
@given(points, points, st.tuples(st.floats(-0.3, 0.3), st.floats(-0.3, 0.3)))
def test_the_mass_of_any_beam_is_that_of_a_rigid_body(a, b, offset):
    ends = np.array([[a, b]])
    L = np.linalg.norm(ends[0, 1] - ends[0, 0])
    if L < 0.1:
        return
    r = region(offset=offset)
    M = mass_matrix(r.mass_points(ends))[0]
    R = beam_axes(ends, None)[0]
    m = STEEL.rho * FLAT.A * L
    centre = ends[0].mean(axis=0) + np.array([0, *offset]) @ R
    local = STEEL.rho * L * np.diag([FLAT.Iy + FLAT.Iz, FLAT.Iy, FLAT.Iz])
    local += np.diag([0, 1, 1]) * m * L**2 / 12
    J = R.T @ local @ R + m * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    tilde = np.cross(np.eye(3), centre)
    expected = np.block([[m * np.eye(3), -m * tilde], [m * tilde, J]])
    rigid = arm_matrix(ends[0]).reshape(12, 6)
    assert np.allclose(rigid.T @ M @ rigid, expected, atol=1e-11 * m * (1 + centre @ centre + L**2))


def test_thin_limit_is_the_classical_matrix():
    L = 0.7
    ends = np.array([[[0, 0, 0], [L, 0, 0]]], dtype=float)
    r = region(shear=False, rotary_inertia=False)
    plane = [1, 5, 7, 11]
    m = STEEL.rho * FLAT.A * L / 420
    classical_M = m * np.array(
        [
            [156, 22 * L, 54, -13 * L],
            [22 * L, 4 * L**2, 13 * L, -3 * L**2],
            [54, 13 * L, 156, -22 * L],
            [-13 * L, -3 * L**2, -22 * L, 4 * L**2],
        ]
    )
    EI = STEEL.E * FLAT.Iz
    classical_K = (
        EI
        / L**3
        * np.array(
            [
                [12, 6 * L, -12, 6 * L],
                [6 * L, 4 * L**2, -6 * L, 2 * L**2],
                [-12, -6 * L, 12, -6 * L],
                [6 * L, 2 * L**2, -6 * L, 4 * L**2],
            ]
        )
    )
    assert np.allclose(mass_matrix(r.mass_points(ends))[0][np.ix_(plane, plane)], classical_M, rtol=1e-13)
    assert np.allclose(r.stiffness(ends)[0][np.ix_(plane, plane)], classical_K, rtol=1e-13)


def test_stiffness_is_the_energy_of_the_interpolation():
    """K = ∫ eᵀF⁻¹e of the strains of eqs (1), (2), by quadrature, for a section that couples everything."""
    from flexnet.fem.beam.element import beam_constants, line_interpolation, line_slopes, local_stiffness

    L = np.array([0.4])
    c = beam_constants(None, COUPLED)
    x, w = np.polynomial.legendre.leggauss(5)
    xi, w = 0.5 * (x + 1), 0.5 * w * L
    e = line_slopes(xi, L, c)[0]
    theta = line_interpolation(xi, L, c)[0, :, 3:]
    e[:, 1] -= theta[:, 2]  # Γ = u' - θ × e₁
    e[:, 2] += theta[:, 1]
    K = np.einsum("g,gai,ab,gbj->ij", w, e, COUPLED.stiffness, e)
    assert np.allclose(K, local_stiffness(L, c)[0], rtol=1e-11, atol=1e-9 * np.abs(K).max())


def tip_deflection(elements, section, L=1.0, **options):
    body = Body(beam_mesh(L, elements), [BeamRegion("beam", STEEL, section, **options)])
    u = solve_static(supported(body, Clamped("start")), Loads({"end": [0, 1000.0, 0, 0, 0, 0]}))
    return u[-5]


@pytest.mark.parametrize("elements", [1, 3])
@pytest.mark.parametrize("L", [0.02, 0.2, 1.0, 50.0])
def test_timoshenko_cantilever_is_exact_at_the_nodes_with_any_number_of_elements(square, elements, L):
    EI, kGA = STEEL.E * square.Iz, 5 / 6 * STEEL.G * square.A
    exact = 1000 * L**3 / (3 * EI) + 1000 * L / kGA
    assert tip_deflection(elements, square, L) == pytest.approx(exact, rel=1e-9)


def test_the_number_of_the_notes(square):
    assert tip_deflection(1, square) == pytest.approx(1.9196190476e-4, rel=1e-10)
    assert tip_deflection(1, square, shear=False) == pytest.approx(
        1000 / (3 * STEEL.E * square.Iz), rel=1e-12
    )


def frequencies(elements, section, number, L=1.0):
    body = Body(beam_mesh(L, elements), [BeamRegion("beam", STEEL, section)])
    return natural_modes(supported(body, Clamped("start")), number).frequency


CONVERGENCE = {  # notes, section 4.1: bending frequencies [Hz] of the clamped-free beam, L = 1 m
    1: (83.3518, 798.06),
    2: (82.9587, 503.80),
    4: (82.9037, 498.648, 1335.88),
    8: (82.8962, 497.203, 1313.54),
    16: (82.8948, 496.907, 1308.34),
}


@pytest.mark.parametrize("elements", CONVERGENCE)
def test_frequencies_follow_the_convergence_table(square, elements):
    found = frequencies(elements, square, min(6 * elements, 8))
    for expected in CONVERGENCE[elements]:
        distance = np.sort(np.abs(found - expected))
        assert (distance[:2] < 1e-5 * expected).all()  # once in each plane


def test_frequencies_converge_to_timoshenkos_exact_ones(square):
    exact = np.repeat([82.894363, 496.814532], 2)
    error = [np.abs(frequencies(n, square, 4) / exact - 1).max() for n in (4, 8, 16)]
    assert error[2] < 2e-4
    assert all(coarse / fine > 3.5 for coarse, fine in pairwise(error))


def test_euler_bernoulli_frequencies_in_the_thin_limit():
    thin = BeamSection(A=1e-6, Iy=1e-12 / 12, Iz=1e-12 / 12)
    found = frequencies(16, thin, 6)
    scale = np.sqrt(STEEL.E * thin.Iz / (STEEL.rho * thin.A)) / (2 * np.pi)
    beta = np.repeat([1.87510407, 4.69409113, 7.85475744], 2)
    assert np.allclose(found, beta**2 * scale, rtol=1e-4)


@pytest.mark.parametrize("supports", ["SS", "CC"])
def test_simply_supported_and_clamped_clamped_frequencies(square, supports):
    body = Body(beam_mesh(1.0, 32), [BeamRegion("beam", STEEL, square)])
    held = {
        "SS": [Held("start", "x y z rx"), Held("end", "y z")],
        "CC": [Clamped("start"), Clamped("end")],
    }[supports]
    exact = {"SS": (230.680407, 881.522233), "CC": (498.367105, 1277.193392)}[supports]
    found = natural_modes(supported(body, held), 8).frequency
    for value in exact:
        assert (np.sort(np.abs(found / value - 1))[:2] < 1e-3).all()


def test_rotated_and_reversed_beams_give_the_same_frequencies(flat, rotation):
    base = beam_mesh(1.0, 6)
    straight = Body(base, [BeamRegion("beam", STEEL, flat, orientation=(0, 1, 0))])
    turned_axis = tuple(rotation @ [0, 1, 0])
    moved = Body(base.moved(rotation, (1, 2, 3)), [BeamRegion("beam", STEEL, flat, orientation=turned_axis)])
    reversed_mesh = type(base)(
        base.nodes, base.lines[:, ::-1], node_groups=base.node_groups, line_groups=base.line_groups
    )
    backwards = Body(reversed_mesh, [BeamRegion("beam", STEEL, flat, orientation=(0, 1, 0))])
    reference = natural_modes(supported(straight, Clamped("start")), 8).frequency
    for body in (moved, backwards):
        assert np.allclose(
            natural_modes(supported(body, Clamped("start")), 8).frequency, reference, rtol=1e-9
        )


def test_an_offset_beam_is_the_same_beam_seen_from_other_nodes(flat):
    offset = (0.04, -0.07)
    on_axis = Body(
        beam_mesh(1.0, 4).moved(r=(0, *offset)), [BeamRegion("beam", STEEL, flat, orientation=(0, 1, 0))]
    )
    carried = Body(beam_mesh(1.0, 4), [BeamRegion("beam", STEEL, flat, orientation=(0, 1, 0), offset=offset)])
    a, b = (natural_modes(supported(x, Clamped("start")), 8).frequency for x in (on_axis, carried))
    assert np.allclose(a, b, rtol=1e-9)


def test_default_axes_put_the_section_z_axis_near_the_body_z_axis():
    ends = np.array([[[0, 0, 0], [1, 1, 0]], [[0, 0, 0], [0, 0, 2]], [[0, 0, 0], [-1, 0, 1]]], dtype=float)
    R = beam_axes(ends, None)
    assert np.allclose(R @ R.transpose(0, 2, 1), np.eye(3))
    assert np.allclose(np.linalg.det(R), 1)
    assert np.allclose(R[0, 2], [0, 0, 1])
    assert np.allclose(R[1, 1], [0, 1, 0])
    assert R[2, 2, 2] > 0.7


def test_an_orientation_parallel_to_the_beam_is_refused(flat):
    body = Body(beam_mesh(1.0, 2), [BeamRegion("beam", STEEL, flat, orientation=(2, 0, 0))])
    with pytest.raises(MeshError, match=r"orientation .* is parallel to line 0"):
        supported(body, Clamped("start"))
    with pytest.raises(ModelError, match="is not a direction"):
        BeamRegion("beam", STEEL, flat, orientation=(0, 0, 0))
    with pytest.raises(ModelError, match=r"offset.*\(0, 0, 0\)"):
        BeamRegion("beam", STEEL, flat, offset=(0, 0, 0))


def test_linear_and_lumped_inertia_keep_mass_and_centre():
    for make in ("linear_mass_points", "lumped_mass_points"):
        p = getattr(region(offset=(0.1, 0.2)), make)(X)
        exact = region(offset=(0.1, 0.2)).mass_points(X)
        assert p.w.sum() == pytest.approx(exact.w.sum())
        assert np.allclose(
            (p.w[..., None] * p.s).sum(axis=(0, 1)), (exact.w[..., None] * exact.s).sum(axis=(0, 1))
        )
        rigid = arm_matrix(X.reshape(-1, 3)).reshape(2, 12, 6)
        moved = np.einsum("epij,ejk->epik", p.N, rigid)
        assert np.allclose(moved, arm_matrix(p.s.reshape(-1, 3))[:, :3].reshape(2, -1, 3, 6))


def test_linear_inertia_is_the_mass_of_a_bar():
    M = mass_matrix(region().linear_mass_points(X[1:]))[0]
    m = STEEL.rho * FLAT.A * 2.0
    assert np.allclose(M[np.ix_([0, 6], [0, 6])], m / 6 * np.array([[2, 1], [1, 2]]))
    assert np.count_nonzero(np.abs(M[3:6]).max(axis=1)) == 0
