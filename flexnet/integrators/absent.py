"""What stands where a DAE counts nothing, has no events and no symmetries: a compiled loop needs something.

The functions are as short as can be: those of a mechanism would be compiled for nothing.
"""

import numpy as np

from flexnet.dae import Counting, Events, Reaction, Symmetry
from flexnet.kernels.compile import kernel
from flexnet.typing import Array, IntArray


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
