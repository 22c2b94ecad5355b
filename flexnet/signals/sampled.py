"""What needs history: signals sampled with a period and held, and signals delayed.

What was taken stands in states without a rate, so it is in files and resume records and both engines have it.
A clock, t - k p, passes zero at every sample; the event there moves all numbers on by one place:

    z₁ ← u,   z_j ← z_{j-1},   k ← k + 1.                                                               (1)

Samples are counted, so that no round-off adds up: clocks of periods p and n p meet at every n-th beat for
ever. Clocks that meet are one event: their samples are taken in the order in which they were described, so
that one that samples another finds what that one took just now, whatever method found the time.

A signal sampled and held is z₁. A delay T takes n = T/p samples; between two of them the last two places give

    u(t - T) ≈ z_{n+1} + (z_n - z_{n+1}) s,   s = (t - (k - 1) p)/p,                                    (2)

exact for what is linear between samples, of order p² else.
"""

from math import isfinite

from flexnet.errors import ModelError
from flexnet.signals.block import Block, StateOf, number_in, per_second
from flexnet.signals.event import Sample
from flexnet.signals.signal import Number, Signal, SignalLike, as_signal, time
from flexnet.units import NUMBER


def sampler(
    name: str, signal: SignalLike, period: float, places: int, start: float
) -> tuple[tuple[StateOf, ...], Signal, Sample]:
    """States (number of the next sample, then samples, the latest first), the clock, what its zeros do."""
    if not (isfinite(period) and period > 0.0):
        raise ModelError(f"signal {name!r} is sampled every {period} s; expected a positive period")
    u = as_signal(signal)
    kinds = (NUMBER, *(number_in(u),) * places)
    block = Block(
        name, "sampler", (1.0, *(float(start),) * places), kinds,
        lambda *z: tuple(Number(0.0, per_second(d)) for d in kinds),
        ("number", *(f"sample_{k + 1}" for k in range(places))),
    )  # fmt: skip
    number, *held = block.states
    clock = time() - number * Number(float(period), (0, 0, 1))
    return block.states, clock, Sample(float(period), block.states, (number + 1.0, u, *held[:-1]))


def delay_of(states: tuple[StateOf, ...], period: float) -> Signal:
    """The signal as it was so many samples ago as there are places but one, by (2)."""
    p = Number(float(period), (0, 0, 1))
    number, later, earlier = states[0], states[-2], states[-1]
    return earlier + (later - earlier) * ((time() - (number - 1.0) * p) / p)
