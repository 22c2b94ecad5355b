"""Known functions of time: value and derivatives of every kind, as data, expression or callable."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.interpolate import CubicSpline

import flexnet as fx
from flexnet.algebra import compile_programs
from flexnet.components.time_function import with_derivatives
from flexnet.formulation.functions import FunctionTable

t_ = sp.Symbol("t")
TIMES = np.linspace(0.0, 2.0, 9)
VALUES = np.array([0.0, 0.3, -0.2, 0.5, 1.0, 0.4, 0.1, -0.6, 0.2])

FUNCTIONS = {
    "constant": (fx.constant(2.5), lambda t: 2.5),
    "polynomial": (fx.polynomial(1.0, -2.0, 0.5, 0.3), lambda t: 1 - 2 * t + 0.5 * t**2 + 0.3 * t**3),
    "ramp": (fx.ramp(3.0, start=-1.0), lambda t: 3 * t - 1),
    "harmonic": (fx.harmonic(2.0, 3.0, 0.4, 1.0), lambda t: 1 + 2 * math.sin(3 * t + 0.4)),
    "cycloidal": (
        fx.cycloidal(1.0, 3.0, 1.2, begin=0.3),
        lambda t: (
            1 + 2 * ((s := min(max((t - 0.3) / 1.2, 0), 1)) - math.sin(2 * math.pi * s) / (2 * math.pi))
        ),
    ),
    "smooth_step": (
        fx.smooth_step(1.0, 3.0, 1.2, begin=0.3),
        lambda t: 1 + 2 * (s := min(max((t - 0.3) / 1.2, 0), 1)) ** 3 * (10 - 15 * s + 6 * s**2),
    ),
    "table": (fx.table(TIMES, VALUES), lambda t: float(CubicSpline(TIMES, VALUES)(t))),
    "expression": (
        fx.expression(sp.exp(-t_) * sp.sin(3 * t_) + sp.sqrt(t_ + 1) / (1 + t_**2)),
        lambda t: math.exp(-t) * math.sin(3 * t) + math.sqrt(t + 1) / (1 + t**2),
    ),
    "callable": (fx.from_callable(lambda t: math.tanh(t) * t), lambda t: math.tanh(t) * t),
    "callable with derivatives": (
        fx.from_callable(math.sin, math.cos, lambda t: -math.sin(t)),
        math.sin,
    ),
    "callable with one derivative": (fx.from_callable(math.sin, math.cos), math.sin),
}


def values(function, t):
    """f, f', f'' as the engine sees them: the angle driver of a one-body system."""
    s = fx.System("probe", planar=True)
    body = s.rigid_body("body", 1.0, 1.0)
    s.revolute("pin", s.ground, body)
    s.motion("drive", joint="pin", angle=function)
    # at the times asked for; t = 0 only serves the assembly
    equations = fx.Equations(s, *fx.select_trees(s.graph, "joint", rotation=["drive"]))
    state = fx.State(t, np.zeros(0), np.zeros(0))
    equations.residual(state, np.zeros(0), np.zeros(0))
    return tuple(float(x) for x in equations.work.f[0])


def loaded(formula):
    """A formula of sympy as a load has it, a function of t."""
    table, out = FunctionTable(), np.zeros(3)
    table.add(fx.expression(formula), "load", is_motion=False)
    run = compile_programs(table.families[0])

    def found(t):
        run("known", t, np.array([*table.data, 0.0]), out)
        return float(out[0])

    return found


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("t", [0.05, 0.4, 0.77, 1.13, 1.44, 1.9])
def test_value_and_derivatives(name, t):
    function, plain = FUNCTIONS[name]
    f, d, dd = values(function, t)
    assert f == pytest.approx(plain(t), rel=1e-13, abs=1e-13)
    h = 1e-3 if name != "table" else 1e-4
    first = (plain(t - 2 * h) - 8 * plain(t - h) + 8 * plain(t + h) - plain(t + 2 * h)) / (12 * h)
    second = (plain(t - h) - 2 * plain(t) + plain(t + h)) / h**2
    assert d == pytest.approx(first, rel=1e-7, abs=1e-7)
    assert dd == pytest.approx(second, rel=1e-4, abs=3e-4)


