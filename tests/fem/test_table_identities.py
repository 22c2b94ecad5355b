"""Every tensor of a table against brute-force quadrature over the volume of a randomly deformed body."""

import numpy as np
import pytest

from flexnet.fem.beam import BeamRegion, rectangle
from flexnet.fem.beam.frame import beam_axes
from flexnet.fem.body import Body, freedoms
from flexnet.fem.inertia_tensors import inertia_tensors
from flexnet.fem.invariants import adams_invariants
from flexnet.fem.links import RigidLink
from flexnet.fem.material import Material
from flexnet.fem.point_mass import PointMass
from flexnet.fem.reduction import Reduction
from flexnet.fem.structure import rigid_motions
from flexnet.fem.supports import Clamped, Free, Pinned
from flexnet.fem.table_builder import TableOptions, build_table
from flexnet.mesh import polyline_mesh

STEEL = Material(E=210e9, nu=0.3, rho=7850.0, eta=1e-6)
B, H = 0.08, 0.05  # section sides along y and z
OFFSET = (0.02, -0.03)
TOL = 1e-10


def frame_body():
    mesh = polyline_mesh([[0.2, 0.1, 0], [1, 0.3, 0.2], [1.2, 1, 0.9]], [3, 2]).with_nodes(
        [1.3, 1, 1.2], "tool"
    )
    return Body(
        mesh,
        [BeamRegion("beam", STEEL, rectangle(B, H), offset=OFFSET)],
        links=[RigidLink("end", "tool")],
        masses=[PointMass("tool", 2.0, (0.01, 0.02, 0.025), (0.0, 0.1, 0.0))],
        frames={"A": "start", "B": "tool"},
    )


def line_motion(x, L, q, Phi):
    """Motion of the centroid line, written out from the equations of the theory page."""
    xi = x / L
    u, tx = (1 - xi) * q[0] + xi * q[6], (1 - xi) * q[3] + xi * q[9]
    out = []
    for w1, b1, w2, b2, f in ((q[1], q[5], q[7], q[11], Phi[0]), (q[2], -q[4], q[8], -q[10], Phi[1])):
        alpha = 1.5 / (1 + f) * ((w2 - w1) / L - (b1 + b2) / 2)
        w = w1 + L * (
            (xi - xi**2 / 2) * b1 + xi**2 / 2 * b2 + (2 * xi**2 - 4 / 3 * xi**3 + 2 / 3 * f * xi) * alpha
        )
        out.append((w, (1 - xi) * b1 + xi * b2 + 4 * xi * (1 - xi) * alpha))
    (v, tz), (w, minus_ty) = out
    return np.array([u, v, w]), np.array([tx, -minus_ty, tz])


def volume_points(body, shapes):
    """Mass, position and displacement matrix of very many points of the solid."""
    section = body.regions[0].section
    g5, w5 = np.polynomial.legendre.leggauss(5)
    g2, w2 = np.polynomial.legendre.leggauss(3)
    for cells in body.elements(body.regions[0]):
        X = body.mesh.nodes[cells]
        R = beam_axes(X[None], None)[0]
        L = np.linalg.norm(X[1] - X[0])
        Phi = [12 * STEEL.E * I / (k * STEEL.G * section.A * L**2) for I, k in
               ((section.Iz, section.ky), (section.Iy, section.kz))]  # fmt: skip
        arm = R.T @ [0, *OFFSET]
        local = []
        for column in shapes[freedoms(cells[None])[0]].T:
            ends = column.reshape(2, 2, 3)
            local.append(np.concatenate([v for u, t in ends for v in (R @ (u + np.cross(t, arm)), R @ t)]))
        for gx, wx in zip(g5, w5, strict=True):
            x = 0.5 * L * (1 + gx)
            line = [line_motion(x, L, q, Phi) for q in local]
            for gy, wy in zip(g2, w2, strict=True):
                for gz, wz in zip(g2, w2, strict=True):
                    y, z = 0.5 * B * gy, 0.5 * H * gz
                    N = np.array([R.T @ (u + np.cross(t, [0, y, z])) for u, t in line]).T
                    yield STEEL.rho * L * B * H * wx * wy * wz / 8, X[0] + R.T @ [x, y, z] + arm, N
    for mass in body.masses:
        node = body.mesh.find_node(mass.node)
        J = np.asarray(mass.inertia).reshape(3, 3)
        second = np.diag(0.5 * np.trace(J) - np.diag(J))
        for axis in range(3):
            for sign in (-1, 1):
                r = (
                    np.array(mass.offset)
                    + sign * np.sqrt(3 * second[axis, axis] / mass.mass) * np.eye(3)[axis]
                )
                rows = shapes[6 * node : 6 * node + 6]
                yield mass.mass / 6, body.mesh.nodes[node] + r, rows[:3] + np.cross(rows[3:].T, r).T


