"""What needs history: signals sampled with a period and held, and signals delayed.

What was taken stands in states without a rate, so it is in files and resume records and both engines have it.
A clock, t - next, passes zero at every sample; the event there moves all numbers on by one place:

    z₁ ← u,   z_k ← z_{k-1},   next ← next + p.                                                         (1)

A signal sampled and held is z₁. A delay T takes n = T/p samples; between two of them the last two places give

    u(t - T) ≈ z_{n+1} + (z_n - z_{n+1}) s,   s = (t - next + p)/p,                                     (2)

exact for what is linear between samples, of order p² else.
"""

from math import isfinite

from flexnet.errors import ModelError
from flexnet.signals.block import Block, StateOf, number_in, per_second
from flexnet.signals.event import Sample
from flexnet.signals.signal import Number, Signal, SignalLike, as_signal, time


def sampler(
    name: str, signal: SignalLike, period: float, places: int, start: float
) -> tuple[tuple[StateOf, ...], Signal, Sample]:
    """States (next time, then samples, the latest first), the clock, and what happens at its zeros."""
    if not (isfinite(period) and period > 0.0):
        raise ModelError(f"signal {name!r} is sampled every {period} s; expected a positive period")
    u = as_signal(signal)
    kinds = ((0, 0, 1), *(number_in(u),) * places)
    block = Block(
        name, "sampler", (float(period), *(float(start),) * places), kinds,
        lambda *z: tuple(Number(0.0, per_second(d)) for d in kinds),
        ("next", *(f"sample_{k + 1}" for k in range(places))),
    )  # fmt: skip
    following, *held = block.states
    values = (following + Number(float(period), (0, 0, 1)), u, *held[:-1])
    return block.states, time() - following, Sample(block.states, values)


def delay_of(states: tuple[StateOf, ...], period: float) -> Signal:
    """The signal as it was so many samples ago as there are places but one, by (2)."""
    p = Number(float(period), (0, 0, 1))
    following, later, earlier = states[0], states[-2], states[-1]
    return earlier + (later - earlier) * ((time() - following + p) / p)
