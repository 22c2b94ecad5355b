"""Controllers built of blocks."""

from flexnet.errors import ModelError
from flexnet.signals.block import Block, number_in, per_second
from flexnet.signals.signal import Measured, Number, Signal, SignalLike, _dimension, as_signal
from flexnet.signals.static import limit


def pid(
    error: SignalLike,
    kp: float,
    ki: float = 0.0,
    kd: float = 0.0,
    rate: SignalLike | None = None,
    filter: float = 0.0,
    low: float | None = None,
    high: float | None = None,
    tracking: float = 0.0,
    unit: str = "",
    name: str = "",
    start: float = 0.0,
) -> Signal:
    """PID controller, u = kp e + ∫ki e dt + kd ė, held between limits.

    Parameters
    ----------
    error : e, the wanted value less the measured one.
    kp, ki, kd : gains, in SI: ``unit`` over that of e, over that and s, times s over that.
    rate : ė where it is measured; left out, a filtered derivative of e takes its place.
    filter : time constant of that derivative, s.
    low, high : limits of u, in SI; none if left out.
    tracking : time in which the integral follows a limit that is reached (anti-windup), s; kp/ki, or 1/ki
        where there is no kp, if left out.
    unit : unit of u, such as ``"N*m"``; that of e if left out.
    name : what its states are called in results.
    start : of the integral, in SI units of u.
    """
    e = as_signal(error)
    d = number_in(e)
    out = _dimension(unit) if unit else d
    if (low is None) != (high is None):
        raise ModelError("a PID controller has both limits, low and high, or none")
    if kd and rate is None and not filter > 0:
        raise ModelError(
            "a PID controller with kd needs rate=, the rate of its error, or filter=, a time constant in s"
        )
    states, dimensions = list[str](), list[Measured]()
    starts = (float(start),) * bool(ki) + (0.0,) * bool(kd and rate is None)
    if ki:
        states.append("integral")
        dimensions.append(out)
    if kd and rate is None:
        states.append("filter")
        dimensions.append(d)
    P, D = Number(float(kp), _over(out, d)), Number(float(kd), per_second(_over(out, d), -1))
    I = Number(float(ki), per_second(_over(out, d)))
    T = Number(float(filter), (0, 0, 1))
    if tracking < 0.0:
        raise ModelError(f"a pid has the time of tracking {tracking:g} s; expected a positive one, or 0")
    T_t = Number(float(tracking) or _tracking(kp, ki), (0, 0, 1))

    def wanted(*z: Signal) -> Signal:
        u = P * e
        if ki:
            u = u + z[0]
        if kd:
            u = u + D * (as_signal(rate) if rate is not None else (e - z[-1]) / T)
        return u

    def rates(*z: Signal) -> tuple[Signal, ...]:
        found = list[Signal]()
        if ki:
            u = wanted(*z)
            excess = Number(0.0) if low is None or high is None else (limit(u, low, high) - u) / T_t
            found.append(I * e + excess)
        if kd and rate is None:
            found.append((e - z[-1]) / T)
        return tuple(found)

    z = Block(name, "pid", starts, tuple(dimensions), rates, tuple(states)).states if states else ()
    u = wanted(*z)
    return u if low is None or high is None else limit(u, low, high)


def _over(a: Measured, b: Measured) -> Measured:
    assert a is not None
    assert b is not None
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _tracking(kp: float, ki: float) -> float:
    return abs(kp / ki) if kp and ki else (1.0 / abs(ki) if ki else 1.0)
