"""Equations the sources print come out symbolically equal: the simplified difference is zero."""

import numpy as np
import pytest
import sympy as sp

import flexnet as fx
from flexnet.algebra import minus
from flexnet.formulation.symbolic import driver_loads, symbolic, symbolic_embedding
from flexnet.formulation.symbolic.variables import TIME
from tests.catalogue import build
from tests.symbolic.reading import Reader, is_equal, is_row, is_zero, symbols


def test_gtm_double_pendulum_107_to_110():
    m1, m2, I1, I2, l3, l4, l5, l6, g = symbols("m1 m2 I1 I2 l3 l4 l5 l6 g")
    given = {
        "m.m1": m1, "m.m2": m2, "J.m1.zz": I1, "J.m2.zz": I2, "m1.r3.x": -l3, "m1.r4.x": l4, "m2.r5.x": -l5,
        "m2.r6.x": l6, "g.y": -g,
    }  # fmt: skip
    made = symbolic(build("double_pendulum"), given=given)
    y = Reader(made, {"t1": "m1.angle", "t2": "m2.angle"})
    t1, t2, w1, w2 = symbols("t1 t2 t1' t2'")
    I11 = I1 + m1 * l3**2 + m2 * (l3 + l4) ** 2
    I12 = m2 * l5 * (l3 + l4) * sp.cos(t1 - t2)
    assert is_equal(y.M, [[I11, I12], [I12, I2 + m2 * l5**2]])
    k = m2 * l5 * (l3 + l4) * sp.sin(t1 - t2)
    Q1 = -k * w2**2 - (m1 * l3 + m2 * (l3 + l4)) * g * sp.cos(t1)
    Q2 = k * w1**2 - m2 * l5 * g * sp.cos(t2)
    assert is_equal(y.F, [Q1, Q2])


def test_gtm_quick_return_115_to_119():
    l1, l2, l3, l4, l5, l6, l7, l8 = symbols("l1:9")
    given = {
        "ground.R1.y": l1, "ground.R2.y": -l2, "m9.r3.x": -l3, "m9.r4.x": l4, "m12.r6.y": -l6, "m12.r5.y": l5,
        "m11.r7.x": -l7, "m11.r8.x": l8,
    }  # fmt: skip
    made = symbolic(build("quick_return"), given=given)
    y = Reader(made, {"t9": "m9.angle", "t12": "m12.angle"})
    t9, t12 = symbols("t9 t12")
    t11 = symbols("w21")
    rows = [row.component.name for row in made.numeric.rows]
    phi = y.phi
    c115 = (l7 + l8) * sp.sin(t9 - t11) - l2 * sp.cos(t9)
    c116 = -l1 - l2 + (l3 + l4) * sp.sin(t9) + (l5 + l6) * sp.cos(t12)
    assert is_row([phi[rows.index("s19")]], [c115])
    assert is_row([phi[rows.index("s20")]], [c116])
    # (117): the crank follows its driver
    t = symbols("t")
    gap = made.read(made.known.functions["w21"].formula(TIME)) - (sp.Float(0.4356) + sp.Float(4 * np.pi) * t)
    assert all(abs(gap.subs(t, x)) < 1e-14 for x in (0, 1))
    # (118), (119): the circuit of s20 along its axis gives the place of the ram
    part, p = made.numeric.packer.by_name["s20"], made.work.p
    head, tail = (p[made.numeric.packer.node[f.name]] for f in (part.head, part.tail))
    s20 = y.vector(minus(head, tail))[0]
    assert is_zero(s20 - ((l3 + l4) * sp.cos(t9) - (l5 + l6) * sp.sin(t12)))


