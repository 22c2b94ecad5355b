"""What a run has left out of its equations is watched along it, and said where it mattered."""

import warnings
from dataclasses import dataclass, field
from math import pi

from flexnet.formulation import Equations

#: turn of a counted angle in one step beyond which a whole turn may be lost, rad
_FAR = 0.5 * pi
#: swing beyond which it is no longer told from one the other way round, rad
_OVER = 0.97 * pi


@dataclass(slots=True, eq=False)
class Watch:
    """Look at the equations after every block of rows; each warning is given once.

    Attributes
    ----------
    said : the warnings so far.
    """

    equations: Equations
    said: list[str] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.equations.work.watch[:, 1:] = 0.0

    def look(self) -> None:
        """Warn of what has come up since the last time."""
        for angle, (_, turn, _, swing) in zip(self.equations.angles, self.equations.work.watch, strict=True):
            name = angle.owner.name
            if turn > _FAR:
                self._say(
                    f"{name} turned",
                    f"{name!r} turned by {turn:.2g} rad in one step: beyond half a turn whole turns are lost;"
                    " take smaller steps",
                )
            if swing > _OVER and angle.axis is None:
                self._say(
                    f"{name} swung",
                    f"bushing {name!r} has turned by half a turn and knows no axis: its angle jumps there;"
                    " give it the axis about which it turns",
                )
            elif swing > _OVER:
                self._say(
                    f"{name} swung",
                    f"the axis of {name!r} in its head has swung half a turn away from that in its tail: its"
                    " twist is not defined there; use a bushing or a joint that keeps its axis",
                )

    def _say(self, what: str, text: str) -> None:
        if what not in self._known:
            self._known.add(what)
            self.said.append(text)
            warnings.warn(f"{self.equations.system.name}: {text}", stacklevel=4)