@pytest.fixture(scope="module")
def case():
    body = frame_body()
    table = build_table(body, Reduction(Clamped("start"), 4, method="attachment"))
    shapes = np.concatenate([table.output.translation, table.output.rotation], axis=1).reshape(-1, table.m)
    w, s, N = map(np.array, zip(*volume_points(body, shapes), strict=True))
    return body, table, shapes, w, s, N


def close(a, b):
    assert np.abs(a - b).max() <= TOL * np.abs(b).max()


def test_mass_and_moments(case):
    _, table, _, w, s, _ = case
    t = table.inertia
    assert t.mass == pytest.approx(w.sum(), rel=TOL)
    close(t.s1, w @ s)
    close(t.s2, np.einsum("p,pa,pb->ab", w, s, s))


def test_first_moments_of_the_shapes(case):
    _, table, _, w, s, N = case
    close(table.inertia.N1, np.einsum("p,paj->aj", w, N))
    close(table.inertia.sN, np.einsum("p,pa,pbj->abj", w, s, N))


def test_second_moments_of_the_shapes_and_their_symmetry(case):
    _, table, _, w, _, N = case
    NN = table.inertia.NN
    close(NN, np.einsum("p,pai,pbj->abij", w, N, N))
    assert np.array_equal(NN, NN.transpose(1, 0, 3, 2))
    close(table.M, np.einsum("p,pai,paj->ij", w, N, N))


def test_elastic_matrices(case):
    table = case[1]
    assert np.allclose(table.M, np.eye(table.m), atol=1e-11)
    omega = 2 * np.pi * table.modes.frequency
    scale = np.outer(omega, omega)
    assert np.abs(table.K / scale - np.eye(table.m)).max() < 1e-5
    assert np.allclose(table.C, 1e-6 * table.K, rtol=1e-12, atol=1e-12 * table.C.max())


def deformed_inertia(I, q):
    linear = np.einsum("jab,j->ab", I.I8 + I.I8.transpose(0, 2, 1), q)
    return I.I7 - linear - np.einsum("jkab,j,k->ab", I.I9, q, q)


@pytest.mark.parametrize("seed", range(3))
def test_adams_invariants_give_the_inertia_of_the_deformed_body(case, seed):
    """c, J and the coupling C of a deformed body, and the kinetic energy of a random motion."""
    _, table, _, w, s, N = case
    rng = np.random.default_rng(seed)
    q, qd = 0.01 * rng.normal(size=(2, table.m))
    V, omega = rng.normal(size=(2, 3))
    I = adams_invariants(table.inertia)
    r = s + N @ q
    skew = np.array([np.cross(np.eye(3), x) for x in r])  # r̃
    close(I.I2 + I.I3 @ q, w @ r)
    J = (
        I.I7
        - np.einsum("jab,j->ab", I.I8 + I.I8.transpose(0, 2, 1), q)
        - np.einsum("jkab,j,k->ab", I.I9, q, q)
    )
    close(J, np.einsum("p,pca,pcb->ab", w, skew, skew))
    C = I.I4 + np.einsum("jai,j->ai", I.I5, q)
    close(C, np.einsum("p,pab,pbj->aj", w, skew, N))
    velocity = V + np.cross(omega, r) + N @ qd
    energy = 0.5 * w @ (velocity**2).sum(axis=1)
    c = I.I2 + I.I3 @ q
    from_table = (
        0.5 * I.I1 * V @ V + V @ np.cross(omega, c) + V @ I.I3 @ qd
        + 0.5 * omega @ J @ omega + omega @ C @ qd + 0.5 * qd @ I.I6 @ qd
    )  # fmt: skip
    assert from_table == pytest.approx(energy, rel=TOL)


@pytest.mark.parametrize("seed", range(3))
def test_inertia_forces_with_no_term_dropped(case, seed):
    """∫ρ (variation)·(acceleration) of every point against the equations of the notes, section 5a."""
    _, table, _, w, s, N = case
    rng = np.random.default_rng(10 + seed)
    q, qd, qdd = 0.01 * rng.normal(size=(3, table.m))
    a0, omega, alpha = rng.normal(size=(3, 3))
    I = adams_invariants(table.inertia)
    r = s + N @ q
    a = a0 + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r)) + 2 * np.cross(omega, N @ qd) + N @ qdd

    c = I.I2 + I.I3 @ q
    J = (
        I.I7
        - np.einsum("jab,j->ab", I.I8 + I.I8.transpose(0, 2, 1), q)
        - np.einsum("jkab,j,k->ab", I.I9, q, q)
    )
    C = I.I4 + np.einsum("jai,j->ai", I.I5, q)
    G = np.einsum("j,jab->ab", qd, I.I8) + np.einsum("j,kjab,k->ab", qd, I.I9, q)
    translation = (
        I.I1 * a0 - np.cross(c, alpha) + I.I3 @ qdd + np.cross(omega, np.cross(omega, c))
        + 2 * np.cross(omega, I.I3 @ qd)
    )  # fmt: skip
    rotation = np.cross(c, a0) + J @ alpha + C @ qdd + np.cross(omega, J @ omega) - 2 * G @ omega
    centrifugal = I.I8.transpose(0, 2, 1) + np.einsum("jkab,k->jab", I.I9, q)
    flexible = (
        I.I3.T @ a0 + C.T @ alpha + I.I6 @ qdd + np.einsum("a,jab,b->j", omega, centrifugal, omega)
        + 2 * np.einsum("a,kaj,k->j", omega, I.I5, qd)
    )  # fmt: skip
    close(translation, w @ a)
    close(rotation, np.einsum("p,pa->a", w, np.cross(r, a)))
    close(flexible, np.einsum("p,paj,pa->j", w, N, a))


