"""Equations as a person writes them are the equations: equal at random points, terms in their groups."""

import numpy as np
import pytest
import sympy as sp
from catalogue import FLEXIBLE, FOLDER, NAMES, NETWORKS, TREES, build

import flexnet as fx
from flexnet.algebra.function import FUNCTIONS
from flexnet.formulation.symbolic import symbolic
from flexnet.formulation.symbolic.mathml import pieces, to_mathml, tree
from flexnet.formulation.symbolic.motion import motion_form
from tests.symbolic.reading import symbols

#: every case that is no network alone, in all ready-made trees
CASES = [
    (name, rule)
    for name in sorted({*NAMES, *FLEXIBLE, *NETWORKS})
    if name not in NETWORKS or "_body(" in (FOLDER / f"{name}.py").read_text()
    for rule in TREES
]


def written_out(made, form):
    """Equations and constraints of a form by name, names of factors written out."""
    whole = {e.name: sp.Add(*(x for _, x in e.groups)) for e in form.equations}
    whole |= {made.numeric.rows[i].name: x for i, x in form.constraints}
    return {name: x.xreplace(dict(form.definitions)) for name, x in whole.items()}


def residual(made, wanted):
    """M v̇ + Gᵀ λ - F by coordinate, Φ by row, as the engine has them, of the equations that are wanted."""
    out = {}
    for i, name in enumerate(made.numeric.coordinates.v_names):
        if name in wanted:
            entries = made.read(np.array([*made.M[i], *made.G[:, i], made.F[i]], dtype=object))
            factors = made.read(np.array([*made.variables.a, *made.variables.lam, -1], dtype=object))
            out[name] = sp.Add(*(x * f for x, f in zip(entries, factors, strict=True)))
    for row, held in zip(made.numeric.rows, made.phi, strict=True):
        if row.name in wanted:
            out[row.name] = made.read(held)
    return {name: quotients(x) for name, x in out.items()}


def quotients(e):
    """An expression in which ``inverse``, which is 0 at 0, is the quotient it is elsewhere."""
    return sp.sympify(e).replace(lambda x: x.func.__name__ == "inverse", lambda x: 1 / x.args[0])


def quaternions(made):
    """The four symbols of every rotation that is written by a quaternion, whose length is one."""
    var = made.variables
    return [[made.read(x) for x in turn] for name, turn in var.turns.items() if not var.sequences[name]]


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("name", "rule"), CASES)
def test_every_simplification_is_equal_at_random_points(name, rule):
    made = symbolic(build(name), rule)
    form = motion_form(made)
    short = written_out(made, form)
    exact = {key: e.xreplace(dict(form.equal)) for key, e in residual(made, short).items()}
    names, rows = made.numeric.coordinates.v_names, [row.name for row in made.numeric.rows]
    assert set(names) <= set(short) | set(form.left_out) <= {*names, *rows}
    if not short:
        return
    symbols = sorted({s for e in (*exact.values(), *short.values()) for s in e.free_symbols}, key=str)
    keys = list(short)
    entries = [*(short[k] for k in keys), *(exact[k] for k in keys)]
    # the size of the terms that cancel is the scale of the error
    sizes = [sp.Add(*(abs(t) for t in sp.Add.make_args(exact[k]))) for k in keys]
    known = [{name: function.value for name, function in FUNCTIONS.items() if function.formula}, "numpy"]
    call = sp.lambdify(symbols, [*entries, *sizes], known, cse=True)
    rng, n = np.random.default_rng(len(name)), len(keys)
    turns = [[symbols.index(s) for s in e if s in symbols] for e in quaternions(made)]
    for _ in range(5):
        x = rng.uniform(-2.0, 2.0, len(symbols))
        for e in turns:
            x[e] /= np.linalg.norm(x[e])
        values = np.array(call(*x), dtype=float)
        error = np.abs(values[:n] - values[n : 2 * n])
        assert np.all(error <= 1e-12 * np.maximum(1.0, values[2 * n :]))


def test_terms_stand_in_their_groups():
    s = fx.System("arm", planar=True)
    s.gravity([0, -9.81])
    one = s.rigid_body("one", 1.0, 0.1, frames={"a": [-0.5, 0], "b": [0.5, 0]}, position=[0.5, 0, 0])
    two = s.rigid_body("two", 1.0, 0.1, frames={"b": [-0.5, 0]}, position=[1.5, 0, 0])
    s.revolute("A", s.ground, one["a"])
    s.revolute("B", one["b"], two["b"])
    s.torsional_spring("spring", joint="B", stiffness=5.0, damping=0.1)
    made = symbolic(s, "joint")
    first, second = motion_form(made).equations
    assert [word for word, _ in first.groups] == ["inertia", "Coriolis", "centrifugal", "gravity"]
    assert [word for word, _ in second.groups] == ["inertia", "centrifugal", "damping", "spring", "gravity"]
    groups = dict(first.groups)
    rates = {v.name for v in made.variables.v}
    assert {x.name for x in groups["Coriolis"].free_symbols} & rates == rates
    names = {str(s): e for s, e in motion_form(made).definitions}
    assert sp.simplify(names["c12"] - sp.cos(sum(e for e in names["c12"].args[0].free_symbols))) == 0


