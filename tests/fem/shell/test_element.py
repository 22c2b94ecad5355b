"""What must hold of one facet, whatever its shape and place."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexnet.errors import MeshError, ModelError
from flexnet.fem.mass_points import mass_matrix
from flexnet.fem.material import Material
from flexnet.fem.shell import (
    CORNERS,
    Orthotropic,
    ShellSection,
    body_load,
    generalised_strain,
    geometric_stiffness,
    mass_points,
    pressure_load,
    stiffness,
    traction_load,
)

STEEL = Material(E=2.0e11, nu=0.3, rho=7800.0)
PLY = Orthotropic(E1=140e9, E2=10e9, nu12=0.3, G12=5e9, rho=1600.0)
SECTIONS = {
    "steel": ShellSection.uniform(0.02, STEEL),
    "offset steel": ShellSection.uniform(0.02, STEEL, offset=0.03),
    "nearly incompressible": ShellSection.uniform(0.02, Material(E=1e9, nu=0.499, rho=1000.0)),
    "unsymmetric laminate": ShellSection.laminate(PLY, 0.005, [0.0, 0.4, np.pi / 2]),
}


@pytest.fixture(params=list(SECTIONS))
def section(request: pytest.FixtureRequest) -> ShellSection:
    return SECTIONS[request.param]


@pytest.fixture(scope="module")
def X() -> np.ndarray:
    """Twenty triangles of any shape in any plane, sliver-free."""
    rng = np.random.default_rng(4)
    flat = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.3, 0.8, 0.0]])
    flat = flat + np.concatenate([0.25 * rng.uniform(-1, 1, (20, 3, 2)), np.zeros((20, 3, 1))], axis=2)
    turn = Rotation.random(20, random_state=1).as_matrix()
    return np.einsum("eab,enb->ena", turn, flat) + rng.normal(size=(20, 1, 3))


def rigid_modes(X: np.ndarray) -> np.ndarray:
    """Six rigid motions of the nodes, (n_e, 18, 6)."""
    modes = np.zeros((len(X), 3, 6, 6))
    for a in range(3):
        axis = np.eye(3)[a]
        modes[:, :, a, a] = 1.0
        modes[:, :, :3, 3 + a] = np.cross(axis, X)
        modes[:, :, 3 + a, 3 + a] = 1.0
    return modes.reshape(-1, 18, 6)


def permuted(A: np.ndarray, order: list[int]) -> np.ndarray:
    """Renumber the nodes of element matrices."""
    f = (6 * np.array(order)[:, None] + np.arange(6)).ravel()
    return A[:, f][:, :, f]


def test_a_rigid_motion_is_strain_free(X, section):
    strain = np.stack(
        [generalised_strain(X, section, rigid_modes(X)[:, :, m], CORNERS) for m in range(6)], axis=-1
    )
    assert np.abs(strain).max() < 1e-13


def test_the_stiffness_has_exactly_six_zero_modes(X, section):
    K = stiffness(X, section)
    assert np.allclose(K, K.transpose(0, 2, 1), rtol=0, atol=1e-14 * np.abs(K).max())
    # scaled by its diagonal, so that a thin shell's bending is not lost beside its membrane
    scale = 1.0 / np.sqrt(np.einsum("eff->ef", K))
    eigenvalues = np.linalg.eigvalsh(scale[:, :, None] * K * scale[:, None, :])
    assert np.abs(eigenvalues[:, :6]).max() < 1e-12
    assert eigenvalues[:, 6].min() > 1e-6


def test_the_mass_points_carry_every_rigid_motion_exactly(X, section):
    points = mass_points(X, section)
    modes = rigid_modes(X)
    u = np.einsum("epaf,efm->epam", points.N, modes)
    expected = np.zeros_like(u)
    for a in range(3):
        expected[..., a, a] = 1.0
        expected[..., 3 + a] = np.cross(np.eye(3)[a], points.s)
    assert np.allclose(u, expected, atol=1e-13)


def test_the_mass_points_give_mass_centroid_and_inertia_of_the_prism(X):
    h = 0.2
    points = mass_points(X, ShellSection.uniform(h, STEEL))
    normal = np.cross(X[:, 1] - X[:, 0], X[:, 2] - X[:, 0])
    area = 0.5 * np.linalg.norm(normal, axis=1)
    n = normal / (2 * area)[:, None]
    m = STEEL.rho * h * area
    assert np.allclose(points.w.sum(axis=1), m, rtol=1e-13)
    assert np.allclose(np.einsum("ep,epa->ea", points.w, points.s), m[:, None] * X.mean(axis=1), rtol=1e-12)
    # ∫ s sᵀ over a triangle = A/12 (Σ x_i x_iᵀ + 9 c cᵀ), plus h²/12 through the thickness
    c = X.mean(axis=1)
    exact = np.einsum("eia,eib->eab", X, X) / 12 + 0.75 * np.einsum("ea,eb->eab", c, c)
    exact += h**2 / 12 * np.einsum("ea,eb->eab", n, n)
    second = np.einsum("ep,epa,epb->eab", points.w, points.s, points.s)
    assert np.allclose(second, m[:, None, None] * exact, rtol=1e-12, atol=1e-12 * m.max())


def test_the_mass_points_of_a_sandwich_keep_its_moments_of_density(X):
    foam, lead = Material(E=1e8, nu=0.3, rho=50.0), Material(E=1.6e10, nu=0.4, rho=11300.0)
    section = ShellSection(
        (*ShellSection.uniform(0.03, foam).plies, *ShellSection.uniform(0.002, lead).plies)
    )
    z, mass = section.mass_heights()
    bottom, joint, top = section.interfaces
    for power in range(3):
        p = power + 1
        exact = 50.0 * (joint**p - bottom**p) / p + 11300.0 * (top**p - joint**p) / p
        assert np.isclose((mass * z**power).sum(), exact, rtol=1e-12)
    assert np.isclose(
        mass_points(X, section).w.sum(axis=1)[0] / section.facets(X).area[0], section.mass_per_area
    )


def test_the_mass_matrix_is_symmetric_positive_and_sums_to_the_rigid_body(X, section):
    M = mass_matrix(mass_points(X, section))
    scale = 1.0 / np.sqrt(np.einsum("eff->ef", M))
    assert np.linalg.eigvalsh(scale[:, :, None] * M * scale[:, None, :]).min() > 1e-7
    rigid = np.einsum("efm,efg,egk->emk", rigid_modes(X), M, rigid_modes(X))
    m = section.mass_per_area * section.facets(X).area
    assert np.allclose(rigid[:, :3, :3], m[:, None, None] * np.eye(3), rtol=1e-12, atol=1e-12 * m.max())


@pytest.mark.parametrize("name", ["steel", "offset steel", "unsymmetric laminate"])
def test_matrices_do_not_depend_on_the_numbering(X, name):
    section, order = SECTIONS[name], [1, 2, 0]
    N = np.tile([3.0e5, -1.0e5, 2.0e5], (len(X), 1))
    for matrix in (
        lambda X: stiffness(X, section),
        lambda X: mass_matrix(mass_points(X, section)),
        lambda X: geometric_stiffness(X, section, N),
    ):
        A = matrix(X)
        assert np.allclose(matrix(X[:, order]), permuted(A, order), rtol=0, atol=1e-11 * np.abs(A).max())


def test_an_isotropic_facet_does_not_know_which_side_is_up(X):
    K, M = stiffness(X, SECTIONS["steel"]), mass_matrix(mass_points(X, SECTIONS["steel"]))
    flipped = [0, 2, 1]
    assert np.allclose(
        stiffness(X[:, flipped], SECTIONS["steel"]), permuted(K, flipped), atol=1e-11 * np.abs(K).max()
    )
    M_flipped = mass_matrix(mass_points(X[:, flipped], SECTIONS["steel"]))
    assert np.allclose(M_flipped, permuted(M, flipped), atol=1e-12 * np.abs(M).max())


def test_matrices_turn_with_the_body(X, section):
    turn = Rotation.from_rotvec([0.4, -1.1, 0.7]).as_matrix()
    turned = ShellSection(section.plies, tuple(turn @ np.array(section.axis)), section.offset)
    T = np.kron(np.eye(6), turn)
    N = np.tile([3.0e5, -1.0e5, 2.0e5], (len(X), 1))
    for matrix in (
        stiffness,
        lambda X, s: mass_matrix(mass_points(X, s)),
        lambda X, s: geometric_stiffness(X, s, N),
    ):
        A = matrix(X, section)
        assert np.allclose(matrix(X @ turn.T, turned), T @ A @ T.T, rtol=0, atol=1e-11 * np.abs(A).max())


def test_loads_have_the_resultant_and_moment_of_what_they_replace(X, section):
    g, modes, area = np.array([1.0, -2.0, 3.0]), rigid_modes(X), section.facets(X).area
    centroid, n = X.mean(axis=1), section.facets(X).R[:, 2]
    z, mass = section.mass_heights()
    weight = section.mass_per_area * area[:, None] * g
    arm = centroid + ((z * mass).sum() / mass.sum()) * n
    force, couple = area[:, None] * g, 2.5 * area[:, None] * n
    for load, F, r in (
        (body_load(X, section, g), weight, arm),
        (traction_load(X, g), force, centroid),
        (pressure_load(X, 2.5), couple, centroid),
    ):
        found = np.einsum("ef,efm->em", load, modes)
        assert np.allclose(found, np.hstack([F, np.cross(r, F)]), rtol=1e-11, atol=1e-11 * np.abs(F).max())


def test_the_geometric_stiffness_is_the_exact_work_of_a_linear_displacement(X):
    """With u = L x in the plane of each facet: ½qᵀK_G q = ½ A Σ N_ab L_ka L_kb, whatever the facet."""
    section = SECTIONS["steel"]
    facets = section.facets(X)
    rng = np.random.default_rng(0)
    L = rng.normal(size=(len(X), 3, 2))  # gradient of (u, v, w) by (x, y), facet axes
    q = np.zeros((len(X), 3, 2, 3))
    q[:, :, 0] = np.einsum("eka,ena->enk", L, np.stack([facets.x, facets.y], axis=-1))
    q[:, :, 1, 0], q[:, :, 1, 1] = L[:, None, 2, 1], -L[:, None, 2, 0]
    q[:, :, 1, 2] = 0.5 * (L[:, None, 1, 0] - L[:, None, 0, 1])
    q = q @ facets.R[:, None]  # to body axes
    q = q.reshape(-1, 18)
    N = rng.normal(size=(len(X), 3))
    force = np.stack([N[:, 0], N[:, 2], N[:, 2], N[:, 1]], axis=-1).reshape(-1, 2, 2)
    work = np.einsum("ef,efg,eg->e", q, geometric_stiffness(X, section, N), q)
    assert np.allclose(work, facets.area * np.einsum("eab,eka,ekb->e", force, L, L), rtol=1e-11)


def test_a_degenerate_triangle_is_named():
    X = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 0], [1, 1, 1], [2, 2, 2]]], dtype=float)
    with pytest.raises(MeshError, match="triangle 1 has no area"):
        stiffness(X, SECTIONS["steel"])


def test_a_laminate_axis_normal_to_a_facet_is_refused_and_an_isotropic_one_replaced():
    X = np.array([[[0, 0, 0], [0, 1, 0], [0, 0, 1]]], dtype=float)
    assert np.isfinite(stiffness(X, SECTIONS["steel"])).all()
    with pytest.raises(ModelError, match="normal to shell triangle 0"):
        stiffness(X, SECTIONS["unsymmetric laminate"])