def test_gtm_slider_crank_125_and_134_to_139():
    m1, m2, m3, I1, I2, I3, l5, l6, l7, l8, F = symbols("m1 m2 m3 I1 I2 I3 l5 l6 l7 l8 F13")
    given = {
        "m.m1": m1, "m.m2": m2, "m.m3": m3, "J.m1.zz": I1, "J.m2.zz": I2, "J.m3.zz": I3, "m1.r5.x": -l5,
        "m1.r6.x": l6, "m2.r7.y": l7, "m2.r8.y": -l8, "F13.x": F,
    }  # fmt: skip
    made = symbolic(
        build("slider_crank_gtm"), given=given, translation=["h9", "h10", "h11"], rotation=["m1", "m2", "s12"]
    )
    y = Reader(made, {"t1": "m1.angle", "t2": "m2.angle"})
    t1, t2, w1, w2 = symbols("t1 t2 t1' t2'")
    c1, s1, c2, s2 = sp.cos(t1), sp.sin(t1), sp.cos(t2), sp.sin(t2)
    M12 = (m2 * l7 + m3 * (l7 + l8)) * (l5 + l6) * (c1 * s2 - s1 * c2)
    M11 = I1 + m1 * l5**2 + (m2 + m3) * (l5 + l6) ** 2
    assert is_equal(y.M, [[M11, M12], [M12, I2 + m2 * l7**2 + m3 * (l7 + l8) ** 2]])
    assert is_row([*y.phi, *y.G], [(l7 + l8) * c2 - (l5 + l6) * s1, -(l5 + l6) * c1, -(l7 + l8) * s2])
    cc = c1 * c2 + s1 * s2
    k = (m2 * l7 + m3 * (l7 + l8)) * (l5 + l6) * cc
    assert is_equal(y.F, [-F * (l5 + l6) * s1 - k * w2**2, F * (l7 + l8) * c2 + k * w1**2])


def dynaflex():
    l11, l12, m11, m12, I11, I12, T = symbols("l11 l12 m11 m12 I11 I12 T")
    given = {
        "m.e11": m11, "m.e12": m12, "J.e11.zz": I11, "J.e12.zz": I12, "e11.e21.x": -l11 / 2,
        "e11.e22.x": l11 / 2, "e12.e23.x": l12 / 2, "e12.e24.x": -l12 / 2, "T.z": T,
    }  # fmt: skip
    made = symbolic(build("slider_crank_dynaflex", compound=True), "joint", given=given)
    names = {"a1": "e61.angle", "a2": "e62.angle", "s": "e64.displacement"}
    return made, Reader(made, names), (l11, l12, m11, m12, I11, I12, T)


def test_dynaflex_slider_crank_28_to_45():
    made, y, (l11, l12, m11, m12, I11, I12, T) = dynaflex()
    a1, a2, s, v1, v2 = symbols("a1 a2 s a1' a2'")
    c36 = [l11 * sp.cos(a1) - l12 * sp.cos(a1 + a2) - s, l11 * sp.sin(a1) - l12 * sp.sin(a1 + a2)]
    G36 = sp.Matrix(c36).jacobian([a1, a2, s])
    for i in range(2):
        assert is_row([y.phi[i], *y.G[i, :]], [c36[i], *G36[i, :]])
    half = m12 * l11 * l12 / 2 * sp.cos(a2)
    M11 = I11 + I12 + m11 * l11**2 / 4 + m12 * (l11**2 + l12**2 / 4) - 2 * half
    M12, M22 = I12 + m12 * l12**2 / 4 - half, I12 + m12 * l12**2 / 4
    assert is_equal(y.M, [[M11, M12, 0], [M12, M22, 0], [0, 0, 0]])
    k = m12 * l11 * l12 / 2 * sp.sin(a2)
    assert is_equal(y.F, [T - k * (v2**2 + 2 * v1 * v2), k * v1**2, 0])
    # (37)-(45), the embedding in α1, with the sign of Φ_qd⁻¹ and the derivative of l12 (α1 + α2) put right
    form = symbolic_embedding(made, ["e61.angle"])
    B = y.read(form.B).extract(y.order, [0])
    ratio = l11 * sp.cos(a1) / (l12 * sp.cos(a1 + a2))
    wanted = sp.Matrix([1, ratio - 1, -l11 * sp.sin(a1) + l12 * sp.sin(a1 + a2) * ratio])
    assert is_equal(B, wanted)
    reduced = (wanted.T * y.M * wanted)[0]
    assert is_zero(y.read(form.M)[0, 0] - reduced)


def rotor():
    m3, R, L, g = symbols("m3 R L g")
    J = m3 * R**2 / 4
    return {
        "m.disk": m3, "J.disk.xx": J, "J.disk.yy": J, "J.disk.zz": 2 * J, "shaft_2.e7.z": -L / 2,
        "shaft_2.e12.z": L / 2, "g.z": -g,
    }, (m3, R, L, g)  # fmt: skip


