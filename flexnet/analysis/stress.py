"""Stresses in a flexible body along a motion, by mode acceleration (docs/theory/stress.md)."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from flexnet.components import FlexibleBody
from flexnet.errors import ModelError, ResultError
from flexnet.formulation import Equations, Snapshot, arm_loads, snapshot
from flexnet.results.rotation import conjugate, rotate
from flexnet.signals import Lock
from flexnet.typing import Array, Vector

if TYPE_CHECKING:
    from flexnet.analysis.run import Run
    from flexnet.fem import Body as FiniteElementBody
    from flexnet.fem import BodyMotion, StressModes

#: rows that are recovered at once where only their peaks are kept
BLOCK = 256
#: prestress over stiffness of what modes leave out, above which its stresses are said to be in doubt
IN_DOUBT = 0.1

log = logging.getLogger("flexnet.stress")

#: bodies that have been said to be in doubt: a run is recovered block by block, and for many quantities
_SAID: WeakKeyDictionary[Equations, set[str]] = WeakKeyDictionary()


@dataclass(slots=True)
class Recovery:
    """Recover the stresses of the flexible bodies of a mechanism."""

    equations: Equations
    made: "dict[str, StressModes]" = field(default_factory=dict)

    def part(self, name: str) -> FlexibleBody:
        """The flexible body of a name."""
        part = self.equations.system.components.get(name)
        if not isinstance(part, FlexibleBody):
            raise ModelError(f"there is no flexible body {name!r} in {self.equations.system.name!r}")
        return part

    def modes(self, name: str, body: "FiniteElementBody | None" = None) -> "StressModes":
        """Stress modes of a flexible body; ``body`` where the system was given a ready table."""
        from flexnet.fem import stress_modes  # here: most runs need no stresses

        part = self.part(name)
        if body is None:
            return part.stress_modes
        if name not in self.made:
            support = part.support if part.body is not None else None
            self.made[name] = stress_modes(body, part.table, support, part.inertia, part.is_stiffened)
        return self.made[name]

    def motion(self, name: str, rows: Snapshot) -> "BodyMotion":
        """Motion and loads of a flexible body in its own axes."""
        from flexnet.fem import BodyMotion

        part, values, place = self.part(name), rows.values, self.equations.coordinates.elastic[name]
        k, m = self.equations.packer.node[name], part.table.m
        back = conjugate(values.quaternion[:, k])
        loads = arm_loads(self.equations, part, rows).reshape(len(rows.t), -1, 3)
        motion = BodyMotion(
            q=rows.q[:, place.q : place.q + m],
            v=rows.v[:, place.v : place.v + m],
            a=rows.a[:, place.v : place.v + m],
            acceleration=rotate(back, values.acceleration[:, k] - self.equations.system.g),
            omega=rotate(back, values.angular_velocity[:, k]),
            alpha=rotate(back, values.angular_acceleration[:, k]),
            loads=rotate(back[:, None], loads).reshape(len(rows.t), -1, 6),
        )
        self._look(part, motion)
        return motion

    def _look(self, part: FlexibleBody, motion: "BodyMotion") -> None:
        """Say once that prestress changes what the modes of a body leave out: that is not stiffened."""
        said = _SAID.setdefault(self.equations, set())
        if not (part.is_stiffened and part.body) or part.name in said:
            return
        x = part.stress_modes.prestress_left_out(motion)
        if x > IN_DOUBT:
            said.add(part.name)
            log.warning(
                "stresses of %r: its rotation and loads change the stiffness of what its modes leave out by"
                " up to %.2g %%, and that is not counted: compare with twice as many, or cut it into pieces",
                part.name, 100.0 * x,
            )  # fmt: skip


def snapshots(run: "Run") -> Iterator[Snapshot]:
    """Rows of a run, some at a time.

    Raises
    ------
    ModelError
        If events lock joints: their loads are known to channels while the run goes on, not from its rows.
    """
    if any(isinstance(event.action, Lock) for event in run.equations.system.events):
        raise ModelError(
            f"{run.equations.system.name!r} has events that lock joints: record its stresses by channels,"
            " fx.stress(body, point, component)"
        )
    known, times = run.paths(), run.t
    none = np.zeros((len(times), 0))
    q, v, a, z, lam = (
        run[f"state/{key}"] if f"state/{key}" in known else none for key in ("q", "v", "a", "z", "lambda")
    )
    # first-order states come after the velocities
    v, a = np.hstack([v, z]), np.hstack([a, np.zeros_like(z)])
    for start in range(0, len(times), BLOCK):
        part = slice(start, start + BLOCK)
        yield snapshot(run.equations, times[part], q[part], v[part], a[part], lam[part])


def motion_of(recovery: Recovery, run: "Run", name: str, times: Vector | None = None) -> "BodyMotion":
    """Motion and loads of a flexible body at the rows of a run, or at times between them."""
    parts = [recovery.motion(name, rows) for rows in snapshots(run)]
    keys = [f.name for f in fields(parts[0])]
    whole = {key: np.concatenate([getattr(part, key) for part in parts]) for key in keys}
    if times is not None:
        whole = _between(run.t, whole, np.atleast_1d(np.asarray(times, dtype=float)))
    return type(parts[0])(**whole)


def _between(t: Array, whole: dict[str, Array], wanted: Array) -> dict[str, Array]:
    """Interpolate: coordinates and rates by cubics through their values and rates, the rest linearly."""
    from scipy.interpolate import CubicHermiteSpline, make_interp_spline

    if wanted.min() < t[0] or wanted.max() > t[-1]:
        raise ResultError(f"stresses are wanted outside the run, which goes from {t[0]:g} to {t[-1]:g} s")
    out = {key: np.asarray(make_interp_spline(t, x, k=1)(wanted)) for key, x in whole.items()}
    for key, rate in (("q", "v"), ("v", "a")):
        out[key] = np.asarray(CubicHermiteSpline(t, whole[key], whole[rate])(wanted))
    return out