@pytest.mark.parametrize("name", ["cycloidal", "smooth_step"])
def test_rises_begin_and_end_at_rest(name):
    function, _ = FUNCTIONS[name]
    assert values(function, 0.1) == (1.0, 0.0, 0.0)
    assert values(function, 0.3) == (1.0, 0.0, 0.0)
    assert values(function, 1.5) == pytest.approx((3.0, 0.0, 0.0), abs=1e-12)
    assert values(function, 9.0) == (3.0, 0.0, 0.0)


def test_a_table_goes_on_with_its_end_slope():
    spline = CubicSpline(TIMES, VALUES)
    for outside, end in ((-0.5, 0.0), (3.0, 2.0)):
        f, d, dd = values(fx.table(TIMES, VALUES), outside)
        assert f == pytest.approx(spline(end) + spline(end, 1) * (outside - end), rel=1e-12)
        assert d == pytest.approx(spline(end, 1), rel=1e-12)
        assert dd == 0.0


@pytest.mark.parametrize("t", [0.1, 0.5, 1.3])
@pytest.mark.parametrize(
    "formula",
    [
        sp.sin(t_), sp.cos(t_), sp.tan(t_), sp.exp(t_), sp.log(t_), sp.sqrt(t_), sp.tanh(t_), sp.sinh(t_),
        sp.cosh(t_), sp.asin(t_ / 2), sp.acos(t_ / 2), sp.atan(t_), t_**3, t_**sp.Rational(5, 2), 1 / t_,
        sp.pi * t_ - sp.E, sp.Max(t_, 1), sp.Min(t_, 1), sp.Abs(t_ - 1), sp.sign(t_ - 1),
        sp.Heaviside(t_ - 1), (t_ + 1) ** (-t_), sp.Rational(1, 3) * t_,
    ],
)  # fmt: skip
def test_every_function_of_sympy_that_compiles(formula, t):
    """The value, as a load has it: a motion may have no corners."""
    plain = sp.lambdify(t_, formula, "math")
    found = loaded(formula)(t)
    expected = float(formula.subs(t_, t)) if formula.has(sp.Heaviside) else plain(t)
    assert found == pytest.approx(expected, rel=1e-14)


def test_symbols_with_assumptions_are_the_time_too():
    t = sp.Symbol("t", positive=True)
    assert values(fx.expression(t**2), 1.5) == pytest.approx((2.25, 3.0, 2.0))
    assert values(sp.sin(t), 0.5)[1] == pytest.approx(math.cos(0.5))


def test_numbers_and_callables_may_stand_for_functions():
    assert values(3, 0.5) == (3.0, 0.0, 0.0)
    assert values(np.float64(1.5), 0.5) == (1.5, 0.0, 0.0)
    assert values(math.sin, 0.5)[:2] == pytest.approx((math.sin(0.5), math.cos(0.5)), rel=1e-8)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fx.table([0.0], [1.0]), "two columns of equal length"),
        (lambda: fx.table([0.0, 1.0], [1.0]), "two columns of equal length"),
        (lambda: fx.table([0.0, 1.0, 1.0], [1.0, 2.0, 3.0]), "must increase; row 2 does not"),
        (lambda: fx.cycloidal(0, 1, 0.0), "positive duration"),
        (lambda: fx.smooth_step(0, 1, -1.0), "positive duration"),
        (lambda: fx.constant(math.nan), "value is nan; expected a finite number"),
        (lambda: fx.polynomial(0.0, math.inf), "coefficients is inf; expected a finite number"),
        (lambda: fx.expression(sp.Symbol("x") + t_), r"the symbol t only, not \['x'\]"),
        (lambda: fx.from_callable(math.sin, math.cos, math.sin, math.cos), "at most two derivatives"),
        (lambda: values("sin", 0.0), "is 'sin'; expected a TimeFunction or .* a finite number or a function"),
        (lambda: values(math.nan, 0.0), "is nan; expected a TimeFunction or .* a finite number"),
        (lambda: values(sp.gamma(t_), 0.0), "gamma, which cannot be written as code; use a Python callable"),
        (lambda: values(sp.Max(t_, 1), 0.0), "of 'drive': .* DiracDelta, which cannot be written"),
        (lambda: values(sp.Piecewise((0, t_ < 1), (1, True)), 0.0), "whose jumps are not seen"),
    ],
)
def test_bad_functions_are_refused(make, message):
    with pytest.raises(fx.ModelError, match=message):
        make()


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e4])
def test_differences_of_a_callable_suit_its_model_in_any_unit_of_time(unit):
    w = 3.0 / unit
    _, first, second = with_derivatives(fx.from_callable(lambda t: math.sin(w * t)), unit)
    for t in (0.3 * unit, 1.7 * unit):
        assert first(t) == pytest.approx(w * math.cos(w * t), rel=1e-4)
        assert second(t) == pytest.approx(-w * w * math.sin(w * t), rel=1e-4)