def test_dynaflex_pendulating_rotor_before_substitution():
    given, (m3, R, L, g) = rotor()
    made = symbolic(build("pendulating_rotor"), "joint", given=given)
    y = Reader(made, {"psi": "D.angle", "th": "A.angle", "ph": "B.angle"})
    psi, th, ph, dpsi, dth, dph = symbols("psi th ph psi' th' ph'")
    c, s, mR, mL = sp.cos(th), sp.sin(th), m3 * R**2, m3 * L**2
    M11 = mR / 4 + mR / 4 * c**2 - mL * c**2 + mL
    assert is_equal(y.M, [[M11, 0, -mR * c / 2], [0, mR / 4 + mL, 0], [-mR * c / 2, 0, mR / 2]])
    left = [
        mR / 2 * s * dph * dth + (-s * mR * c / 2 + 2 * mL * c * s) * dpsi * dth,
        (-mL * c * s + s * mR * c / 4) * dpsi**2 - mR / 2 * s * dpsi * dph + m3 * g * L * s,
        mR / 2 * s * dth * dpsi,
    ]
    assert is_equal(-y.F, left)
    assert is_equal(y.phi, [psi - symbols("e8"), ph - symbols("e13")])


def test_dynaflex_pendulating_rotor_after_substitution():
    """Drivers in the tree: one equation in θ, and the servomotors' torques as expressions."""
    given, (m3, R, L, g) = rotor()
    made = symbolic(build("pendulating_rotor"), "joint", given=given, rotation=["e8", "A", "e13"])
    y = Reader(made, {"th": "A.angle"})
    th, dth, dpsi, dph = symbols("th th' e8_dot e13_dot")
    steady = {symbols("e8_ddot"): 0, symbols("e13_ddot"): 0}
    c, s, mR, mL = sp.cos(th), sp.sin(th), m3 * R**2, m3 * L**2
    torque = (mL * c * s - s * mR * c / 4) * dpsi**2 + mR / 2 * s * dpsi * dph - m3 * g * L * s
    assert is_equal(y.M, [mR / 4 + mL])
    assert is_equal(y.F.xreplace(steady), [torque])
    loads = driver_loads(made)
    T1, T2 = (y.read(loads[name]).xreplace(steady) for name in ("e8", "e13"))
    assert is_zero(T1 - (mR / 2 * s * dph * dth + (-s * mR * c / 2 + 2 * mL * c * s) * dpsi * dth))
    assert is_zero(T2 - mR / 2 * s * dth * dpsi)


def test_leger_slider_crank_2_35_to_2_43():
    """With the Jacobian of (2.35) itself: (2.40) prints sums for differences."""
    m1, m2, m3, I1, I2, I3, l4, l5, l6, l7, T = symbols("m1 m2 m3 I1 I2 I3 l4 l5 l6 l7 T12")
    given = {
        "m.m1": m1, "m.m2": m2, "m.m3": m3, "J.m1.zz": I1, "J.m2.zz": I2, "J.m3.zz": I3, "m1.r4.x": l4,
        "m1.r5.x": l5, "m2.r6.x": l6, "m2.r7.x": l7, "td12.z": T,
    }  # fmt: skip
    made = symbolic(
        build("slider_crank_leger"),
        given=given,
        translation=["h8", "h9", "h10"],
        rotation=["h8", "h10", "s11"],
    )
    y = Reader(made, {"b1": "h8.angle", "b3": "h10.angle"})
    b1, b3, w1, w3 = symbols("b1 b3 b1' b3'")
    M12 = (l4 - l5) * (m2 * l6 + m3 * (l6 - l7)) * sp.cos(b3 - b1)
    M11 = I1 + m1 * l4**2 + (m2 + m3) * (l4 - l5) ** 2
    assert is_equal(y.M, [[M11, M12], [M12, I2 + m2 * l6**2 + m3 * (l6 - l7) ** 2]])
    value = -(l4 - l5) * sp.sin(b1) - (l6 - l7) * sp.sin(b3)
    assert is_row([*y.phi, *y.G], [value, sp.diff(value, b1), sp.diff(value, b3)])
    k = (l4 - l5) * ((m2 + m3) * l6 - m3 * l7) * sp.sin(b3 - b1)
    assert is_equal(y.F, [k * w3**2 + T, -k * w1**2])


def test_a_wrong_equation_is_noticed():
    x = symbols("x")
    assert not is_equal([sp.sin(x) ** 2], [sp.cos(x) ** 2])
    with pytest.raises(fx.FlexnetError):
        symbolic(build("heavy_top"), rotations="zz")
