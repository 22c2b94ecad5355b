"""Fourth order by symmetric composition: five energy-preserving steps, one of them backwards.

The midpoint scheme Ψ of `energy_loop` is symmetric, Ψ₋ₕ = Ψₕ⁻¹, so its error has odd powers of h alone. Then

    Ψ(ph) Ψ(ph) Ψ((1 - 4p)h) Ψ(ph) Ψ(ph),      p = 1/(4 - ∛4) ≈ 0.4145,                           (1)

is symmetric as well, and 4p³ + (1 - 4p)³ = 0 takes away the error with h³: what is left goes with h⁵, and the
order is four (Suzuki, Phys. Lett. A 146 (1990) 319-323; Hairer, Lubich and Wanner 2006, II.4). Each part
keeps energy and constraints, so the whole does. The third part runs backwards, by 0.66 h: what a damper took
it would give back many times, and a state that calms down would grow.

Symmetry is to be had only where a part is solved to round-off and with M and G of its own stage, which direct
w and ε. The correction that keeps momenta has them of the end of a step and is not symmetric: there is none.
"""

from typing import Any

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators.energy_loop import accept, attempt, record
from flexnet.integrators.energy_state import Scratch, State, restore
from flexnet.integrators.functions import Functions
from flexnet.integrators.rows import DONE, WORKS, Output
from flexnet.kernels.compile import shared
from flexnet.typing import IntArray

#: number of parts, and the length of all but the one in the middle
PARTS, LENGTH = 5, 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
#: power of dampers over the model's energy and time that is none
QUIET = 1e-12


@shared
def _step(f: Functions, y: State, s: Scratch, c: Any, t1: float, h: float) -> int:
    """Equation (1)."""
    t = t1 - h
    for k in range(PARTS):
        part = (1.0 - 4.0 * LENGTH if k == PARTS // 2 else LENGTH) * h
        t = t1 if k == PARTS - 1 else t + part
        status = attempt(f, y, s, c, t, part, True)
        if status != DONE:
            return int(status)
        accept(f, y, s, c, t, part)
    y.counts[0].steps -= PARTS - 1
    return DONE


def run_composed(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, count: Any,
    momenta: Any, follow: Any, model: Any, kept: Any, counted: Any, work: Any,
    data: IntArray, constants: Any, out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out``, ``every`` fixed steps apart; step number ``first`` comes next."""
    f = Functions(
        residual, matrices, compose, rates, power, energy, count, momenta, follow, model, kept, counted, work
    )
    y, s = restore(data)
    c = constants[0]
    h, number = c.h_max, first
    for row in range(len(out.t)):
        before = y.counts[0].iterations
        for _ in range(every):
            number += 1
            status = _step(f, y, s, c, c.t_start + number * h, h)
            if status != DONE:
                return int(status + 16 * row)
        record(f, y, s, c, out, row, y.counts[0].iterations - before)
        out.solver[row, 0] = h
    return DONE + 16 * len(out.t)


def refuse_losses(dae: Dae) -> None:
    """Refuse equations that must not be run backwards.

    Raises
    ------
    FlexnetError
        If they have first-order states, or if dampers take power from a motion of all coordinates.
    """
    backwards, n, m = "energy_preserving(order=4) runs a part of every step backwards, where", dae.n_v, dae.m
    if dae.n_z:
        name = dae.equations[n - dae.n_z] if dae.equations else "z"
        raise FlexnetError(f"{backwards} the state {name!r} would grow; take order=2")
    v = np.cos(np.arange(n)) * dae.sizes / dae.scale.time
    r, phi, power = np.zeros(n), np.zeros(m), np.zeros(WORKS)
    dae.residual(dae.model, dae.t, dae.q, v, np.zeros(n), np.zeros(m), dae.work, r, phi)
    dae.power(dae.model, dae.q, v, np.zeros(m), dae.work, power)
    if abs(power[2]) > QUIET * dae.scale.energy / dae.scale.time:
        raise FlexnetError(f"{backwards} dampers would feed the motion; take order=2")