def test_a_constraint_is_written_in_sums_of_angles_and_the_names_of_the_equations():
    form = motion_form(symbolic(build("leger_a02_five_bar")))
    assert [i for i, _ in form.constraints] == [0, 1]
    inside = {s.name for _, e in form.constraints for s in e.free_symbols}
    assert {"c_2-3", "s_2-3", "l.m3"} <= inside
    assert max(e.count_ops() for _, e in form.constraints) < 20


def test_the_length_of_a_spring_has_its_name():
    form = motion_form(symbolic(build("flexnet_figure_1")))
    names = {str(a): e for a, e in form.definitions}
    assert {"l.k6", "l.k7", "l.d8"} <= set(names)
    (spring,) = (e for word, e in form.equations[0].groups if word == "spring")
    assert {"l.k6", "l.k7"} <= {s.name for s in spring.free_symbols}
    assert not spring.has(names["l.k6"])
    assert "inverse" not in str(spring)


def test_an_index_stands_below_the_power_of_its_letter():
    text = to_mathml(["math", tree(sp.Symbol("m1.angle_dot") ** 2)])
    assert "<msubsup>" in text
    assert "<msup>" not in text


def test_squares_of_sine_and_cosine_are_one():
    made = symbolic(build("double_pendulum"), "joint")
    (inertia, *_rest) = motion_form(made).equations[0].groups
    assert "sin" not in str(inertia[1]).replace("sin_", "")


@pytest.mark.parametrize("name", ["<script>", 'a"b', "x&y"])
def test_names_are_escaped_in_mathml(name):
    text = to_mathml(["math", tree(sp.Symbol(f"{name}.angle_dot") ** 2)])
    assert name not in text
    assert text.count("<math>") == 1


def at_random_points(made, printed, names):
    """Largest difference between equations as they are written and as they are printed, over their terms."""
    form = motion_form(made)
    assert form.left_out == ()
    short = {k: e.xreplace(dict(form.equal)) for k, e in written_out(made, form).items()}
    var, c = made.variables, made.numeric.coordinates
    letters = dict(zip(c.v_names, names, strict=True))
    swap = {made.read(var.place[q]): symbols(letters[c.v_names[v]]) for q, v in c.scalars}
    for column, mark in ((var.v, "'"), (var.a, "''")):
        swap |= {made.read(x): symbols(f"{n}{mark}") for x, n in zip(column, names, strict=True)}
    swap |= {made.read(x): symbols(f"lam{i}") for i, x in enumerate(var.lam)}
    ours = [short[name].xreplace(swap) for name in c.v_names]
    theirs = [printed[letters[name]] for name in c.v_names]
    every = sorted({s for e in (*ours, *theirs) for s in e.free_symbols}, key=str)
    sizes = [sp.Add(*(abs(t) for t in sp.Add.make_args(sp.expand(e)))) for e in theirs]
    call = sp.lambdify(every, [*ours, *theirs, *sizes], "numpy")
    rng, n = np.random.default_rng(1), len(ours)
    for _ in range(5):
        x = np.array(call(*rng.uniform(-2.0, 2.0, len(every))), dtype=float)
        yield np.abs(x[:n] - x[n : 2 * n]) / np.maximum(1.0, x[2 * n :])


def test_the_slider_crank_is_the_printed_one():
    """GTM (125), (134) to (139)."""
    m1, m2, m3, I1, I2, l5, l6, l7, l8, F = symbols("m1 m2 m3 I1 I2 l5 l6 l7 l8 F13")
    given = {
        "m.m1": m1, "m.m2": m2, "m.m3": m3, "J.m1.zz": I1, "J.m2.zz": I2, "m1.r5.x": -l5, "m1.r6.x": l6,
        "m2.r7.y": l7, "m2.r8.y": -l8, "F13.x": F,
    }  # fmt: skip
    trees = {"translation": ["h9", "h10", "h11"], "rotation": ["m1", "m2", "s12"]}
    made = symbolic(build("slider_crank_gtm"), given=given, **trees)
    t1, t2, w1, w2, a1, a2, lam = symbols("t1 t2 t1' t2' t1'' t2'' lam0")
    a, b = l5 + l6, l7 + l8
    M12 = (m2 * l7 + m3 * b) * a * sp.sin(t2 - t1)
    k = (m2 * l7 + m3 * b) * a * sp.cos(t1 - t2)
    first = (I1 + m1 * l5**2 + (m2 + m3) * a**2) * a1 + M12 * a2 + F * a * sp.sin(t1) + k * w2**2
    second = M12 * a1 + (I2 + m2 * l7**2 + m3 * b**2) * a2 - F * b * sp.cos(t2) - k * w1**2
    # the row of the guide as we write it is (125) with the other sign
    printed = {"t1": first + a * sp.cos(t1) * lam, "t2": second + b * sp.sin(t2) * lam}
    assert max(map(np.max, at_random_points(made, printed, ("t1", "t2")))) < 1e-12


