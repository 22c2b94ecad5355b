"""The functions of a DAE, and what each of them receives first, as one record for a compiled loop.

Something stands where it counts nothing, has no events and no symmetries, as short as can be: functions of a
mechanism would be compiled for nothing.
"""

from typing import Any, NamedTuple

import numpy as np

from flexnet.dae import Counting, Events, Reaction, Symmetry
from flexnet.integrators.rows import CLOSED, H_OLD, LEFT, LOOK, PEAK, WORK, T
from flexnet.kernels.compile import kernel, shared
from flexnet.typing import Array, IntArray

#: looks at the energies in a run, no nearer than so many steps, for one takes as long as an evaluation of the
#: motion; and what spreads them: no motion returns in step with the golden section
LOOKS, APART, SPREAD = 64, 3.0, 0.6180339887498949


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
    gap = max(span / LOOKS, APART * clock[H_OLD])
    at = SPREAD * abs(clock[T]) / gap
    clock[LOOK] = clock[T] + gap * (0.5 + at - int(at))


@kernel
def _count(model: IntArray, t: float, q: Array) -> None:
    """Nothing is counted."""


@kernel
def no_energy(
    model: IntArray, t: float, q: Array, v: Array, work: Array, phi: Array, rate: Array, out: Array
) -> None:
    """No energies are known."""


@kernel
def _momenta(model: IntArray, t: float, q: Array, v: Array, out: Array) -> None:
    """No momentum is kept."""


@kernel
def _rates(
    model: IntArray, t: float, q: Array, v: Array, dq: Array, twists: Array, X: Array, Y: Array, Z: Array
) -> None:
    """Nothing follows."""


@kernel
def _evaluate(model: IntArray, t: float, q: Array, v: Array, out: Array) -> None:
    """No events."""


def _act(i: int, t: float, q: Array, v: Array) -> Reaction:
    raise AssertionError("there are no events")


_NO_MODEL = np.zeros(0, dtype=np.int64)
NO_COUNTING = Counting(_NO_MODEL, _count)
NO_EVENTS = Events((), np.zeros(0), np.zeros(0), _NO_MODEL, _evaluate, _act, 0)
NO_SYMMETRY = Symmetry(np.zeros((0, 6)), _NO_MODEL, _momenta, _rates)
