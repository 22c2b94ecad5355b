r"""How a body is reduced to a few shapes, and the shapes.

The basis Φ (6n, m) gives the nodal freedoms u = Φ q. It is orthonormal to the mass and diagonal in the
stiffness. On a free body the shapes are orthogonal to all rigid motions, so that its frame has mean axes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.supports import Free, Support
from flexnet.typing import Array

AUTO = "auto"
#: every freedom of the mesh, tensors sparse (flexnet.fem.unreduced): no page, as there are no shapes
UNREDUCED = "unreduced"
#: pages of flexnet.fem.bases by name, which enter themselves
FAMILIES: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Reduction:
    """How a body is reduced.

    Parameters
    ----------
    support : the frame deformations are measured from; :class:`Free` means mean axes.
    modes : number of elastic eigenmodes, or a list of their numbers from 1; or ``"auto"``, which takes the
        method ``attachment`` and at most ten coordinates: the static shapes of loads on the frames, the
        softest first, and at least four eigenmodes; or None, see frequency_limit.
    frequency_limit : all eigenmodes up to this frequency [Hz]; used if ``modes`` is None.
    method : which shapes: the name of a page of :mod:`flexnet.fem.bases`, such as ``eigenmodes`` of the
        supported body only, ``attachment``, these and the static shapes of unit loads at the attachment
        frames, or ``full``, every freedom, no reduction; or ``unreduced``, the same with sparse tensors.
    frames : names of the attachment frames that get static shapes; all of the body's if not given.
    """

    support: Support = field(default_factory=Free)
    modes: int | Sequence[int] | Literal["auto"] | None = None
    frequency_limit: float | None = None
    method: str = "eigenmodes"
    frames: Sequence[str] | None = None

    def __post_init__(self) -> None:
        self._check_method()
        if self.method == UNREDUCED:
            return
        if self.method != "full" and (self.modes is None) == (self.frequency_limit is None):
            raise ModelError("a reduction needs either modes or frequency_limit")
        if not FAMILIES[self.method].has_eigenmodes and not isinstance(self.modes, int | np.integer):
            raise ModelError(
                f"reduction {self.method!r} has no eigenmodes to pick from; give modes as a whole number"
            )
        if isinstance(self.modes, str):
            if self.modes != AUTO or self.method not in ("eigenmodes", "attachment"):
                raise ModelError(
                    f"modes={self.modes!r} with method {self.method!r}: modes are a whole number, a list of"
                    " such, or 'auto', which chooses the method too"
                )
            object.__setattr__(self, "method", "attachment")
        elif isinstance(self.modes, int | np.integer):
            object.__setattr__(self, "modes", int(self.modes))
            if self.modes < 0:
                raise ModelError(f"number of modes {self.modes} must not be negative")
        elif self.modes is not None:
            if not isinstance(self.modes, Sequence | np.ndarray):
                raise ModelError(f"modes are a whole number or a list of such, got {self.modes!r}")
            chosen = tuple(int(i) for i in self.modes)
            if not chosen or min(chosen) < 1 or len(set(chosen)) < len(chosen):
                raise ModelError(f"mode list {chosen} must hold different numbers from 1")
            object.__setattr__(self, "modes", chosen)
        if self.frames is not None:
            object.__setattr__(self, "frames", tuple(self.frames))

    def _check_method(self) -> None:
        if self.method == UNREDUCED and (self.modes is not None or self.frequency_limit is not None):
            raise ModelError("an unreduced body has no modes to choose: give neither modes nor a limit")
        if self.method not in (*FAMILIES, UNREDUCED):
            known = ", ".join([*FAMILIES, UNREDUCED])
            raise ModelError(f"no reduction method {self.method!r}; there are: {known}")


@dataclass(frozen=True, slots=True)
class Basis:
    """Shapes of a reduced body.

    Attributes
    ----------
    shapes : (6n, m) nodal freedoms, Φ.
    omega : (m,) angular frequency of each coordinate alone [rad/s].
    kind : (m,) what each is, a word of :data:`flexnet.fem.mode_table.KINDS` or ``nodal``.
    next_omega : of the first eigenmode left out [rad/s], nan if not known.
    """

    shapes: Array
    omega: Array
    kind: tuple[str, ...]
    next_omega: float
