"""Kinematic analysis: drivers fix every freedom; positions, velocities, accelerations and loads follow.

At a time t, Newton's method gives q from Φ(q, t) = 0; then, with the constraint Jacobian G (n, n),

    G v = -Φ_t,     G v̇ = -(Φ̈ at v̇ = 0),     Gᵀ λ = F - M v̇                                       (1)

so that the loads of the drivers, among the λ, are the inverse dynamics of the prescribed motion.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from flexnet.analysis.closing import close, is_closed
from flexnet.analysis.record import record
from flexnet.analysis.run import Run
from flexnet.errors import ConvergenceError, ModelError
from flexnet.formulation import Equations, Motion, State, as_equations, refuse_states
from flexnet.formulation.scale import largest, least_change
from flexnet.integrators import Outcome, Status
from flexnet.system import System
from flexnet.typing import Array, Vector

#: smallest share of an output interval that is tried when positions do not follow
_SMALLEST = 2.0**-12
#: distance, in sizes, between a position and what the velocities at both ends of a step make of it
_NEAR = 0.05
#: condition of G at which a position counts as dead, and what follows from it as unknown
_DEAD = 1e11


def kinematics(
    system: System | Equations,
    times: Vector,
    tree: str = "default",
    out: str | Path | None = None,
    throw: bool = True,
    require: Sequence[str] = (),
    counts: str = "spatial",
    virtual: bool = False,
) -> Run:
    """Find the motion that drivers prescribe, and the loads it takes.

    Parameters
    ----------
    system : a mechanism whose drivers fix all freedoms, or its equations.
    times : increasing, s; the mechanism is assembled at its own start and followed from there.
    tree, require, counts, virtual : as in :func:`~flexnet.formulation.formulate`, where a System is given.
    out : result file; in memory if left out.
    throw : raise when a position cannot be reached; otherwise look at ``run.status``.

    Returns
    -------
    Run
        With the same columns as a simulation.

    Raises
    ------
    ModelError
        If freedoms are left: names coordinates that could be driven.
    ConvergenceError
        If the mechanism locks: names the time and the worst equation.
    """
    equations = as_equations(system, tree, require, counts, virtual)
    refuse_states(equations, "the kinematics")
    _check_freedoms(equations)
    t = np.atleast_1d(np.asarray(times, dtype=float))
    if not (np.diff(t) > 0).all() or t[0] < equations.initial.t:
        raise ModelError(f"the times must increase from {equations.initial.t:g} s on")
    follower = _Follower(equations)
    states, motions = list[State](), list[Motion]()
    for state, motion in follower.through(t):
        states.append(state)
        motions.append(motion)
    run = Run(equations, follower.status, path=None if out is None else Path(out))
    record(run, states, motions, {"name": "kinematics"})
    if throw and not run.status.is_done:
        raise ConvergenceError(f"{equations.system.name}: {run.status}")
    return run


def _check_freedoms(equations: Equations) -> None:
    free = equations.n_v - equations.m
    if free > 0:
        names = ", ".join(equations.coordinates.v_names[:6])
        raise ModelError(
            f"drivers leave {free} freedom{'s' * (free > 1)} of {equations.system.name!r};"
            f" drive {'them' if free > 1 else 'it'} (coordinates are {names}), or simulate"
        )


class _Follower:
    """Follow the only motion there is, with smaller steps where it turns fast."""

    def __init__(self, equations: Equations) -> None:
        self.equations = equations
        self.status = Status(Outcome.DONE, equations.initial.t)

    def through(self, times: Array) -> Iterator[tuple[State, Motion]]:
        """States at the times, until one cannot be reached."""
        e = self.equations
        state, motion = self._at(e.initial.q, e.initial.t)
        for t in times:
            share = 1.0
            begin = state.t
            while state.t < t and self.status.is_done:
                h = min(share * (t - begin), t - state.t)
                to = t if t - state.t - h < 1e-9 * (t - begin) else state.t + h
                found = self._step(state, motion, float(to))
                if found is not None:
                    state, motion = found
                    share = min(2.0 * share, 1.0)
                elif share > _SMALLEST:
                    share *= 0.5
                else:
                    self._give_up(state, float(to))
            if not self.status.is_done:
                return
            self.status = Status(Outcome.DONE, state.t, steps=self.status.steps + 1)
            yield state, motion

    def _step(self, state: State, motion: Motion, to: float) -> tuple[State, Motion] | None:
        """State at the next time, or None where Newton's method does not reach the near one."""
        e, h = self.equations, to - state.t
        guess = e.compose(state.q, h * state.v + 0.5 * h * h * motion.a)
        q, phi = close(e, guess, to)
        if not is_closed(e, phi):
            return None
        new, moved = self._at(e.count(q, to), to)
        # the branch is the same if the velocities explain the move
        mean = e.compose(state.q, 0.5 * h * (state.v + new.v))
        off = largest(e.count(mean, to) - new.q, e.q_sizes)
        return (new, moved) if off < _NEAR else None

    def _at(self, q: Array, t: float) -> tuple[State, Motion]:
        """Equations (1)."""
        e = self.equations
        _, G = e.mass_and_jacobian(q, t)
        rates = e.constraint_rates(State(t, q, np.zeros(e.n_v)))
        state = State(t, q, least_change(G, rates, e.sizes, e.row_sizes, 1.0 / _DEAD))
        a = least_change(G, e.constraint_bias(state), e.sizes, e.row_sizes, 1.0 / _DEAD)
        r, _ = e.residual(state, a, np.zeros(e.m))
        return state, Motion(a, least_change(G.T, r, 1.0 / e.row_sizes, 1.0 / e.sizes, 1.0 / _DEAD))

    def _give_up(self, state: State, to: float) -> None:
        e = self.equations
        guess = e.compose(state.q, (to - state.t) * state.v)
        _, phi = close(e, guess, to)
        _, G = e.mass_and_jacobian(state.q, state.t)
        dead = np.linalg.cond(G * e.sizes / e.row_sizes[:, None]) > _DEAD**0.5 or is_closed(e, phi)
        outcome = Outcome.SINGULAR if dead else Outcome.NO_CONVERGENCE
        worst = int(np.argmax(np.abs(phi / e.row_sizes)))
        self.status = Status(outcome, state.t, e.rows[worst].name, float(np.abs(phi[worst])))
