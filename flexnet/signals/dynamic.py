"""Blocks with states: integral, lag, derivative, rate limiter, transfer function, state space."""

from collections.abc import Sequence

import numpy as np

from flexnet.errors import ModelError
from flexnet.signals.block import Block, number_in, per_second
from flexnet.signals.signal import Number, Signal, SignalLike, _dimension, as_signal
from flexnet.signals.static import limit
from flexnet.typing import Array
from flexnet.validation import shown


def integral(signal: SignalLike, start: float = 0.0, name: str = "") -> Signal:
    """Integral over time, from ``start`` [SI]: ż = u."""
    u = as_signal(signal)
    d = per_second(number_in(u), -1)
    return Block(name, "integral", (float(start),), (d,), lambda z: (u,)).states[0]


def mode(start: float = 0.0, unit: str = "", name: str = "") -> Signal:
    """A number [SI] that stays as it is until an event resets it: ż = 0. It switches laws and controllers."""
    d = _dimension(unit) if unit else (0, 0, 0)
    return Block(name, "mode", (float(start),), (d,), lambda z: (Number(0.0, per_second(d)),)).states[0]


def lag(signal: SignalLike, time_constant: float, start: float = 0.0, name: str = "") -> Signal:
    """First-order lag, ż = (u - z)/T; time constant T in s."""
    u, T = as_signal(signal), _seconds(time_constant, "lag")
    return Block(name, "lag", (float(start),), (number_in(u),), lambda z: ((u - z) / T,)).states[0]


def derivative(signal: SignalLike, time_constant: float, start: float = 0.0, name: str = "") -> Signal:
    """Filtered derivative, (u - z)/T with ż = (u - z)/T: the rate of a lag of ``time_constant`` [s].

    ``start`` is the value [SI] the signal is taken to have had before.
    """
    u = as_signal(signal)
    T = _seconds(time_constant, "derivative")
    z = Block(name, "derivative", (float(start),), (number_in(u),), lambda z: ((u - z) / T,)).states[0]
    return (u - z) / T


def rate_limit(
    signal: SignalLike, rate: float, time_constant: float, start: float = 0.0, name: str = ""
) -> Signal:
    """A signal that follows another no faster than ``rate`` [SI/s]: ż = (u - z)/T held to ± rate.

    ``time_constant`` T [s] is the lag where the limit is not reached.
    """
    u, T = as_signal(signal), _seconds(time_constant, "rate limit")
    if not rate > 0:
        raise ModelError(f"a rate limit must be positive, got {rate}")
    held = Block(
        name, "rate limit", (float(start),), (number_in(u),), lambda z: (limit((u - z) / T, -rate, rate),)
    )
    return held.states[0]


def transfer_function(
    signal: SignalLike,
    numerator: Sequence[float],
    denominator: Sequence[float],
    unit: str = "",
    name: str = "",
) -> Signal:
    """A rational function of s, at rest at the start; coefficients in SI, the highest power first.

    Parameters
    ----------
    numerator, denominator : coefficients; the numerator may not have the higher degree.
    unit : SI unit of the output; that of the input if left out.
    """
    a, b = (np.trim_zeros(np.atleast_1d(np.asarray(c, dtype=float)), "f") for c in (denominator, numerator))
    if len(a) == 0 or len(b) > len(a):
        raise ModelError(
            f"a transfer function needs a denominator of at least the degree of its numerator, got"
            f" {shown(numerator)} over {shown(denominator)}"
        )
    n = len(a) - 1
    b = np.concatenate([np.zeros(n + 1 - len(b)), b]) / a[0]
    a = a / a[0]
    D = b[:1].reshape(1, 1)
    if n == 0:
        return as_signal(signal) * float(D[0, 0])
    A = np.diag(np.ones(n - 1), 1)
    A[-1] = -a[:0:-1]
    B = np.zeros((n, 1))
    B[-1] = 1.0
    C = (b[1:] - b[0] * a[1:])[::-1].reshape(1, n)
    return _linear("transfer function", [signal], A, B, C, D, np.zeros(n), [unit], name)[0]


def state_space(
    signals: Sequence[SignalLike], A: Array, B: Array, C: Array, D: Array | float = 0.0,
    start: Sequence[float] | None = None,
    units: Sequence[str] | None = None, name: str = "",
) -> tuple[Signal, ...]:  # fmt: skip
    """Outputs of ż = A z + B u, y = C z + D u; all numbers in SI.

    Parameters
    ----------
    signals : inputs u.
    A, B, C, D : (n, n), (n, inputs), (outputs, n), (outputs, inputs) numbers; D may be 0.
    start : z at the start, zero if left out.
    units : SI units of the outputs; pure numbers if left out.
    """
    A, B, C = (np.atleast_2d(np.asarray(m, dtype=float)) for m in (A, B, C))
    n, p, q = len(A), len(signals), len(C)
    D = np.zeros((q, p)) if np.ndim(D) == 0 and D == 0 else np.atleast_2d(np.asarray(D, dtype=float))
    for what, m, shape in (("A", A, (n, n)), ("B", B, (n, p)), ("C", C, (q, n)), ("D", D, (q, p))):
        if m.shape != shape:
            raise ModelError(f"{what} of a state space is {m.shape}, expected {shape}")
    z0 = np.zeros(n) if start is None else np.asarray(start, dtype=float)
    if z0.shape != (n,):
        raise ModelError(f"a state space of {n} states starts from {z0.shape} numbers")
    return _linear("state space", signals, A, B, C, D, z0, list(units or ["1"] * q), name)


def _linear(
    kind: str, signals: Sequence[SignalLike], A: Array, B: Array, C: Array, D: Array, start: Array,
    units: Sequence[str], name: str,
) -> tuple[Signal, ...]:  # fmt: skip
    """Outputs of linear equations; states are pure numbers, units are those of the outputs."""
    own = [as_signal(u) for u in signals]
    u = [Number(1.0) * s if s.dimension is None else s / Number(1.0, s.dimension) for s in own]
    per = Number(1.0, (0, 0, -1))

    def rate(*z: Signal) -> tuple[Signal, ...]:
        return tuple(per * _sum(row, z, b, u) for row, b in zip(A, B, strict=True))

    z = Block(name, kind, tuple(start.tolist()), ((0, 0, 0),) * len(A), rate).states
    outputs = [_sum(c, z, d, u) for c, d in zip(C, D, strict=True)]
    in_units = [_dimension(unit) if unit else number_in(own[0]) for unit in units]
    return tuple(y * Number(1.0, d) for y, d in zip(outputs, in_units, strict=True))


def _sum(c: Array, z: Sequence[Signal], d: Array, u: Sequence[Signal]) -> Signal:
    """C·z + d·u."""
    out: Signal = Number(0.0, (0, 0, 0))
    for factor, s in [*zip(c, z, strict=True), *zip(d, u, strict=True)]:
        if factor:
            out = out + float(factor) * s
    return out


def _seconds(time_constant: float, what: str) -> Number:
    if not (time_constant > 0 and np.isfinite(time_constant)):
        raise ModelError(f"{what} needs a positive time constant, got {time_constant} s")
    return Number(float(time_constant), (0, 0, 1))
