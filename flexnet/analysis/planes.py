"""Planes that events throw frames back from, for drawings.

A blow along n · r - c is one against the plane n · r = c of the ground. Other signals (an angle, a distance)
are no planes.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from flexnet.results import PlaneRecord
from flexnet.signals import Event, Impact, Measure
from flexnet.signals.signal import Formula, Number, Signal
from flexnet.typing import Array

#: frame (empty for a number), direction and number of n · r + c
Affine = tuple[str, Array, float]


def planes_of(events: Iterable[Event]) -> Iterator[PlaneRecord]:
    """A record of every impact whose signal is the distance of a frame from a plane, or a multiple of it."""
    for event in events:
        found = _affine(event.signal) if isinstance(event.action, Impact) else None
        if found is None or not found[0]:
            continue
        frame, n, c = found
        size = float(np.linalg.norm(n))
        if size > 0.0:
            x, y, z = (float(v) for v in n / size)
            yield PlaneRecord(event.name, frame, (x, y, z), -c / size)


def _affine(s: Signal) -> Affine | None:
    """A signal as n · r + c; None if it is none of one frame."""
    if isinstance(s, Number):
        return "", np.zeros(3), s.value
    if isinstance(s, Measure):
        return (s.target, np.asarray(s.along), 0.0) if s.kind == "position" and s.along is not None else None
    if not isinstance(s, Formula):
        return None
    parts = [_affine(x) for x in s.needs]
    known = [x for x in parts if x is not None]
    frames = {frame for frame, _, _ in known} - {""}
    if len(known) < len(parts) or len(frames) > 1:
        return None
    name = "".join(frames)
    if s.operation == "add":
        return name, np.sum([n for _, n, _ in known], axis=0), sum(c for _, _, c in known)
    if s.operation == "multiply" and len(known) == 2 and not (known[0][0] and known[1][0]):
        (_, n, c), (_, _, factor) = known if known[0][0] else known[::-1]
        return name, n * factor, c * factor
    if s.operation == "divide" and not known[1][0]:
        return name, known[0][1] / known[1][2], known[0][2] / known[1][2]
    return None
