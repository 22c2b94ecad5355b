"""The functions of a DAE, and what each of them receives first, as one record for a compiled loop."""

from typing import Any, NamedTuple

from flexnet.integrators.rows import CLOSED, LEFT, LOOK, PEAK, WORK, T
from flexnet.kernels.compile import shared
from flexnet.typing import Array

#: looks at the energies in a run, and what spreads them: no motion returns in step with the golden section
LOOKS, SPREAD = 64, 0.6180339887498949


class Functions(NamedTuple):
    """Functions of :class:`~flexnet.dae.Dae` with its counting and its symmetries, then their models.

    A loop receives them one by one, because Python can hand them over only so, and makes the record itself.
    """

    residual: Any
    matrices: Any
    compose: Any
    rates: Any
    power: Any
    energy: Any
    count: Any  # of Counting
    momenta: Any  # of Symmetry
    follow: Any  # rates of Symmetry
    model: Any
    kept: Any  # model of Symmetry
    counted: Any  # model of Counting
    work: Any


@shared
def look_at_energies(
    f: Functions, clock: Array, q: Array, v: Array, phi: Array, rate: Array, out: Array, span: float
) -> None:
    """Remember what the balance of the energies leaves over, and the largest of them, at some steps."""
    f.energy(f.model, clock[T], q, v, f.work, phi, rate, out)
    done = clock[WORK] + clock[WORK + 1] + clock[WORK + 2]
    left = out[0] + out[1] + out[2] - done - clock[WORK + 4] - clock[CLOSED]
    clock[LEFT] = max(clock[LEFT], abs(left))
    clock[PEAK] = max(clock[PEAK], out[0], out[2], abs(done))
    gap = span / LOOKS
    at = SPREAD * abs(clock[T]) / gap
    clock[LOOK] = clock[T] + gap * (0.5 + at - int(at))
