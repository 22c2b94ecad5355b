"""Exact derivatives: complex steps, forwards beside backwards, choices with infinities in them."""

from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest

from flexnet.algebra import (
    FUNCTIONS,
    add,
    backward,
    cos,
    cross,
    exp,
    exponential,
    extern,
    forward,
    gradient,
    jacobian,
    log,
    rotation_about,
    rotation_vector,
    sin,
    sqrt,
    substituted,
    symbols,
    tape,
    transpose,
    turn_bias,
    turn_c,
    turn_rate,
    where,
)  # fmt: skip
from flexnet.errors import ModelError
from tests.algebra.running import program_of, runner
from tests.algebra.test_languages import REFERENCES, REFERENCES_OF_TWO

#: functions that jump or bend, and where they do
ROUGH = {"absolute": 0.0, "nearest": None, "sgn": 0.0, "heaviside": 0.0}


def test_derivatives_are_complex_steps():
    """Analytic formulas at x + ih: the imaginary part over h is the derivative to round-off."""
    x, y, z = symbols("x y z")
    formulas = [
        sin(x * y) / (1 + z * z), exp(x / 2) * sqrt(y) - y**2.5, log(y + 3) ** 3 * cos(z - x), x ** (y / 2),
        turn_c(y * y / 4) * x, add(*(k * x**k for k in range(1, 6))),
    ]  # fmt: skip
    inputs = [x, y, z]
    values = runner(program_of(inputs, formulas), "numpy", None)
    slopes = runner(program_of(inputs, list(jacobian(formulas, inputs).ravel())), "numpy", None)
    at, h = np.array([0.7, 1.4, -0.3]), 1e-30
    found = slopes(at).reshape(len(formulas), 3)
    for j in range(3):
        step = at.astype(complex)
        step[j] += 1j * h
        assert np.allclose(found[:, j], values(step).imag / h, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", [n for n in (*REFERENCES, *REFERENCES_OF_TWO) if n not in ROUGH])
def test_the_derivative_of_every_function_is_that_of_mpmath(name):
    """By its rule or of its formula; the limits of removable singularities included."""
    reference, places = {**REFERENCES, **REFERENCES_OF_TWO}[name]
    x, y = symbols("x y")
    function = FUNCTIONS[name]
    inputs = [x, y][: len(function.parameters)]
    run = runner(program_of([x, y], gradient(function(*inputs), inputs)), "numpy", None)
    for place in places:
        at = list(place) if isinstance(place, tuple) else [place, 1.0]
        if 0.0 in at or (name == "inverse" and at[0] < 1e-14) or 1e-13 in at:
            continue
        found = run(np.array(at))
        with mp.workdps(50):
            for j in range(len(inputs)):
                order = (1, 0) if j == 0 else (0, 1)
                expected = (
                    mp.diff(reference, tuple(at), order) if len(inputs) > 1 else mp.diff(reference, at[0])
                )
                assert found[j] == pytest.approx(float(expected), rel=1e-11, abs=1e-12), (place, j)


def test_forwards_and_backwards_agree():
    x, y, z = symbols("x y z")
    u = sin(x * y) + z
    formulas = [u * u / x, where(x < y, u * z, exp(u)), u - cos(u), x]
    inputs = [x, y, z]
    ahead = np.array([forward(formulas, {s: 1}) for s in inputs], dtype=object).T
    back = np.array([backward({f: 1}, inputs) for f in formulas], dtype=object)
    at = np.array([0.4, 0.9, 1.7])
    one, other = (runner(program_of(inputs, list(J.ravel())), "numpy", None)(at) for J in (ahead, back))
    assert np.allclose(one, other, rtol=1e-14)


@pytest.mark.parametrize("way", ["forward", "backward"])
def test_a_branch_that_is_not_taken_contributes_nothing(way):
    """√x for x > 0, else 0: at zero and below the slope is zero, not infinity times zero."""
    (x,) = symbols("x")
    f = where(x > 0, sqrt(x) * 3, 0) + where(x > 1, log(x - 1), 2 * x)
    slope = forward([f], {x: 1})[0] if way == "forward" else gradient(f, [x])[0]
    run = runner(program_of([x], [slope]), "numpy", None)
    assert run(np.array([-1.0]))[0] == 2.0
    assert run(np.array([0.0]))[0] == 2.0
    assert run(np.array([0.25]))[0] == pytest.approx(3.0 + 2.0)
    assert run(np.array([4.0]))[0] == pytest.approx(0.75 + 1 / 3)


def test_the_vector_of_a_turn_is_axis_times_angle_and_its_slope_the_axis():
    (a,) = symbols("a")
    axis = np.array([2.0, -1.0, 2.0]) / 3
    phi = list(rotation_vector(rotation_about(axis, a)))
    run = runner(program_of([a], [*phi, *forward(phi, {a: 1})]), "machine", None)
    for angle in (-3.0, -0.4, 1e-3, 0.05, 1.0, 2.9):
        found = run([angle])
        assert np.allclose(found[:3], axis * angle, rtol=1e-12, atol=1e-15)
        assert np.allclose(found[3:], axis, rtol=1e-9)


def test_backwards_costs_a_small_multiple_of_the_function():
    """Whatever the number of inputs."""
    xs = symbols(" ".join(f"x{i}" for i in range(40)))
    f = add(*(sin(a * b) for a, b in pairwise(xs)))
    assert len(tape(gradient(f, list(xs)))) < 4 * len(tape([f]))


def test_a_python_law_has_no_derivative():
    x, y = symbols("x y")
    with pytest.raises(ModelError, match="no derivative"):
        gradient(extern("laws", 0, x, y), [x])


@pytest.mark.parametrize("size", [0.0, 1e-3, 0.0101, 0.4, 1.9, 2.1, 3.0])
def test_the_rate_of_a_rotation_vector_turns_its_rotation(size):
    """d/dt exp φ̃ = (J φ̇)~ exp φ̃, and d/dt (J φ̇) = J φ̈ + J̇ φ̇: to round-off at any angle."""
    phi, x = symbols("a b c"), (0.7, -1.3, 0.4)
    values = dict(zip(phi, (size * 0.48, size * -0.6, size * 0.64), strict=True))
    way = dict(zip(phi, x, strict=True))
    R = exponential(phi)
    w = turn_rate(phi, x)
    turned = [cross(w, column) for column in transpose(R)]  # columns of w̃ R
    sides = [e for row in R for e in row], [e for row in transpose(turned) for e in row]
    found, expected = (substituted(side, values) for side in (forward(sides[0], way), sides[1]))
    assert np.array(found, float) == pytest.approx(np.array(expected, float), abs=1e-14)
    found, expected = (substituted(side, values) for side in (forward(w, way), turn_bias(phi, x)))
    assert np.array(found, float) == pytest.approx(np.array(expected, float), rel=1e-13, abs=1e-15)
