"""How an adaptive step is chosen by methods of second order: a local error per unit of time goes with h²."""

from math import floor

from flexnet.kernels.compile import shared

#: error that stands for a step that did not converge: it becomes a tenth
FAILED = 100.0
#: a step is chosen so much smaller than its error allows, so that few are rejected
SAFETY = 0.9
#: a step becomes at most so much smaller after a failure, smaller or larger after a success: an error tells
#: little of steps that are very different
FALL, SHRINK, GROW = 0.2, 0.5, 2.0
#: a step that may grow by less stays as it is: Newton's matrix and the prediction then stay good
WORTHWHILE = 1.2
#: a step may be so much longer than planned in order to end where it should
STRETCH = 1.01
#: an error below which it no longer tells how much a step may grow
TINY = 1e-8
#: part of a fixed step that is not taken by itself
SLIVER = 1e-3
#: a fixed step that does not converge is cut to this part at least
LEAST = 0.5**12


@shared
def step_towards(left: float, planned: float) -> float:
    """Length of the next step: as planned, or to the end, which is reached by halves.

    A very short last step would amplify round-off.
    """
    if left <= STRETCH * planned:
        return left
    return 0.5 * left if left < 2.0 * planned else planned


@shared
def step_after_failure(h: float, error: float) -> float:
    """Length of the step that replaces one of length h whose error, over what is allowed, was above 1."""
    return float(h * max(FALL, SAFETY / error**0.5))


@shared
def next_step(h: float, planned: float, error: float, largest: float) -> float:
    """Length to plan after a step of length h; one that was cut short for the sake of a row tells less."""
    new = min(h * min(GROW, max(SHRINK, SAFETY / max(error, TINY) ** 0.5)), largest)
    if h < planned:
        new = max(new, min(planned, largest))
    return h if h <= new < WORTHWHILE * h else new


@shared
def next_whole(start: float, step: float, t: float, end: float) -> float:
    """Where the next fixed step from t ends, of those from ``start`` on; a sliver is added to it."""
    k = floor((t - start) / step + SLIVER)
    if start + k * step >= end - 1e-9 * step:
        k -= 1  # nothing comes after it
    return float(start + (k + 1) * step)
