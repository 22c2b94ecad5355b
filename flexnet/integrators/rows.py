"""What every time loop writes and returns: output rows, how it ended, and the numbers it keeps of itself."""

from typing import NamedTuple

import numpy as np

from flexnet.typing import Array

#: how a step, or a block of rows, ended: numbers of :class:`~flexnet.integrators.status.Outcome`
DONE, NO_CONVERGENCE, NOT_A_NUMBER, SINGULAR, STEP_TOO_SMALL = range(5)
EVENT = 6
#: a loop has taken many steps and lets Python look up; it goes on where it is
PAUSE = 15

#: works, and powers, in their order: of drivers, forces, damping, constraints, of the scheme itself, and of
#: sources of networks, their ports to the mechanism and what dissipates in them
WORKS = 8
# first places in the clock of every loop, then its works
T, H, H_OLD, RESIDUAL, WORK = range(5)
# sum of the local errors of its steps, and largest bend and size of v̇ and λ, and of ż (see Status)
ERROR, BENT, REACHED, BENT_Z, REACHED_Z = range(WORK + WORKS, WORK + WORKS + 5)
# largest bend of v̇ and λ that may be round-off
MURMUR = REACHED_Z + 1
# next look at the energies, s, E - W at the start, largest |E - E₀ - W| and largest energy or work, J
LOOK, CLOSED, LEFT, PEAK = range(MURMUR + 1, MURMUR + 5)
# first places in its counts
STEPS, ITERATIONS, FACTORISATIONS, REJECTED, WORST = range(5)


class Output(NamedTuple):
    """Rows written by a loop."""

    t: Array
    q: Array
    v: Array
    a: Array
    lam: Array
    work: Array  # (rows, WORKS) work since the start, J
    solver: Array  # (rows, 2) step size and iterations of the step


def make_output(rows: int, n_q: int, n: int, m: int) -> Output:
    """Allocate a block of output rows."""
    z = np.zeros
    return Output(
        z(rows), z((rows, n_q)), z((rows, n)), z((rows, n)), z((rows, m)), z((rows, WORKS)), z((rows, 2))
    )


def part(out: Output, first: int, last: int | None = None) -> Output:
    """The rows from ``first`` on, up to ``last``."""
    if first == 0 and (last is None or last == len(out.t)):
        return out
    return Output(*(array[first:last] for array in out))
