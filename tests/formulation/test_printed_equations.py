"""Mass matrices, forces and constraints equal those the sources print, at random states.

Constraint rows may differ by a sign, which goes into the multiplier.
"""

from math import cos, sin

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import State
from tests.catalogue import build
from tests.sampling import random_poses

TIGHT = {"rtol": 1e-12, "atol": 1e-12}
SEEDS = range(10)


def form(system, coordinates, **trees):
    """Formulate and return the equations with the order of the named velocities."""
    equations = fx.formulate(system, **trees)
    names = equations.coordinates.v_names
    assert set(names) == set(coordinates)
    return equations, np.array([names.index(name) for name in coordinates])


def at(equations, order, q, v, t=0.0):
    """M, G, F, Φ with the coordinates in the wanted order; scalar coordinates only."""
    state = State(t, np.empty(equations.n_q), np.empty(equations.n_v))
    state.q[order], state.v[order] = q, v
    F = equations.forces(state)[order]
    M, G = equations.mass_and_jacobian(state.q, t)
    return M[np.ix_(order, order)], G[:, order], F, equations.constraints(state.q, t)


def assert_rows_equal(found, expected):
    """Rows are equal up to the sign of each, the same for value and gradient."""
    for row, want in zip(np.atleast_2d(found), np.atleast_2d(expected), strict=True):
        assert np.allclose(row, want, **TIGHT) or np.allclose(row, -want, **TIGHT)


@pytest.mark.parametrize("seed", SEEDS)
def test_gtm_double_pendulum_mass_matrix_108_to_110(seed):
    rng = np.random.default_rng(seed)
    m1, m2, I1, I2, l3, l4, l5, l6, g = rng.uniform(0.2, 3.0, 9)
    system = build("double_pendulum", m1=m1, m2=m2, I1=I1, I2=I2, l3=l3, l4=l4, l5=l5, l6=l6, g=g)
    equations, order = form(system, ["m1.angle", "m2.angle"])
    q, w = rng.uniform(-3, 3, 2), rng.uniform(-5, 5, 2)
    M, G, F, _ = at(equations, order, q, w)
    e1, e2 = np.array([cos(q[0]), sin(q[0])]), np.array([cos(q[1]), sin(q[1])])
    r3, r4, r5 = -l3 * e1, l4 * e1, -l5 * e2
    I11 = I1 + m1 * r3 @ r3 + m2 * (r3 @ r3 + r4 @ r4 - 2 * r3 @ r4)
    I12 = m2 * r5 @ (r3 - r4)
    I22 = I2 + m2 * r5 @ r5
    assert G.shape == (0, 2)
    assert np.allclose(M, [[I11, I12], [I12, I22]], **TIGHT)
    # {Q} of (107), which the paper leaves out, from (94)-(106) evaluated by hand
    n1, n2 = np.array([-e1[1], e1[0]]), np.array([-e2[1], e2[0]])
    elbow = -(w[0] ** 2) * (r4 - r3)
    W1, W2 = np.array([0, -m1 * g]), np.array([0, -m2 * g])
    a1, a2 = w[0] ** 2 * r3, elbow + w[1] ** 2 * r5
    Q1 = l3 * n1 @ (W1 - m1 * a1) + (l3 + l4) * n1 @ (W2 - m2 * a2)
    Q2 = l5 * n2 @ (W2 - m2 * a2)
    assert np.allclose(F, [Q1, Q2], **TIGHT)


