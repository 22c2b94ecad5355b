"""Signals of time alone as functions of time: what a motion driver can follow, rates and all."""

import flexnet.algebra as algebra
from flexnet.components import TimeFunction
from flexnet.errors import ModelError
from flexnet.signals.evaluation import evaluate
from flexnet.signals.signal import Known, Signal, Time
from flexnet.units import parse_unit

_T = algebra.symbol("t")


def of_time(signal: Signal, what: str, unit: str) -> TimeFunction:
    """A signal of nothing but time as a function of time in a unit; see :meth:`Signal.prescribed`."""
    if signal.dimension not in (None, parse_unit(unit).dimension):
        wanted = "rad" if unit == "1" else unit
        raise ModelError(f"{what} is given a signal in {signal.unit}; expected {wanted}")
    if isinstance(signal, Known) and signal.order == 0:
        return signal.of_time

    def leaf(one: Signal) -> algebra.Expr | Signal:
        if isinstance(one, Time):
            return _T
        if isinstance(one, Known):
            return _formula(one, what)
        raise ModelError(
            f"{what} is given a signal that follows the state; a prescribed motion is a known function of"
            " time: let a servo, a force or a torque follow the signal"
        )

    def called(_: Signal) -> algebra.Expr:
        raise ModelError(f"{what} is given a function that cannot be traced; expected a formula of time")

    (found,) = evaluate([signal], leaf, of_arrays=False, called=called)
    from flexnet.algebra.exchange import to_sympy  # here: it loads sympy

    return TimeFunction("expression", expression=to_sympy([found])[0])


def _formula(one: Known, what: str) -> algebra.Expr:
    """A known function of time, or one of its derivatives, written out."""
    found = one.of_time.formula(_T)
    if found is None:
        kind = one.of_time.kind.replace("_", " ")
        raise ModelError(f"{what} computes with a {kind}, which is no formula; give it alone")
    for _ in range(one.order):
        found = algebra.forward([found], {_T: 1})[0]
    return found