def test_the_pendulating_rotor_is_the_printed_one():
    """DynaFlex, example of the pendulating rotor, before the drivers' motions are put in."""
    m, R, L, g = symbols("m3 R L g")
    J = m * R**2 / 4
    given = {
        "m.disk": m, "J.disk.xx": J, "J.disk.yy": J, "J.disk.zz": 2 * J, "shaft_2.e7.z": -L / 2,
        "shaft_2.e12.z": L / 2, "g.z": -g,
    }  # fmt: skip
    made = symbolic(build("pendulating_rotor"), "joint", given=given)
    th, dpsi, dth, dph, apsi, ath, aph = symbols("th psi' th' ph' psi'' th'' ph''")
    c, s, mR, mL = sp.cos(th), sp.sin(th), m * R**2, m * L**2
    printed = {
        "psi": (mR / 4 + mR / 4 * c**2 - mL * c**2 + mL) * apsi - mR * c / 2 * aph + mR / 2 * s * dph * dth
        + (2 * mL * c * s - s * mR * c / 2) * dpsi * dth + symbols("lam0"),
        "th": (mR / 4 + mL) * ath + (s * mR * c / 4 - mL * c * s) * dpsi**2 - mR / 2 * s * dpsi * dph
        + m * g * L * s,
        "ph": mR / 2 * aph - mR * c / 2 * apsi + mR / 2 * s * dth * dpsi + symbols("lam1"),
    }  # fmt: skip
    assert max(map(np.max, at_random_points(made, printed, ("psi", "th", "ph")))) < 1e-12


def test_the_heavy_top_has_the_equations_of_euler():
    """J ω̇ + ω × J ω = r × Rᵀ m g about the fixed point: of R Rᵀ, which is one, nothing is left."""
    form = motion_form(symbolic(build("heavy_top")))
    assert (form.left_out, form.definitions) == ((), ())
    names = "xx yy g m l e0 ex ey ez wx wy wz ax ay az"
    xx, yy, g, m, l, e0, ex, ey, ez, wx, wy, wz, ax, ay, az = symbols(names)
    stems = "J.top.xx J.top.yy g.z m.top top.foot.y"
    stems += "".join(f" top.quaternion_{a}" for a in "wxyz")
    stems += "".join(f" top.omega_{a}{dot}" for dot in ("", "_dot") for a in "xyz")
    letters = dict(zip(symbols(stems), symbols(names), strict=True))
    A = xx + m * l**2
    expected = [
        A * ax + (A - yy) * wy * wz + m * g * l * (1 - 2 * ex**2 - 2 * ey**2),
        yy * ay,
        A * az + (yy - A) * wx * wy + 2 * m * g * l * (e0 * ey - ex * ez),
    ]
    found = [sp.Add(*(x for _, x in e.groups)).xreplace(letters) for e in form.equations]
    assert [sp.expand(a - b) for a, b in zip(found, expected, strict=True)] == [0, 0, 0]


@pytest.mark.slow
def test_moments_of_a_disk_are_one_letter_and_it_is_said():
    form = motion_form(symbolic(build("pendulating_rotor"), "joint"))
    assert [(str(a), str(b)) for a, b in form.equal] == [("J.disk.yy", "J.disk.xx")]
    inside = {s.name for e in form.equations for _, x in e.groups for s in x.free_symbols}
    assert "J.disk.yy" not in inside


def test_a_moment_that_cancels_an_equal_one_is_told():
    """Of (J.yy - J.zz) ω_y ω_z nothing is left; that both are equal is what it rests on."""
    s = fx.System("spindle")
    s.spherical("centre", s.ground, s.rigid_body("spindle", 1.0, [0.2, 0.3, 0.3]))
    form = motion_form(symbolic(s, "absolute"))
    assert [(str(a), str(b)) for a, b in form.equal] == [("J.spindle.zz", "J.spindle.yy")]
    (rolling,) = (e for e in form.equations if e.name.endswith("omega_x"))
    assert [word for word, _ in rolling.groups] == ["inertia"]


def test_formulas_of_pages_break_within_long_brackets_and_powers_are_of_all_of_a_component():
    a, b, c, d = sp.symbols("a b c d")
    component = sp.Symbol("platform.quaternion_x")
    assert to_mathml(tree(component**2)).count("<mo>(</mo>") == 1  # not one power above another
    long = sp.Mul(-2, sp.sin(a), a * b + b * c + c * d + d * a + a * c + b * d, evaluate=False) + a
    runs = pieces(long)
    assert len(runs) == 7  # a line may end before every term, in brackets too
    written = "".join(to_mathml(run) for run in runs)
    assert written.count("<mo>(</mo>") == written.count("<mo>)</mo>")
    assert [len(pieces(x)) for x in (a, a + b, 2 * (a + b) * c)] == [1, 2, 1]
    far = (
        a * b + b * c + c * d + d * a + a * c + b * d + a * b * c
    )  # nor is a power, an argument, a quotient one
    for x in (far / 2, far**2, sp.sin(far), a / far, (far / 2 - 1) * sp.cos(a)):
        assert len(pieces(x)) >= 6, x