@pytest.mark.parametrize("seed", SEEDS)
def test_gtm_quick_return_constraints_115_to_119(seed):
    rng = np.random.default_rng(seed)
    crank, rocker, link, l1, l2 = 0.75, 3.5, 1.0, 1.5, 1.5
    system = build("quick_return")
    equations, order = form(system, ["m9.angle", "m12.angle"])
    theta9, theta12 = rng.uniform(-3, 3, 2)
    t = rng.uniform(0, 1)
    theta11 = 0.4356 + 4 * np.pi * t  # (117)
    _, _, _, phi = at(equations, order, [theta9, theta12], [0, 0], t)
    c115 = crank * sin(theta9) * cos(theta11) - crank * cos(theta9) * sin(theta11) - l2 * cos(theta9)
    c116 = -l1 - l2 + rocker * sin(theta9) + link * cos(theta12)
    names = [row.component.name for row in equations.rows]
    assert_rows_equal(phi[[names.index("s19"), names.index("s20")]][:, None], [[c115], [c116]])
    # (119): where both constraints hold, the slider is at s20
    poses = random_poses(system, rng)
    state = fx.formulate(system, poses=poses).initial
    q9, q12 = state.q[order]
    s20 = fx.formulate(system, "joint", translation=["h14", "h17", "h18", "s19", "s20"], poses=poses)
    found = s20.initial.q[s20.coordinates.q_names.index("s20.displacement")]
    assert found == pytest.approx(rocker * cos(q9) - link * sin(q12), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_gtm_slider_crank_125_and_134_to_139(seed):
    rng = np.random.default_rng(seed)
    m, I = rng.uniform(0.2, 3, 3), rng.uniform(0.2, 3, 3)
    l5, l6, l7, l8 = *rng.uniform(0.1, 0.4, 2), *rng.uniform(0.5, 1, 2)
    F13 = rng.uniform(-5, 5)
    system = build("slider_crank_gtm", m=tuple(m), I=tuple(I), l5=l5, l6=l6, l7=l7, l8=l8, F13=F13)
    equations, order = form(
        system, ["m1.angle", "m2.angle"], translation=["h9", "h10", "h11"], rotation=["m1", "m2", "s12"]
    )
    (th1, th2), (w1, w2) = rng.uniform(-3, 3, 2), rng.uniform(-5, 5, 2)
    M, G, F, phi = at(equations, order, [th1, th2], [w1, w2])
    c1, s1, c2, s2 = cos(th1), sin(th1), cos(th2), sin(th2)
    m1, m2, m3 = m
    M11 = I[0] + m1 * l5**2 + (m2 + m3) * (l5 + l6) ** 2  # (134)
    M12 = (m2 * l7 + m3 * (l7 + l8)) * (l5 + l6) * (c1 * s2 - s1 * c2)  # (135)
    M22 = I[1] + m2 * l7**2 + m3 * (l7 + l8) ** 2  # (136)
    assert np.allclose(M, [[M11, M12], [M12, M22]], **TIGHT)
    value = (l7 + l8) * c2 - (l5 + l6) * s1  # (125)
    gradient = [-(l5 + l6) * c1, -(l7 + l8) * s2]  # (137)
    assert_rows_equal(np.c_[phi, G], [[value, *gradient]])
    cc = c1 * c2 + s1 * s2
    Q1 = -F13 * (l5 + l6) * s1 - (m2 * w2**2 * l7 + m3 * w2**2 * (l7 + l8)) * (l5 + l6) * cc  # (138)
    Q2 = F13 * (l7 + l8) * c2 + (m2 * w1**2 * l7 + m3 * w1**2 * (l7 + l8)) * (l5 + l6) * cc  # (139)
    assert np.allclose(F, [Q1, Q2], **TIGHT)


@pytest.mark.parametrize("seed", SEEDS)
def test_dynaflex_slider_crank_36_42_and_43(seed):
    rng = np.random.default_rng(seed)
    l11, l12 = rng.uniform(0.1, 0.4), rng.uniform(0.5, 1)
    m11, m12, I11, I12, T = rng.uniform(0.2, 3, 5)
    system = build(
        "slider_crank_dynaflex", l11=l11, l12=l12, m11=m11, m12=m12, I11=I11, I12=I12, T=T, compound=True
    )
    equations, order = form(system, ["e61.angle", "e62.angle", "e64.displacement"], tree="joint")
    (a1, a2, s), (v1, v2, v3) = rng.uniform(-3, 3, 3), rng.uniform(-5, 5, 3)
    M, G, F, phi = at(equations, order, [a1, a2, s], [v1, v2, v3])
    c36 = [l11 * cos(a1) - l12 * cos(a1 + a2) - s, l11 * sin(a1) - l12 * sin(a1 + a2)]
    slope = l12 * np.array([sin(a1 + a2), -cos(a1 + a2)])
    G36 = np.c_[l11 * np.array([-sin(a1), cos(a1)]) + slope, slope, [-1, 0]]
    assert_rows_equal(np.c_[phi, G], np.c_[c36, G36])
    # Q = F - M q̈ of (42) and (43), coefficient by coefficient; s does not appear
    half = m12 * l11 * l12 / 2 * cos(a2)
    M11 = I11 + I12 + m11 * l11**2 / 4 + m12 * (l11**2 + l12**2 / 4) - 2 * half
    M12 = I12 + m12 * l12**2 / 4 - half
    M22 = I12 + m12 * l12**2 / 4
    assert np.allclose(M, [[M11, M12, 0], [M12, M22, 0], [0, 0, 0]], **TIGHT)
    k = m12 * l11 * l12 / 2 * sin(a2)
    assert np.allclose(F, [T - k * (v2**2 + 2 * v1 * v2), k * v1**2, 0], **TIGHT)


@pytest.mark.parametrize("seed", SEEDS)
def test_dynaflex_transformation_37_is_the_embedding(seed):
    """[J] of (21) and (37), as (36) requires.

    Printed (20) lacks the minus of -Φ_qd⁻¹ Φ_qi, and (37) differentiates l12 (α1 + α2) by α2 only: the
    paper's δα2/δα1 lacks the term -1 and its δs/δα1 has the opposite sign.
    """
    rng = np.random.default_rng(seed)
    system = build("slider_crank_dynaflex", compound=True)
    equations = fx.formulate(system, "joint", poses=random_poses(system, rng, travel=0.5))
    names = equations.coordinates.v_names
    B = fx.embed(equations, equations.initial, ["e61.angle"]).B[:, 0]
    q = dict(zip(names, equations.initial.q, strict=True))
    l11, l12, a1, both = 0.2, 0.6, q["e61.angle"], q["e61.angle"] + q["e62.angle"]
    ratio = l11 * cos(a1) / (l12 * cos(both))
    assert B[names.index("e62.angle")] == pytest.approx(ratio - 1, rel=1e-10)
    ds = -l11 * sin(a1) + l12 * sin(both) * ratio
    assert B[names.index("e64.displacement")] == pytest.approx(ds, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_dynaflex_pin_in_slot_is_the_same_mechanism_as_its_two_edges(seed):
    rng = np.random.default_rng(seed)
    one, two = build("slider_crank_dynaflex"), build("slider_crank_dynaflex", compound=True)
    poses = random_poses(two, rng)
    joined = fx.formulate(one, "joint", poses=_without_last_body(poses))
    apart = fx.formulate(two, "joint", poses=poses)
    a, b = joined.motion(joined.initial), apart.motion(apart.initial)
    assert np.allclose(a.a, b.a[:2], rtol=1e-10)
    force = fx.reactions(joined, joined.initial)["J3"].force
    assert np.allclose(force, fx.reactions(apart, apart.initial)["e63"].force, rtol=1e-9, atol=1e-12)


def _without_last_body(poses):
    return fx.Poses(poses.t, poses.R[:-1], poses.p[:-1], poses.omega[:-1], poses.v[:-1])


@pytest.mark.parametrize("seed", SEEDS)
def test_dynaflex_pendulating_rotor(seed):
    rng = np.random.default_rng(seed)
    m3, R, L, g = *rng.uniform(0.2, 3, 3), 9.81
    system = build("pendulating_rotor", m3=m3, R=R, L=L, g=g)
    equations, order = form(system, ["D.angle", "A.angle", "B.angle"], tree="joint")
    (psi, th, phi), (dpsi, dth, dphi) = rng.uniform(-3, 3, 3), rng.uniform(-5, 5, 3)
    M, G, F, rows = at(equations, order, [psi, th, phi], [dpsi, dth, dphi])
    c, s, mR, mL, W = cos(th), sin(th), m3 * R**2, m3 * L**2, m3 * g
    M11 = mR / 4 + mR / 4 * c**2 - mL * c**2 + mL
    expected = [[M11, 0, -mR * c / 2], [0, mR / 4 + mL, 0], [-mR * c / 2, 0, mR / 2]]
    assert np.allclose(M, expected, **TIGHT)
    left = [
        mR / 2 * s * dphi * dth + (-s * mR * c / 2 + 2 * mL * c * s) * dpsi * dth,
        (-mL * c * s + s * mR * c / 4) * dpsi**2 - mR / 2 * s * dpsi * dphi + W * L * s,
        mR / 2 * s * dth * dpsi,
    ]
    assert np.allclose(-F, left, **TIGHT)
    # the drivers' constraints; their multipliers are the torques T1 and T2
    assert_rows_equal(np.c_[rows, G], [[psi, 1, 0, 0], [phi, 0, 0, 1]])


@pytest.mark.parametrize("seed", SEEDS)
def test_dynaflex_servomotor_torques_of_the_pendulating_rotor(seed):
    """The set dyn1: ψ̇ and φ̇ constant; θ̈, T1 and T2 come out, drivers in the tree or not."""
    rng = np.random.default_rng(seed)
    m3, R, L, dpsi, dphi = *rng.uniform(0.2, 2, 3), *rng.uniform(-5, 5, 2)
    system = build("pendulating_rotor", m3=m3, R=R, L=L, psi=fx.ramp(dpsi), phi=fx.ramp(dphi))
    poses = random_poses(system, rng)
    for rotation in (["D", "A", "B"], ["e8", "A", "e13"]):
        equations = fx.formulate(system, "joint", rotation=rotation, poses=poses)
        k = equations.coordinates.v_names.index("A.angle")
        th, dth = equations.initial.q[k], equations.initial.v[k]
        motion = equations.motion(equations.initial)
        loads = fx.reactions(equations, equations.initial, motion)
        c, s, mR, mL, W = cos(th), sin(th), m3 * R**2, m3 * L**2, m3 * 9.81
        T1 = mR / 2 * s * dphi * dth + (-s * mR * c / 2 + 2 * mL * c * s) * dpsi * dth
        torque = (mL * c * s - s * mR * c / 4) * dpsi**2 + mR / 2 * s * dpsi * dphi - W * L * s
        T2 = mR / 2 * s * dth * dpsi
        scale = 1 + abs(T1) + abs(T2)
        axis = equations.poses(equations.initial).R[3] @ [0, 0, 1]
        assert motion.a[k] == pytest.approx(torque / (mR / 4 + mL), rel=1e-10, abs=1e-10)
        assert loads["e8"].torque == pytest.approx([0, 0, T1], abs=1e-11 * scale)
        assert loads["e13"].torque == pytest.approx(T2 * axis, abs=1e-11 * scale)


def test_dynaflex_drivers_in_the_tree_leave_one_equation():
    equations = fx.formulate(build("pendulating_rotor"), "joint", rotation=["e8", "A", "e13"])
    assert equations.coordinates.v_names == ("A.angle",)
    assert equations.m == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_leger_slider_crank_2_35_to_2_43(seed):
    """With the Jacobian of (2.35) itself: (2.40) prints sums l4 + l5, l6 + l7 for differences."""
    rng = np.random.default_rng(seed)
    m, I = rng.uniform(0.2, 3, 3), rng.uniform(0.2, 3, 3)
    l4, l5, l6, l7 = -rng.uniform(0.1, 0.4), rng.uniform(0.1, 0.3), -rng.uniform(0.5, 1), rng.uniform(0.5, 1)
    T12 = rng.uniform(-5, 5)
    system = build("slider_crank_leger", m=tuple(m), Izz=tuple(I), l4=l4, l5=l5, l6=l6, l7=l7, T12=T12)
    equations, order = form(
        system, ["h8.angle", "h10.angle"], translation=["h8", "h9", "h10"], rotation=["h8", "h10", "s11"]
    )
    (b1, b3), (w1, w3) = rng.uniform(-3, 3, 2), rng.uniform(-5, 5, 2)
    M, G, F, phi = at(equations, order, [b1, b3], [w1, w3])
    m1, m2, m3 = m
    M11 = I[0] + m1 * l4**2 + (m2 + m3) * (l4 - l5) ** 2  # (2.36)
    M12 = (l4 - l5) * (m2 * l6 + m3 * (l6 - l7)) * cos(b3 - b1)  # (2.37)
    M22 = I[1] + m2 * l6**2 + m3 * (l6 - l7) ** 2  # (2.38)
    assert np.allclose(M, [[M11, M12], [M12, M22]], **TIGHT)
    value = -(l4 - l5) * sin(b1) - (l6 - l7) * sin(b3)  # (2.35)
    assert_rows_equal(np.c_[phi, G], [[value, -(l4 - l5) * cos(b1), -(l6 - l7) * cos(b3)]])
    k = (l4 - l5) * ((m2 + m3) * l6 - m3 * l7) * sin(b3 - b1)
    assert np.allclose(F, [k * w3**2 + T12, -k * w1**2], **TIGHT)  # (2.42), (2.43)