@pytest.mark.parametrize("time", [1e-2, 1.0, 10.0])
@pytest.mark.parametrize(("begin", "duration"), [(1.0, 0.3), (1.0, 0.01), (7.0, 0.02), (0.05, 0.02)])
def test_differences_find_a_rise_wherever_it_lies_and_however_short_it_is(begin, duration, time):
    """A step chosen once, at four instants, was that of the rest around it: rates 65 to 99 % off."""

    def share(t):
        return min(max((t - begin) / duration, 0.0), 1.0)

    def rise(t):
        return share(t) - math.sin(2 * math.pi * share(t)) / (2 * math.pi)

    _, first, second = with_derivatives(fx.from_callable(rise), time)
    for t in np.linspace(begin - 0.45 * duration, begin + 1.45 * duration, 40):
        turned = 2 * math.pi * share(t)
        assert first(t) * duration == pytest.approx(1 - math.cos(turned), abs=1e-9)
        assert second(t) * duration**2 == pytest.approx(2 * math.pi * math.sin(turned), abs=2e-4)


@pytest.mark.parametrize("periods", [1.0, 8.0, 32.0, 32.0 / 0.57, 1000.0])
def test_differences_of_a_vibration_do_not_take_its_periods_for_steps(periods):
    w = 2 * math.pi * periods
    _, first, second = with_derivatives(fx.from_callable(lambda t: 0.3 * math.sin(w * t) + 0.2), 1.0)
    for t in (0.0, 0.3, 1.7):
        assert first(t) == pytest.approx(0.3 * w * math.cos(w * t), abs=1e-7 * w)
        assert second(t) == pytest.approx(-0.3 * w * w * math.sin(w * t), abs=1e-7 * w * w)


def test_differences_of_a_function_that_is_known_near_its_instants_only():
    def known(t):
        if not 0.999 < t < 1.001:
            raise ValueError("outside")
        return t**3

    _, first, second = with_derivatives(fx.from_callable(known), 1.0)
    assert (first(1.0), second(1.0)) == pytest.approx((3.0, 6.0), rel=1e-6)
    with pytest.raises(ValueError, match="outside"):
        first(2.0)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (sp.And(t_ > 0.3, t_ < 0.6), lambda t: 0.3 < t < 0.6),
        (sp.Or(t_ < 0.3, t_ >= 0.6), lambda t: t < 0.3 or t >= 0.6),
        (
            sp.Not(sp.And(t_ > 0.3, sp.Or(t_ < 0.6, t_ > 0.9))),
            lambda t: not (t > 0.3 and (t < 0.6 or t > 0.9)),
        ),
    ],
)
def test_conditions_of_sympy_may_be_joined(condition, holds):
    found = loaded(sp.Piecewise((t_ + 1, condition), (-t_, True)))
    for t in (0.1, 0.3, 0.45, 0.6, 0.8, 0.95):
        assert found(t) == pytest.approx(t + 1 if holds(t) else -t)


def test_a_piecewise_that_ends_without_true_is_whole_or_refused():
    """The last formula once held wherever no condition did."""
    found = loaded(sp.Piecewise((t_, t_ < 0.5), (2 * t_, t_ >= 0.5)))
    assert (found(0.25), found(0.75)) == (0.25, 1.5)
    with pytest.raises(fx.ModelError, match=r"says nothing where none of .* end it with \(value, True\)"):
        loaded(sp.Piecewise((t_, t_ < 0.5), (2 * t_, t_ < 0.8)))
