"""The steps the sources print between the graph and the equations of motion, line by line.

Misprints put right: (103) and (104) of GTM end in "= 0", (30) of DynaFlex lacks a minus sign, (37) the sign
of Φ_qd⁻¹ and the derivative of l12 (α1 + α2) by α1.
"""

import numpy as np
import pytest
import sympy as sp

from flexnet.algebra import array_of, minus, symbol
from flexnet.algebra.tape import substituted
from flexnet.formulation.symbolic import symbolic, symbolic_embedding
from flexnet.formulation.symbolic.steps import write_steps
from flexnet.graph import f_cutset
from tests.catalogue import build
from tests.symbolic.reading import Reader, is_equal, is_zero, symbols

K = sp.Matrix([0, 0, 1])


def cutset(tree, branch):
    """Terms of a cutset with their signs, dependent ones left out: GTM has no such edges."""
    matrix = f_cutset(tree)
    row = matrix.values[matrix.rows.index(branch)]
    return {c: int(s) for c, s in zip(matrix.columns, row, strict=True) if s and "@" not in c}


class Mechanism(Reader):
    """Vectors of a mechanism in ground axes."""

    def branch(self, name):
        """Number of a branch of the T-tree."""
        return [b.edge.name for b in self.made.numeric.T.branches].index(name)

    def arm(self, name):
        """Vector of an arm."""
        return self.vector(self.made.work.r[self.branch(name)])

    def arm_force(self, name):
        """Through variable of an arm: minus the rest of its cutset."""
        e = self.made.numeric.model.t_edges[self.branch(name)]
        return self.vector([-int(e["sign"]) * x for x in self.made.work.force[e["child"]]])

    def acceleration(self, body):
        return self.vector(self.made.work.a[self.made.numeric.packer.node[body]])

    @property
    def residual(self):
        return self.read(self.made.residual).extract(self.order, [0])


def turned(alpha, omega, r):
    """Acceleration α × r - ω² r of the end of an arm."""
    return (alpha * K).cross(r) - omega**2 * r


@pytest.fixture(scope="module")
def pendulum():
    given = dict(zip(("m.m1", "m.m2", "J.m1.zz", "J.m2.zz"), symbols("m1 m2 I1 I2"), strict=True))
    return Mechanism(symbolic(build("double_pendulum"), given=given), {"t1": "m1.angle", "t2": "m2.angle"})


def test_gtm_cutsets_92_93_and_96_to_99(pendulum):
    T, R = pendulum.made.numeric.T, pendulum.made.numeric.R
    assert cutset(R, "m1") == {"m1": 1, "h7": 1, "h8": -1}
    assert cutset(R, "m2") == {"m2": 1, "h8": 1}
    assert cutset(T, "m1.r3") == {"m1.r3": 1, "m1": -1, "m1.weight": -1, "m2": -1, "m2.weight": -1}
    assert cutset(T, "m1.r4") == {"m1.r4": 1, "m2": 1, "m2.weight": 1}
    assert cutset(T, "m2.r5") == {"m2.r5": 1, "m2": -1, "m2.weight": -1}
    assert cutset(T, "m2.r6") == {"m2.r6": 1}


def test_gtm_arm_forces_100_to_102_and_accelerations_103_to_106(pendulum):
    y = pendulum
    m1, m2, w1, w2, a1, a2 = symbols("m1 m2 t1' t2' t1'' t2''")
    g = y.vector([y.made.parameters.vector("g", y.made.numeric.system.g)[k] for k in range(3)])
    first, second = y.acceleration("m1"), y.acceleration("m2")
    assert is_equal(y.arm_force("m1.r3"), -m1 * first + m1 * g - m2 * second + m2 * g)
    assert is_equal(y.arm_force("m1.r4"), m2 * second - m2 * g)
    assert is_equal(y.arm_force("m2.r5"), -m2 * second + m2 * g)
    assert is_equal(y.arm_force("m2.r6"), [0, 0, 0])
    r3, r4, r5 = (y.arm(name) for name in ("m1.r3", "m1.r4", "m2.r5"))
    assert is_equal(first, -turned(a1, w1, r3))
    assert is_equal(second, -turned(a2, w2, r5) + turned(a1, w1, r4) - turned(a1, w1, r3))


