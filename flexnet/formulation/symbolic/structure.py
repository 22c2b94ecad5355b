"""What is seen of equations without solving them: zeros of M, constant rows, cyclic coordinates.

Entries are not simplified, so whether one vanishes is not read off it: an analytic expression that is zero at
a few random states is zero.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.algebra import array_of, reach
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.program import Evaluator, make_program
from flexnet.typing import Array

_STATES = 4
_ROUND_OFF = 1e-11


@dataclass(frozen=True, slots=True)
class Structure:
    """What is seen without solving anything.

    Attributes
    ----------
    filled : share of the entries of M that are not zero.
    constant : names of velocities whose row of M is constant.
    cyclic : names of coordinates on which neither the energies nor the constraints depend: where no force
        without a potential acts on one, its momentum (M v)_i is a first integral.
    """

    filled: float
    constant: tuple[str, ...]
    cyclic: tuple[str, ...]


def structure(equations: SymbolicEquations) -> Structure:
    """Sparsity, constant rows of M and cyclic coordinates."""
    x = equations.variables
    probe = _Probe(equations)
    moving = {*x.q, *(s for f in equations.known.symbols.values() for s in f)}
    rests = [entry & moving for entry in reach(equations.M.ravel())]
    n = equations.n
    names = [str(v.name).removesuffix("_dot") for v in x.v]
    constant = tuple(names[i] for i in range(n) if not any(rests[i * n : (i + 1) * n]))
    is_zero = np.all(
        [np.abs(M) <= _ROUND_OFF * max(np.abs(M).max(initial=0.0), 1e-300) for M in probe.works], axis=0
    )
    filled = float((~is_zero).mean()) if n else 0.0
    angles = {s for turn, axes in x.sequences.items() if axes for s in x.turns[turn]}
    scalars = [s for s in x.q if s in angles or s in x.place.values()]
    return Structure(filled, constant, tuple(str(s.name) for s in scalars if probe.ignores(x.q.index(s))))


class _Probe:
    """Energies, constraints and M at random states."""

    def __init__(self, equations: SymbolicEquations) -> None:
        x = equations.variables
        self._numeric = equations.numeric
        place = {x.q.index(s): self._numeric.q_sizes[i] for i, s in x.place.items()}
        self._sizes = np.array([place.get(i, 1.0) for i in range(len(x.q))])
        outputs = {"M": equations.M, "phi": equations.phi, "energies": array_of(equations.energies)}
        self._evaluate = Evaluator(equations, [make_program(equations, "equations", outputs)])
        rng = np.random.default_rng(0)
        self._states = []
        quaternions = [turn for name, turn in x.turns.items() if not x.sequences[name]]
        for _ in range(_STATES):
            q = rng.uniform(-1.0, 1.0, len(x.q)) * self._sizes
            v = rng.uniform(-1.0, 1.0, equations.n) * self._numeric.sizes / self._numeric.scale.time
            for turn in quaternions:
                at = [x.q.index(s) for s in turn]
                q[at] /= np.linalg.norm(q[at])
            self._states.append((q, v))
        self._before = [self._at(q, v) for q, v in self._states]

    def _at(self, q: Array, v: Array) -> dict[str, Array]:
        return self._evaluate("equations", 0.3, q=q, v=v)

    @property
    def works(self) -> list[Array]:
        """Mass matrices with every row and column in the size of its coordinate."""
        s = self._numeric.sizes
        return [found["M"] * np.outer(s, s) for found in self._before]

    def ignores(self, i: int) -> bool:
        """Whether energies and constraints stay as they are when coordinate i changes."""
        for (q, v), before in zip(self._states, self._before, strict=True):
            moved = q.copy()
            moved[i] += 0.7 * self._sizes[i]
            after = self._at(moved, v)
            for key, unit in (("energies", 1.0), ("phi", self._numeric.row_sizes)):
                size = max(1e-300, np.abs(before[key] / unit).max(initial=0.0))
                if np.abs((after[key] - before[key]) / unit).max(initial=0.0) > _ROUND_OFF * size:
                    return False
        return True
