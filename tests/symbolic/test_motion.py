"""Equations as a person writes them are the equations: equal at random points, terms in their groups."""

import numpy as np
import pytest
import sympy as sp
from catalogue import build

import flexnet as fx
from flexnet.formulation.symbolic import motion_form, symbolic
from flexnet.formulation.symbolic.mathml import to_mathml, tree
from flexnet.formulation.symbolic.motion import defined

CASES = (
    ("double_pendulum", "default"), ("double_pendulum", "joint"), ("double_pendulum", "absolute"),
    ("slider_crank_gtm", "default"), ("slider_crank_gtm", "joint"), ("pendulating_rotor", "default"),
    ("quick_return", "joint"), ("leger_a01_four_bar", "absolute"), ("heavy_top", "absolute"),
    pytest.param("squeezer", "default", marks=pytest.mark.slow),
    pytest.param("leger_a09_peaucellier", "joint", marks=pytest.mark.slow),
)  # fmt: skip


def written_out(made, form):
    """Equations of a form by coordinate, names of factors written out."""
    return {e.name: defined(form.definitions, sp.Add(*(x for _, x in e.groups))) for e in form.equations}


def residual(made):
    """M v̇ + Gᵀ λ - F by coordinate, as the engine has it."""
    M, G, F = made.read(made.M), made.read(made.G) if made.m else None, made.read(made.F)
    a = sp.Matrix([made.read(x) for x in made.variables.a])
    total = M * a - F
    if made.m:
        total += G.T * sp.Matrix([made.read(x) for x in made.variables.lam])
    return dict(zip(made.numeric.coordinates.v_names, total, strict=True))


@pytest.mark.parametrize(("name", "rule"), CASES)
def test_every_simplification_is_equal_at_random_points(name, rule):
    made = symbolic(build(name), rule)
    form = motion_form(made)
    exact, short = residual(made), written_out(made, form)
    assert set(short) | set(form.left_out) == set(exact)
    symbols = sorted({s for e in (*exact.values(), *short.values()) for s in e.free_symbols}, key=str)
    keys = list(short)
    entries = [*(short[k] for k in keys), *(exact[k] for k in keys)]
    # the size of the terms that cancel is the scale of the error
    sizes = [sp.Add(*(abs(t) for t in sp.Add.make_args(exact[k]))) for k in keys]
    call = sp.lambdify(symbols, [*entries, *sizes], "numpy", cse=True)
    rng, n = np.random.default_rng(len(name)), len(keys)
    for _ in range(5):
        values = np.array(call(*rng.uniform(-2.0, 2.0, len(symbols))), dtype=float)
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


def test_squares_of_sine_and_cosine_are_one():
    made = symbolic(build("double_pendulum"), "joint")
    (inertia, *_rest) = motion_form(made).equations[0].groups
    assert "sin" not in str(inertia[1]).replace("sin_", "")


@pytest.mark.parametrize("name", ["<script>", 'a"b', "x&y"])
def test_names_are_escaped_in_mathml(name):
    text = to_mathml(["math", tree(sp.Symbol(f"{name}.angle_dot") ** 2)])
    assert name not in text
    assert text.count("<math>") == 1