def test_gtm_projected_cutsets_94_95(pendulum):
    y = pendulum
    I1, I2, a1, a2 = symbols("I1 I2 t1'' t2''")
    pairs = (("m1", I1 * a1, ("m1.r3", "m1.r4")), ("m2", I2 * a2, ("m2.r5", "m2.r6")))
    for i, (_, inertia, arms) in enumerate(pairs):
        moment = sum((y.arm(a).cross(y.arm_force(a)) for a in arms), sp.zeros(3, 1))
        assert is_zero(y.residual[i] - (inertia + moment.dot(K)))


@pytest.fixture(scope="module")
def slider():
    names = ("m.m1", "m.m2", "m.m3", "J.m1.zz", "J.m2.zz", "J.m3.zz", "F13.x")
    given = dict(zip(names, symbols("m1 m2 m3 I1 I2 I3 F13"), strict=True))
    made = symbolic(
        build("slider_crank_gtm"), given=given, translation=["h9", "h10", "h11"], rotation=["m1", "m2", "s12"]
    )
    return Mechanism(made, {"t1": "m1.angle", "t2": "m2.angle"})


def test_gtm_slider_crank_cutsets_120_121_and_circuit_124(slider):
    T, R = slider.made.numeric.T, slider.made.numeric.R
    assert cutset(R, "m1") == {"m1": 1, "h9": 1, "h10": -1}
    assert cutset(R, "m2") == {"m2": 1, "h10": 1, "h11": 1}
    circuit = dict(T.circuit(T.graph.edge("s12")))
    wanted = {"s12": 1, "h9": 1, "m1.r5": -1, "m1.r6": 1, "h10": 1, "m2.r7": -1, "m2.r8": 1, "h11": -1}
    # the printed circuit runs the other way round but for s12, whose tail and head it exchanges
    assert {name: -sign for name, sign in circuit.items() if name != "s12"} | {"s12": 1} == wanted


def test_gtm_slider_crank_122_123_and_126_to_132(slider):
    y = slider
    m1, m2, m3, I1, I2, F13, lam = symbols("m1 m2 m3 I1 I2 F13 lambda_1")
    w1, w2, a1, a2 = symbols("t1' t2' t1'' t2''")
    A1, A2, A3 = (y.acceleration(name) for name in ("m1", "m2", "m3"))
    r5, r6, r7, r8 = (y.arm(name) for name in ("m1.r5", "m1.r6", "m2.r7", "m2.r8"))
    assert is_equal(A1, -turned(a1, w1, r5))
    assert is_equal(A2, -turned(a2, w2, r7) + turned(a1, w1, r6 - r5))
    assert is_equal(A3, turned(a2, w2, r8 - r7) + turned(a1, w1, r6 - r5))
    # F12 is the multiplier, along n12 = -j in the paper's (124)
    applied = sp.Matrix([F13, -lam, 0])
    assert is_equal(y.arm_force("m1.r5"), -m1 * A1 - m2 * A2 - m3 * A3 + applied)
    assert is_equal(y.arm_force("m1.r6"), m2 * A2 + m3 * A3 - applied)
    assert is_equal(y.arm_force("m2.r7"), -m2 * A2 - m3 * A3 + applied)
    assert is_equal(y.arm_force("m2.r8"), m3 * A3 - applied)
    for i, (inertia, arms) in enumerate(((I1 * a1, ("m1.r5", "m1.r6")), (I2 * a2, ("m2.r7", "m2.r8")))):
        moment = sum((y.arm(a).cross(y.arm_force(a)) for a in arms), sp.zeros(3, 1))
        assert is_zero(y.residual[i] - (inertia + moment.dot(K)))


