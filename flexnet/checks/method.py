"""What a method of integration declares, measured on a pendulum whose motion is known in closed form."""

from dataclasses import dataclass

import numpy as np

from flexnet.checks.pendulum import GRAVITY, exact, pendulum
from flexnet.errors import FlexnetError
from flexnet.integrators import Method, Settings, begin
from flexnet.typing import Array

#: length of the runs and time between their rows, s
END, INTERVAL = 1.0, 0.2
#: error at the largest step that is aimed at, so that the smallest stays far from round-off
COARSE = 1e-6
#: steps between rows, at least: a method of high order shows it where a step turns by little
LEAST = 8
#: an order may be measured as so much less, or more, than it is
SHORT, OVER = 0.2, 0.6
#: round-off of an energy over the largest
ROUND_OFF = 1e-11
#: of a run that is stopped and resumed: two rows to a block, two blocks
RESUMED = Settings(1e-4, 0.8192, 0.2048)
#: error at the end over the tolerance of an adaptive step, at most
LOOSE = 1e3


@dataclass(frozen=True, slots=True)
class MethodCheck:
    """What was measured.

    Attributes
    ----------
    name : of the method.
    order : measured in q, v and λ; nan where the step cannot be given.
    errors : (steps, 3) largest errors of q, v and λ, one row for each step or tolerance.
    drift : largest change of the energy over the energy that goes round, at the largest step.
    """

    name: str
    order: tuple[float, float, float]
    errors: Array
    drift: float


def check_method(method: Method) -> MethodCheck:
    """Measure order in q, v and λ, conduct towards the energy, and whether a run resumes to the same bits.

    Raises
    ------
    FlexnetError
        If one of them is not what the method declares.
    """
    if not isinstance(method, Method):
        raise FlexnetError(f"check_method needs a method, such as fx.hht(), got {method!r}")
    traits = method.traits
    if traits.is_fixed:
        rows = max(LEAST, round(INTERVAL / max(COARSE ** (1.0 / max(traits.order)) * 4.0, 1e-3)))
        settings = [Settings(INTERVAL / n, END, INTERVAL, newton=1e-14) for n in (rows, 2 * rows, 4 * rows)]
    else:
        settings = [Settings(1e-3, END, INTERVAL, tolerance) for tolerance in (1e-6, 1e-9)]
    runs = [_run(method, s) for s in settings]
    errors = np.array([error for error, _ in runs])
    order = (np.nan, np.nan, np.nan)
    if traits.is_fixed:
        last = np.log2(errors[-2] / errors[-1])
        order = (float(last[0]), float(last[1]), float(last[2]))
        _hold_order(method, order)
    elif bool((errors > LOOSE * np.array([[1e-6], [1e-9]])).any()):
        raise FlexnetError(f"{method.name}: errors {errors.max(axis=1)} do not follow the tolerance")
    drift = _hold_energy(method, runs[0][1])
    _hold_resume(method)
    return MethodCheck(method.name, order, errors, drift)


def _run(method: Method, settings: Settings) -> tuple[Array, Array]:
    """Largest errors of q, v and λ over the rows, (3,), and the energies of all rows, the start first."""
    march = begin(pendulum(), method, settings)
    blocks = [march.start(), *march.blocks()]
    if not march.status.is_done:
        raise FlexnetError(f"{method.name}: {march.status}")
    t, *found = (np.concatenate([getattr(b, key) for b in blocks]) for key in ("t", "q", "v", "lam"))
    errors = [np.abs(a - b).max() for a, b in zip(found, exact(t), strict=True)]
    return np.array(errors), _energies(found[0], found[1])


def _energies(q: Array, v: Array) -> Array:
    dae, out, phi, rate = pendulum(), np.zeros(3), np.zeros(1), np.zeros(1)
    assert dae.energy is not None
    found = []
    for k in range(len(q)):
        dae.energy(dae.model, 0.0, q[k].copy(), v[k].copy(), dae.work, phi, rate, out)
        found.append(out.sum())
    return np.array(found)


def _hold_order(method: Method, measured: tuple[float, float, float]) -> None:
    for what, declared, found in zip("qvλ", method.traits.order, measured, strict=True):
        if not declared - SHORT <= found <= declared + OVER:
            raise FlexnetError(
                f"{method.name} declares order {declared} in {what}; measured on a pendulum: {found:.2f}"
            )


def _hold_energy(method: Method, energies: Array) -> float:
    """The largest change of the energy over the energy that goes round."""
    largest = float(energies[0] + GRAVITY)
    change = energies - energies[0]
    drift = float(np.abs(change).max()) / largest
    conduct = method.traits.energy
    if conduct == "keeps" and drift > ROUND_OFF:
        raise FlexnetError(f"{method.name} declares to keep the energy; it changes by {drift:.3g} of it")
    if conduct == "removes" and float(np.diff(energies).max()) > ROUND_OFF * largest:
        raise FlexnetError(f"{method.name} declares to remove energy only; on a pendulum it adds some")
    return drift


def _hold_resume(method: Method) -> None:
    """A run that goes on from what it remembers must find the bits of one that was never stopped."""
    settings = RESUMED if method.traits.is_fixed else Settings(1e-3, END, END / 64, 1e-6)
    whole = begin(pendulum(), method, settings)
    blocks = whole.blocks()
    first = next(blocks)
    memory = {name: kept.copy() for name, kept in whole.memory.items()}
    assert whole.is_resumable
    again = begin(pendulum(), method, settings)
    again.restore(first.q[-1], first.v[-1], memory, whole.rows)
    for a, b in zip(blocks, again.blocks(), strict=True):
        for name in ("t", "q", "v", "lam", "work"):
            if not np.array_equal(getattr(a, name), getattr(b, name)):
                raise FlexnetError(
                    f"{method.name}: a run that goes on finds another {name} than one not stopped"
                )
