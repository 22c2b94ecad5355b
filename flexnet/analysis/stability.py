"""Verdicts on stability, one for each small motion, each with the error of its own number.

A motion grows if the number that decides (growth rate, or stiffness against it) is beyond its own error on
the wrong side, does not if it is beyond it on the right side, and is not decided in between. A stiff
neighbour therefore neither hides a motion that grows nor condemns one that does not.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from flexnet.formulation import Equations
from flexnet.typing import AnyArray

_TINY = float(np.finfo(float).tiny)


class Verdict(Enum):
    """What becomes of a small motion."""

    STAYS = "does not grow"
    GROWS = "grows"
    UNDECIDED = "cannot be decided within its error"


@dataclass(frozen=True, slots=True)
class Stability:
    """Verdicts that matter: the motions that grow, and those that cannot be decided.

    Attributes
    ----------
    growing, undecided : one sentence a motion, naming what moves most in it.
    """

    growing: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()

    @property
    def is_stable(self) -> bool | None:
        """False if a motion grows, None if none does but one cannot be decided, else True."""
        return False if self.growing else (None if self.undecided else True)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        lines = [f"unstable: {text}" for text in self.growing]
        lines += [f"not decided: {text}" for text in self.undecided]
        return "\n".join(lines) or "stable: no small motion grows"


def judge(value: float, error: float) -> Verdict:
    """Judge a number that is positive where the motion grows."""
    if value > error:
        return Verdict.GROWS
    return Verdict.STAYS if value < -error else Verdict.UNDECIDED


def moving_most(equations: Equations, shape: AnyArray, most: int = 3) -> tuple[str, ...]:
    """Names of the coordinates that move most, beside their sizes, the largest first.

    Only those that move at least a third as far as the first; in the order of the coordinates where they
    move as far but for a millionth.
    """
    extent = np.abs(shape) / equations.sizes
    part = np.round(extent / max(extent.max(initial=0.0), _TINY), 6)
    order = np.argsort(-part, kind="stable")[:most]
    return tuple(equations.coordinates.v_names[k] for k in order if part[k] > 1.0 / 3.0)


def told(names: tuple[str, ...]) -> str:
    """Names in a sentence."""
    return ", ".join(repr(name) for name in names) or "nothing"
