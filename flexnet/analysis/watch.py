"""What a run has left out of its equations is watched along it, and said where it mattered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import pi

import numpy as np

from flexnet.errors import warn
from flexnet.formulation import Equations, State
from flexnet.signals import Measure, leaves
from flexnet.typing import Array

#: turn of a counted angle in one step beyond which a whole turn may be lost, rad
_FAR = 0.5 * pi
#: swing beyond which it is no longer told from one the other way round, rad
_OVER = 0.97 * pi
#: gap of a constraint that was left out, of the size of its row, at which it is open
_OPEN = 1e-5
#: rows of a block at which constraints that were left out are looked at
_LOOKS = 8


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
        # the first swing is where it begins, however large: it has come from nowhere
        self.equations.work.watch[:, 1:] = 0.0, pi, 0.0

    def look(self, rows: Mapping[str, Array]) -> None:
        """Warn of what has come up since the last time; ``rows`` are the columns of the last block."""
        self._look_at_angles()
        if self.equations.redundant:
            self._look_at_dropped(rows)
            self._look_at_channels(rows)

    def _look_at_dropped(self, rows: Mapping[str, Array]) -> None:
        """Constraints left out at the start as redundant have to stay closed."""
        n = len(rows["time"])
        for k in {n - 1, *range(0, n, max(n // _LOOKS, 1))}:
            state = State(float(rows["time"][k]), rows["state/q"][k], rows["state/v"][k])
            for name, text in _opened(self.equations, state).items():
                self._say(f"{name} opened", text)

    def _look_at_channels(self, rows: Mapping[str, Array]) -> None:
        """Loads that were asked for have to be determined."""
        for channel in self.equations.system.channels:
            is_open = np.isnan(rows[f"channels/{channel.name}"]).any()
            for measure in leaves([channel.measure]) if is_open else ():
                if not isinstance(measure, Measure) or measure.kind not in ("force", "torque"):
                    continue
                self._say(
                    f"{channel.name} open",
                    f"channel {channel.name!r} is NaN: the {measure.kind} of {measure.target!r} is not"
                    " determined, as constraints are redundant; free a direction of a joint of its loop, or"
                    " share the loads by least norm (share=True, --share)",
                )

    def _look_at_angles(self) -> None:
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
            warn(f"{self.equations.system.name}: {text}")


def opened_rows(equations: Equations, state: State) -> list[str]:
    """Constraints that were left out as redundant and are open at a state, each in a sentence."""
    return list(_opened(equations, state).values())


def _opened(equations: Equations, state: State) -> dict[str, str]:
    if not equations.redundant:
        return {}
    whole, out = equations.complete, {}
    gaps = np.abs(whole.constraints(state.q, state.t))
    for row, gap, size in zip(whole.rows, gaps, whole.row_sizes, strict=True):
        if row.name in equations.redundant and gap > _OPEN * size:
            unit = "m" if row.row.label.startswith("force") else "rad"
            out[row.name] = (
                f"{row.name!r} was left out as redundant at the start and is open by {gap:.2g} {unit}"
                f" at t = {state.t:.4g} s: along the motion it is not redundant. Free that direction, start"
                " elsewhere, or give an elastic body (axial) shapes to follow it"
            )
    return out