def test_gtm_quick_return_circuits_111_to_114():
    made = symbolic(build("quick_return"))
    y = Mechanism(made, {"t9": "m9.angle", "t12": "m12.angle"})
    T = made.numeric.T
    circuits = {name: dict(T.circuit(T.graph.edge(name))) for name in ("s19", "s20")}
    wanted = {
        "s19": {
            "s19": 1, "m9.r3": 1, "h16": -1, "ground.R2": -1, "h18": 1, "m11.r7": -1, "m11.r8": 1, "h17": 1,
        },
        "s20": {
            "s20": 1, "ground.R1": -1, "ground.R2": 1, "h16": 1, "m9.r3": -1, "m9.r4": 1, "h15": -1,
            "m12.r6": -1, "m12.r5": 1, "h14": 1,
        },
    }  # fmt: skip
    arms = {}
    for name, terms in wanted.items():
        # s19 sits at the end of r3 here, which is normal to n19; the sense of s is that of its tail and head
        assert set(circuits[name]) | {"m9.r3"} == set(terms)
        arms[name] = sum((s * y.arm(k) for k, s in terms.items() if "." in k), sp.zeros(3, 1))
    t9 = symbols("t9")
    rows = [row.component.name for row in made.numeric.rows]
    n19 = sp.Matrix([-sp.sin(t9), sp.cos(t9), 0])
    for name, n in (("s19", n19), ("s20", sp.Matrix([0, -1, 0]))):
        phi = y.phi[rows.index(name)]
        value = arms[name].dot(n)
        assert is_zero(phi - value) or is_zero(phi + value), name


@pytest.fixture(scope="module")
def rod():
    l11, l12, m11, m12, I11, I12, T = symbols("l11 l12 m11 m12 I11 I12 T")
    given = {
        "m.e11": m11, "m.e12": m12, "J.e11.zz": I11, "J.e12.zz": I12, "e11.e21.x": -l11 / 2,
        "e11.e22.x": l11 / 2, "e12.e23.x": l12 / 2, "e12.e24.x": -l12 / 2, "T.z": T,
    }  # fmt: skip
    made = symbolic(build("slider_crank_dynaflex", compound=True), "joint", given=given)
    return Mechanism(made, {"a1": "e61.angle", "a2": "e62.angle", "s": "e64.displacement"})


def plane(angle, length):
    """[R(θ)] (length, 0)."""
    return sp.Matrix([length * sp.cos(angle), length * sp.sin(angle), 0])


def test_dynaflex_branch_transformations_28_to_33_and_circuit_34_35(rod):
    y, numeric = rod, rod.made.numeric
    l11, l12, a1, a2, s = symbols("l11 l12 a1 a2 s")
    p = y.made.work.p
    for body, angle in (("e11", a1), ("e12", a1 + a2)):
        R = sp.Matrix(
            3,
            3,
            list(
                y.vector(
                    [x for row in y.made.orientations[numeric.packer.rotation_node[body]].matrix for x in row]
                )
            ),
        )
        wanted = sp.Matrix([[sp.cos(angle), -sp.sin(angle), 0], [sp.sin(angle), sp.cos(angle), 0], [0, 0, 1]])
        assert is_equal(R, wanted)
    r21, r22, r23, r24 = (
        plane(a1, -l11 / 2),
        plane(a1, l11 / 2),
        plane(a1 + a2, l12 / 2),
        plane(a1 + a2, -l12 / 2),
    )
    assert is_equal(y.vector(p[numeric.packer.node["e11"]]), -r21)
    assert is_equal(y.vector(p[numeric.packer.node["e12"]]), r22 - r21 - r23)
    head, tail = (p[numeric.packer.node[name]] for name in ("e12.e24", "block"))
    loop = r22 - r21 + r24 - r23 - sp.Matrix([s, 0, 0])
    assert is_equal(y.vector(minus(head, tail)), loop)
    assert is_equal(
        loop[:2], [l11 * sp.cos(a1) - l12 * sp.cos(a1 + a2) - s, l11 * sp.sin(a1) - l12 * sp.sin(a1 + a2)]
    )


def test_dynaflex_cutset_38_39_shows_what_cancels(rod):
    lines = write_steps(rod.made, "cutsets")[0].lines
    line = next(x for x in lines if x.label.startswith("R-cutset of e61"))
    for term in ("e61", "e11", "e12", "T", "e61@e11.e21", "e62@e11.e22", "e62@e12.e23", "e63@e12.e24"):
        assert f"δW({term})" in line.label
    assert "e62@e11.e22 + e62@e12.e23: cancel, e62 is ideal" in line.note
    assert "e61@e11.e21: cancels" in line.note


