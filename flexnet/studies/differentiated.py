"""A run by an α-method and its derivatives along parameters.

The steps are differentiated by the compiled loop of :mod:`flexnet.integrators.alpha_tangent`; here is what
comes before and after: the start, and the shorter steps to an end that is no whole number of steps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexnet.analysis import Run
from flexnet.errors import ModelError
from flexnet.formulation import Equations, State
from flexnet.integrators import Settings, alpha_state, begin
from flexnet.integrators import alpha_tangent as loop
from flexnet.integrators import rows as places
from flexnet.integrators.alpha import Alpha
from flexnet.integrators.functions import NO_COUNTING
from flexnet.integrators.tangent_state import Before, Rows, Tangents, Tools, make_room
from flexnet.integrators.tangent_state import Moved as Models
from flexnet.studies.differences import LEVELS, PLACES, Moved
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class Differentiated:
    """All states of a run of which every step is solved to round-off, and their derivatives.

    Attributes
    ----------
    rows : q, v, v̇ and λ, (rows, ·); first-order states are the last of v, their rates the last of v̇.
    tangents : derivatives along every parameter, (parameters, rows, ·) each.
    """

    rows: Rows
    tangents: Tangents


def differentiate(run: Run, method: Alpha, settings: Settings, moved: Sequence[Moved] = ()) -> Differentiated:
    """Solve every step of a run to round-off, and differentiate it along all parameters.

    Raises
    ------
    ModelError
        If the model does not depend smoothly on a parameter.
    """
    return _March(run, method, settings, moved).result()


class _March:
    """What is done once for a run."""

    def __init__(self, run: Run, method: Alpha, settings: Settings, moved: Sequence[Moved]) -> None:
        self.e, self.method, self.settings, self.moved = run.equations, method, settings, moved
        self.dae = self.e.dae()
        self.start = _started(self.e, method, settings)
        self.rows = _rows(run, self.start)
        y = self.start.state
        self.before = Before(y.v.copy(), y.a.copy(), y.vdot.copy())
        self.tangents = self._first_tangents(len(run.t))
        self.room = make_room(self.dae, np.asarray(self.e.q_sizes, dtype=float), len(moved))
        counting = self.dae.counting
        functions = self.dae.residual, self.dae.matrices, self.dae.compose
        known = (
            (NO_COUNTING.update, NO_COUNTING.model) if counting is None else (counting.update, counting.model)
        )
        self.tools = Tools(*functions, known[0], self.dae.model, self.dae.work, known[1])

    def result(self) -> Differentiated:
        """All rows."""
        schedule, n = self.start.schedule, len(self.rows.t) - 1
        whole = min(schedule.whole, n)
        self._advance(self.settings.step, self.rows, self.tangents, 0, whole)
        if n > whole:
            step, steps = schedule.rest(self.settings.step)
            self._finish(step, steps, whole)
        return Differentiated(self.rows, self.tangents)

    def _first_tangents(self, rows: int) -> Tangents:
        """The start is differentiated as a whole."""
        n, m, n_q, count = self.dae.n_v, self.e.m, self.e.n_q, len(self.moved)
        shapes = (n_q, n, n, m)
        made = Tangents(*(np.zeros((count, rows, k)) for k in shapes), *np.zeros((3, count, n)))
        h = self.settings.step

        def start(one: Equations, _: float) -> list[Array]:
            first = _started(one, self.method, self.settings)
            row, y = first.start(), first.state
            v, a = np.array([row.v[0], y.v]), np.array([row.a[0], y.a, y.vdot])
            # velocities beside what accelerations make of them over a step; states have units of their own
            return [row.q[0], row.lam[0], *_parted(np.vstack([v, h * a]), one.n_v), *_parted(a, one.n_v)]

        floors = _floors(self.e)
        for k, one in enumerate(self.moved):
            q, lam, *pairs = one.derivative(start, floors)
            made.q[k, 0], made.lam[k, 0] = q, lam
            v, a = np.hstack(pairs[:2]), np.hstack(pairs[2:])
            made.v[k, 0], made.v_step[k] = v[:2]
            made.a[k, 0], made.algorithmic[k], made.vdot[k] = a
        return made

    def _advance(self, h: float, rows: Rows, tangents: Tangents, first: int, last: int) -> None:
        """Steps of one length; parameters along which differences are too far are moved less."""
        m = self.method
        part = (1 - m.alpha_f) / (1 - m.alpha_m)
        c_q, c_v = h * h * m.beta * part, h * m.gamma * part
        counts = 1.0 if self.dae.counting is not None else 0.0
        c = np.array([h, m.alpha_m, m.alpha_f, m.beta, m.gamma, c_q, c_v, counts, 0.0])
        while first < last:
            parts = rows, self.before, tangents, self._models(), self.room
            first, ended = loop.run_tangents(self.dae, self.tools, c, first, last, parts, LEVELS)
            if ended == loop.APART:
                one = self.moved[int(self.room.trouble[0])]
                if len(one.sizes) == LEVELS:
                    one.refuse()
                one.come_nearer()
            elif ended != loop.DONE:
                self._say(rows, first + 1, ended)

    def _models(self) -> Models:
        """Where the compiled loop finds the models of moved parameters."""
        own: Any = self.e.handle
        models = [own] * (len(self.moved) * LEVELS * len(PLACES))
        sizes, counts = np.ones((len(self.moved), LEVELS)), np.zeros(len(self.moved), dtype=np.int64)
        for p, one in enumerate(self.moved):
            counts[p], sizes[p, : len(one.sizes)] = len(one.sizes), one.sizes
            for level, made in enumerate(one.equations):
                first = (p * LEVELS + level) * len(PLACES)
                models[first : first + len(PLACES)] = [x.handle for x in made]
        # interpreted kernels have the models themselves for handles
        return Models(_together(models, own), sizes, counts)

    def _say(self, rows: Rows, k: int, ended: int) -> None:
        """Name the law that gave no number."""
        e, n = self.e, self.e.n_v
        at = State(float(rows.t[k]), rows.q[k], rows.v[k, :n], rows.v[k, n:])
        e.residual(at, rows.a[k], rows.lam[k])
        why = "its matrix is singular" if ended == loop.SINGULAR else "the residual is no number"
        raise ModelError(
            f"the run of {e.system.name!r} cannot be differentiated at t = {rows.t[k]:g} s: {why}"
        )

    def _finish(self, step: float, steps: int, whole: int) -> None:
        """The shorter steps to the end."""
        self._change_pace(step, whole)
        rows, lines = self.rows, self.tangents
        # the corrector begins each of them from what it found at the end
        tail = Rows(*(np.repeat(x[-1:], steps + 1, axis=0) for x in rows))
        at_rows, (v, a, vdot) = lines[:4], lines[4:]
        q1, v1, a1, lam1 = (np.zeros((len(self.moved), steps + 1, x.shape[2])) for x in at_rows)
        slopes = q1, v1, a1, lam1
        tail.t[:-1] = rows.t[whole] + step * np.arange(steps)
        pairs = list(zip((*tail[1:], *slopes), (*rows[1:], *at_rows), strict=True))
        for x, y in pairs:
            x[..., 0, :] = y[..., whole, :]
        self._advance(step, tail, Tangents(*slopes, v, a, vdot), 0, steps)
        for x, y in pairs:
            y[..., -1, :] = x[..., -1, :]

    def _change_pace(self, step: float, whole: int) -> None:
        """Move v and a, and their derivatives, to where steps of another length expect them."""
        rows, lines, y, n = self.rows, self.tangents, self.before, self.e.n_v
        last = rows.a[whole - 1] if whole else y.vdot
        here = _state(rows.q[whole], y.v, y.a, y.vdot, last, rows.lam[whole])
        clocked = float(rows.t[whole]), whole, self.settings.step, step
        for p, one in enumerate(self.moved):
            last = lines.a[p, whole - 1] if whole else lines.vdot[p]
            between = lines.v_step[p], lines.algorithmic[p], lines.vdot[p]
            slopes = _state(lines.q[p, whole], *between, last, lines.lam[p, whole])

            def paced(e: Equations, by: float, slopes: dict[str, Array] = slopes) -> list[Array]:
                march = _started(e, self.method, self.settings)
                v, a = _at_pace(march, {name: x + by * slopes[name] for name, x in here.items()}, *clocked)
                return [*_parted(np.array([v, step * a]), n), *_parted(np.array([a]), n)]

            found = one.derivative(paced, _floors(self.e)[2:])
            lines.v_step[p], lines.algorithmic[p] = np.hstack(found[:2])[0], np.hstack(found[2:])[0]
        y.v[:], y.a[:] = _at_pace(self.start, here, *clocked)


def _state(*values: Array) -> dict[str, Array]:
    """What a march holds between two steps."""
    return dict(zip(("q", "v", "a", "vdot", "vdot_old", "lam"), values, strict=True))


def _parted(x: Array, n: int) -> tuple[Array, Array]:
    """What belongs to coordinates and to states."""
    return x[:, :n], x[:, n:]


def _floors(e: Equations) -> list[float]:
    """Sizes of q, λ, v, z, v̇ and ż in a model, whose round-off is in those that are zero."""
    dae, time = e.dae(), e.scale.time
    q, v = (float(np.max(x, initial=0.0)) for x in (e.q_sizes, dae.sizes[: e.n_v]))
    z = float(np.max(dae.sizes[e.n_v :], initial=0.0))
    energy = e.scale.mass * (e.scale.length / time) ** 2
    load = energy / float(np.min(dae.row_sizes, initial=np.inf)) if e.m else 0.0
    return [q, load, v / time, z, v / time**2, z / time]


def _together(models: list[Any], own: Any) -> Any:
    """Handles of many models as one array, a row each."""
    if not isinstance(own, np.ndarray):
        return models
    return np.array(models) if models else np.zeros((0, len(own)), dtype=own.dtype)


def _started(e: Equations, method: Alpha, settings: Settings) -> Any:
    """A run of the method at its start."""
    return begin(e.dae(), method, settings)


def _rows(run: Run, start: Any) -> Rows:
    """States as they were recorded; rates of first-order states, which are not, are those at the start."""
    q, v, a, lam, z = (run[f"state/{key}"] for key in ("q", "v", "a", "lambda", "z"))
    rates = np.tile(start.start().a[0][v.shape[1] :], (len(run.t), 1))
    parts = run.t, q, np.hstack([v, z]), np.hstack([a, rates]), lam
    return Rows(*(np.array(x, dtype=float, order="C") for x in parts))


def _at_pace(
    march: Any, state: Mapping[str, Array], t: float, steps: int, usual: float, step: float
) -> tuple[Array, Array]:
    """Rates v and a of a march in a state after steps of the usual length, ready for those of another."""
    y = march.state
    for name, x in state.items():
        getattr(y, name)[:] = x
    march.clock[places.T] = t
    march.clock[places.H_OLD] = usual
    march.counts[alpha_state.HAS_OLD] = min(steps, 2)
    march.change_pace(step)
    return y.v.copy(), y.a.copy()
