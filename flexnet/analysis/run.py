"""A motion: columns in memory or in a result file, and how they were found."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.errors import ResultError
from flexnet.formulation import BodyEnergy, Equations, Momenta, Poses, State, body_energy, condition, momenta
from flexnet.integrators import Occurrence, Status
from flexnet.notebook import table
from flexnet.results import Channel, FrameMotion, JointLoad, Results
from flexnet.signals import Attach, Detach, Lock, Release, si_unit
from flexnet.typing import Array, Vector
from flexnet.validation import missing, nearest

log = logging.getLogger("flexnet")

#: what a result file has and a run does not
_IN_FILES = {
    **{
        name: f"fx.Results.open(run.path).{name} of a run that was written to a file"
        for name in dir(Results)
        if not name.startswith("_")
    },
    "names": "run.channels(), or run.paths()",
}

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from flexnet.analysis.looking import Film, Page
    from flexnet.analysis.stress_peaks import StressPeak
    from flexnet.fem import Body as FiniteElementBody
    from flexnet.fem import Recovered


@dataclass(slots=True, repr=False)
class Run:
    """A motion and how it was found.

    Attributes
    ----------
    equations : the equations that were solved.
    status : how the run ended.
    data : columns by path, such as ``state/q`` or ``channels/x``; empty if they went to a file.
    path : the result file, if one was written.
    validity : estimated error, energy error and rotations within flexible bodies, in one line.
    warnings : what the run has to say about its own validity; in the file, its message.
    """

    equations: Equations
    status: Status
    data: dict[str, Array] = field(default_factory=dict)
    path: Path | None = None
    warnings: tuple[str, ...] = ()
    validity: str = ""

    @property
    def t(self) -> Array:
        """Times, (rows,) s."""
        return self["time"]

    @property
    def time(self) -> Array:
        """Times, (rows,) s: the name a result file has for them."""
        return self["time"]

    @property
    def events(self) -> tuple[Occurrence, ...]:
        """What happened: time (s), name, impulse (N s, N m s) and change of the energy (J) of each."""
        from flexnet.analysis.happenings import listed  # here: it rests on this page

        return listed(self)

    if not TYPE_CHECKING:  # a checker knows what there is

        def __getattr__(self, name: str) -> Any:
            return missing(self, name, _IN_FILES)

    def channels(self) -> tuple[Channel, ...]:
        """List the channels the case asked for, with units."""
        asked = self.equations.system.channels
        return tuple(Channel(x.name, x.unit or si_unit(x.measure), description=x.description) for x in asked)

    def channel(self, name: str) -> Array:
        """A channel, (rows,)."""
        try:
            return self[f"channels/{name}"]
        except ResultError:
            # thousands of a large network, made anew whenever they are asked for
            known = [channel.name for channel in self.equations.system.channels]
            if name in known:
                raise
        hint = nearest(name, known) or (f"; it has {', '.join(known)}" if known else "; it has none")
        raise ResultError(f"the run has no channel {name!r}{hint}")

    def state(self, t: float | None = None) -> Poses:
        """Poses, rates and first-order states at an output time [s], the last if left out: a start for runs.

        Raises
        ------
        ResultError
            If there is no row at that time.
        """
        times = self.t
        row = len(times) - 1 if t is None else int(np.argmin(np.abs(times - t)))
        if t is not None and abs(times[row] - t) > 1e-9 * max(abs(t), float(np.ptp(times))):
            raise ResultError(f"the run has no row at t = {t:g} s; the nearest is at {times[row]:g} s")
        e = self.equations
        self._say_what_holds(float(times[row]))
        z = self["state/z"][row] if e.n_z else np.zeros(0)
        return e.poses(State(float(times[row]), self["state/q"][row], self["state/v"][row], z))

    def _say_what_holds(self, t: float) -> None:
        """Say that a run begun at t knows nothing of what events locked or attached before."""
        kinds = Lock | Release | Attach | Detach
        acting = {x.name for x in self.equations.system.events if isinstance(x.action, kinds)}
        done = [x for x in (self.events if acting else ()) if x.name in acting and x.t <= t]
        if done:
            log.warning(
                "%s: event %r changed what holds before t = %g s; a run from there begins with the locks"
                " and attachments of the system's start",
                self.equations.system.name, done[-1].name, t,
            )  # fmt: skip

    def paths(self) -> tuple[str, ...]:
        """List every column that has one entry per output time."""
        if self.path is not None:
            return Results.open(self.path).paths()
        return tuple(path for path, rows in self.data.items() if rows.ndim == 1 or rows.shape[1])

    def __getitem__(self, path: str) -> Array:
        return self._columns(path)[0]

    @property
    def rows(self) -> int:
        """Number of output times."""
        return len(self.time)

    def read(self, path: str) -> Array:
        """Read a column by its path, as ``run[path]`` does and :class:`~flexnet.results.Results`."""
        return self[path]

    def frame(self, name: str) -> FrameMotion:
        """Read the motion of a frame."""
        keys = ("position", "quaternion", "velocity", "angular_velocity")
        return FrameMotion(*(self[f"frames/{name}/{key}"] for key in keys))

    def joint(self, name: str) -> JointLoad:
        """Read the reactions of a joint or the load of a driver."""
        return JointLoad(*(self[f"joints/{name}/{key}"] for key in ("force", "torque")))

    def elastic(self, body: str) -> Array:
        """Read the elastic coordinates of a flexible body, (n, modes)."""
        return self[f"bodies/{body}/elastic"]

    def _columns(self, *paths: str) -> list[Array]:
        """Several columns; a file is opened and held against its format once."""
        if self.path is not None:
            results = Results.open(self.path)
            none = {f"state/{key}" for key in ("q", "v", "a", "z", "lambda")} - {*results.paths()}
            empty = np.zeros((results.rows, 0))  # as in memory; a file has no column without entries
            return [empty if path in none else np.asarray(results.read(path)) for path in paths]
        for path in paths:
            if path not in self.data:
                raise ResultError(f"the run has no column {path!r}{nearest(path, self.data)}")
        return [self.data[path] for path in paths]

    # -- looking at it -------------------------------------------------------------------------

    def plot(self, *names: str, out: str | Path | None = None) -> Any:
        """Draw channels over time; see :func:`flexnet.plot`."""
        from flexnet.analysis.looking import plot

        return plot(self, *names, out=out)

    def animate(self, out: str | Path | None = None, **options: Any) -> "Film | Path":
        """Draw the mechanism in motion; options are those of ``flexnet.view.AnimationOptions``.

        Left out, ``out`` is a picture that a notebook shows.
        """
        from flexnet.analysis.looking import animate

        return animate(self, out, **options)

    def view(
        self, out: str | Path | None = None, equations: bool = False, stress: bool = False
    ) -> "Page | Path":
        """The living report, in a frame of a notebook or written to ``out``."""
        from flexnet.analysis.looking import view

        return view(self, out=out, equations=equations, stress=stress)

    def to_pandas(self, names: Sequence[str] | None = None) -> "pd.DataFrame":
        """Channels as a pandas frame indexed by time, s: those named, or those of the case."""
        from flexnet.analysis.looking import opened

        with opened(self) as (results,):
            return results.to_pandas(names)

    def to_xarray(self, names: Sequence[str] | None = None) -> "xr.Dataset":
        """Channels as an xarray dataset along time, s, with their units."""
        from flexnet.analysis.looking import opened

        with opened(self) as (results,):
            return results.to_xarray(names)

    def _facts(self) -> list[tuple[str, str]]:
        """What there is to know about the run at a glance."""
        t = self.time if "time" in self.paths() else np.zeros(0)
        facts = [("run", self.equations.system.name), ("status", str(self.status))]
        if len(t):
            facts += [("time", f"{t[0]:g} to {t[-1]:g} s, {len(t)} rows")]
            facts += [("energy balance", f"closes to {self.energy_error:.3g} J")]
        facts += [("validity", self.validity)] if self.validity else []
        facts += [("warning", text) for text in self.warnings]
        known = ", ".join(channel.name for channel in self.equations.system.channels)
        facts += [("channels", known)] if known else []
        return [*facts, *([("file", str(self.path))] if self.path is not None else [])]

    def __repr__(self) -> str:
        return "\n".join(f"{key}: {value}" for key, value in self._facts())

    def _repr_html_(self) -> str:
        return table(self._facts())

    # -- what follows from it ------------------------------------------------------------------

    def stress(
        self, name: str, times: Vector | None = None, body: "FiniteElementBody | None" = None
    ) -> "dict[str, Recovered]":
        """Section forces of beams and stresses of shells of a flexible body, right with few modes.

        Parameters
        ----------
        name : of the flexible body.
        times : where stresses are wanted, s; at every row if left out. Between rows, elastic coordinates
            follow a cubic through their values and rates, loads a straight line.
        body : the finite-element body, where the system was given a ready table.

        Returns
        -------
        by name of the element group: :class:`~flexnet.fem.BeamForces` or :class:`~flexnet.fem.ShellStress`;
        the first axis of their arrays is the time.

        Notes
        -----
        Stresses are elastic, without the damping part, and balance the inertia of the motion, gravity and the
        loads on the attachment frames, whatever the modes are (docs/theory/stress.md).
        """
        from flexnet.analysis.stress import Recovery, motion_of

        recovery = Recovery(self.equations)
        modes = recovery.modes(name, body)
        return modes.recover(motion_of(recovery, self, name, times))

    def stress_peaks(self) -> "list[StressPeak]":
        """Largest section forces and stresses of every flexible body: how much, where and when."""
        from flexnet.analysis.stress_peaks import stress_peaks

        return stress_peaks(self)

    def stress_history(self, peak: "StressPeak") -> Array:
        """Normal stress, with its sign, at the place of a peak and on the plane it acts on then [Pa].

        ``fx.rainflow`` counts its cycles.
        """
        from flexnet.analysis.stress_peaks import stress_history

        return stress_history(self, peak)

    def body_energy(self, name: str) -> BodyEnergy:
        """Kinetic and strain energy of one body, J, and the power its damping turns into heat, W."""
        return body_energy(self.equations, name, self.t, self["state/q"], self["state/v"])

    @property
    def momenta(self) -> Momenta:
        """Momentum P, kg m/s, and angular momentum L about the datum, kg m²/s, of all bodies."""
        return momenta(self.equations, self.t, self["state/q"], self["state/v"])

    @property
    def condition(self) -> Array:
        """Condition of the constraint Jacobian at every row, (rows,): large where coordinates degrade."""
        rows = zip(self.t, self["state/q"], self["state/v"], strict=True)
        return np.array([condition(self.equations, State(float(t), q, v)) for t, q, v in rows])

    @property
    def energy_error(self) -> float:
        """Largest |E - E₀ - W| over the run, J: what the energy balance leaves over.

        W is the work of drivers, forces and damping, and what the scheme says it removed itself.
        """
        total, work, scheme = self._columns("energy/total", "energy/work", "energy/scheme")
        balance = total - work - scheme
        return float(np.abs(balance - balance[0]).max())