@pytest.mark.slow
def test_dynaflex_system_virtual_work_40_to_45(rod):
    y = rod
    l11, l12, m11, m12, I11, I12, T = symbols("l11 l12 m11 m12 I11 I12 T")
    a1, a2, v1, v2, b1, b2 = symbols("a1 a2 a1' a2' a1'' a2''")
    no_reaction = dict.fromkeys(y.made.read(array_of(y.made.variables.lam)), 0)
    half = m12 * l11 * l12 / 2
    M12 = I12 + m12 * l12**2 / 4 - half * sp.cos(a2)
    M11 = I11 + I12 + m11 * l11**2 / 4 + m12 * (l11**2 + l12**2 / 4) - 2 * half * sp.cos(a2)
    Q1 = T - M11 * b1 - M12 * b2 - half * (v2**2 + 2 * v1 * v2) * sp.sin(a2)
    Q2 = -M12 * b1 - (I12 + m12 * l12**2 / 4) * b2 + half * v1**2 * sp.sin(a2)
    assert is_equal(-y.residual.xreplace(no_reaction), [Q1, Q2, 0])
    # (40): the sum over bodies of what their inertia does along δr and δθ
    turns = {"e11": (b1, I11, m11, (1, 0)), "e12": (b1 + b2, I12, m12, (1, 1))}
    for j, angle in enumerate((a1, a2)):
        work = T if j == 0 else 0
        for body, (alpha, I, m, share) in turns.items():
            p = y.vector(y.made.worp[y.made.numeric.packer.node[body]])
            work -= m * y.acceleration(body).dot(p.diff(angle)) + I * alpha * share[j]
        assert is_zero(work - (Q1, Q2)[j])
    # (44), (45): Q1 + Q2 J1 is the one equation of the embedding form
    form = symbolic_embedding(y.made, ["e61.angle"])
    J1 = l11 * sp.cos(a1) / (l12 * sp.cos(a1 + a2)) - 1
    assert is_equal(y.read(form.B).extract(y.order, [0])[1:2, :], [J1])
    accelerations = y.read(form.B) * sp.Matrix([b1]) + y.read(form.bias)
    swap = {b2: accelerations[y.order[1]]}
    found = y.read(form.F)[0] - y.read(form.M)[0, 0] * b1
    assert is_zero(sp.together((Q1 + Q2 * J1).xreplace(swap) - found))


def test_names_of_intermediate_results_are_few_and_stand_for_what_is_written():
    """What comes once stays where it is; with all names put in, M, F and G are those of the engine."""
    made = symbolic(build("leger_a03_three_bodies"))
    (section,) = write_steps(made, "equations")
    named = {sp.Symbol(line.left, real=True): line.right[0] for line in section.lines if line.label == "with"}
    assert 0 < len(named) < 200  # of more than a thousand operations
    entries = {f"F_{i + 1}": x for i, x in enumerate(made.F)}
    entries |= {f"M_{i + 1}_{j + 1}": made.M[i, j] for i in range(made.n) for j in range(i + 1)}
    entries |= {f"G_{i + 1}_{j + 1}": made.G[i, j] for i in range(made.m) for j in range(made.n)}
    lines = [line for line in section.lines if line.left in entries]
    free = set().union(*(e.free_symbols for line in section.lines for e in line.right)) - named.keys()
    rng = np.random.default_rng(3)
    at = {s: float(rng.uniform(-1.0, 1.0)) for s in sorted(free, key=str)}
    for z, e in named.items():  # each is written in those before it
        at[z] = float(e.xreplace(at))
    values = [float(sp.sympify(line.right[0]).xreplace(at)) for line in lines]
    numbers = {symbol(s.name): at[s] for s in free}
    wanted = [float(x) for x in substituted([entries[line.left] for line in lines], numbers)]
    assert values == pytest.approx(wanted, rel=1e-10, abs=1e-10)