def test_rigid_motions_as_shapes_give_the_mass_matrix_of_a_rigid_body():
    body = frame_body()
    R = rigid_motions(body.mesh)
    t = inertia_tensors(body, R)
    tilde = np.cross(np.eye(3), t.s1)
    J = np.trace(t.s2) * np.eye(3) - t.s2
    rigid = np.block([[t.mass * np.eye(3), -tilde], [tilde, J]])
    close(np.einsum("aaij->ij", t.NN), rigid)
    close(t.N1[:, :3], t.mass * np.eye(3))
    close(t.sN[:, :, :3], np.einsum("a,bj->abj", t.s1, np.eye(3)))


@pytest.mark.parametrize("method", ["eigenmodes", "craig_bampton", "attachment"])
def test_mean_axes_have_no_momentum(method):
    table = build_table(frame_body(), Reduction(Free(), 4, method=method), TableOptions(geometric=False))
    I = adams_invariants(table.inertia)
    size = np.sqrt(I.I1)
    assert np.abs(I.I3).max() < 1e-9 * size
    assert np.abs(I.I4).max() < 1e-9 * size
    assert np.allclose(table.M, np.eye(table.m), atol=1e-10)
    assert np.abs(table.modes.effective_mass).max() < 1e-12


def test_linear_and_lumped_inertia_are_what_they_say():
    body = frame_body()
    shapes = np.random.default_rng(2).normal(size=(6 * len(body.mesh.nodes), 3))
    shapes[-6:] = 0.0  # the point mass on the tool takes no part
    reference = inertia_tensors(body, shapes)
    R = beam_axes(body.mesh.nodes[body.mesh.lines], None)
    g, wg = np.polynomial.legendre.leggauss(3)
    for inertia, abscissae, weights in (("linear", 0.5 * (1 + g), 0.5 * wg), ("lumped", [0, 1], [0.5, 0.5])):
        t = inertia_tensors(body, shapes, inertia)
        assert t.mass == pytest.approx(reference.mass)
        assert np.allclose(t.s1, reference.s1)
        NN = np.zeros((3, 3, 3, 3))
        for e, (a, b) in enumerate(body.mesh.lines):
            L = np.linalg.norm(body.mesh.nodes[b] - body.mesh.nodes[a])
            arm = R[e].T @ [0, *OFFSET]
            ends = [
                shapes[6 * n : 6 * n + 3] + np.cross(shapes[6 * n + 3 : 6 * n + 6].T, arm).T for n in (a, b)
            ]
            for xi, weight in zip(abscissae, weights, strict=True):
                N = (1 - xi) * ends[0] + xi * ends[1]  # Richard (2012), eq. (50)
                NN += STEEL.rho * B * H * L * weight * np.einsum("ai,bj->abij", N, N)
        close(t.NN, NN)


def test_frames_move_as_their_nodes(case):
    _, table, shapes, *_ = case
    assert table.frames.names == ("A", "B")
    node = table.frames.nodes[1]
    assert np.array_equal(table.frames.translation[1], shapes[6 * node : 6 * node + 3])
    assert np.array_equal(table.frames.rotation[1], shapes[6 * node + 3 : 6 * node + 6])
    assert np.abs(table.frames.translation[0]).max() == 0.0


def test_pinned_chord_keeps_its_ends_on_the_chord():
    body = frame_body()
    table = build_table(body, Reduction(Pinned("start", "end"), 5), TableOptions(geometric=False))
    a, b = body.mesh.find_node("start"), body.mesh.find_node("end")
    chord = body.mesh.nodes[b] - body.mesh.nodes[a]
    chord /= np.linalg.norm(chord)
    u = table.output.translation
    size = np.abs(u).max()
    assert np.abs(u[a]).max() == 0.0
    assert np.abs(u[b] - np.outer(chord, chord @ u[b])).max() < 1e-12 * size
    assert np.abs(chord @ table.output.rotation[a]).max() < 1e-11 * size
