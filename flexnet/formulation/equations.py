"""The equations of motion of a System in the coordinates its trees imply.

    M(q) v̇ + Gᵀ λ = F(q, v, t),     Φ(q, t) = 0                                      GTM (88), (91)

:class:`Equations` is the numeric engine as its user sees it; the work is done by compiled kernels on
packed arrays.
"""

from collections.abc import Callable, Collection, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from flexnet.components import Component, ForceElement, RigidBody, Terminal, TimeFunction
from flexnet.coupled import solve_coupled
from flexnet.dae import Counting, Dae, Links, Scale, matrix_weights
from flexnet.errors import ModelError
from flexnet.formulation.coordinates import Coordinates, number_coordinates
from flexnet.formulation.description import Description, describe
from flexnet.formulation.feedback import States
from flexnet.formulation.links import find_links
from flexnet.formulation.pack import Packer
from flexnet.formulation.poses import check_places, in_order, poses_to_state, shapes_of
from flexnet.formulation.rows import ConstraintRow, chord_rows
from flexnet.formulation.scale import coordinate_sizes, row_sizes
from flexnet.formulation.sparse_rows import LARGE, Jacobian, sparse_jacobian
from flexnet.formulation.sparsity import sparsity
from flexnet.formulation.state import Motion, Poses, State
from flexnet.formulation.symmetry import symmetry
from flexnet.formulation.turns import angles_of, counted_angles
from flexnet.graph import LinearGraph, Tree, select_trees
from flexnet.kernels import entry
from flexnet.kernels.jacobian import jacobian_entries
from flexnet.kernels.model import OF_MOTION, OF_NETWORKS
from flexnet.kernels.time_function import CONSTANT, SIGNAL
from flexnet.kernels.work import Work, make_work
from flexnet.signals import Known, first_samples, watched
from flexnet.system import System
from flexnet.typing import AnyArray, Array, IntArray


class Equations:
    """Equations of motion for one System and one pair of trees.

    Parameters
    ----------
    system : the mechanism, or its description.
    T, R : its trees.
    drop : names of constraint rows left out because they are redundant.
    extra : further rows, such as wanted start values during assembly.

    Attributes
    ----------
    coordinates : layout and names of q and v.
    rows : the constraint rows that are kept, in the order of λ.
    redundant : names of the rows that were dropped.
    chosen : how the trees were chosen, where that was more than a name; written in result files.
    angles : angles that count whole turns.
    scale : length, mass and time of the mechanism: what its tolerances are measured by.
    """

    def __init__(
        self,
        system: System | Description,
        T: Tree,
        R: Tree,
        drop: Sequence[str] = (),
        extra: Sequence[ConstraintRow] = (),
    ) -> None:
        self.description = system if isinstance(system, Description) else describe(system)
        self.system, self.T, self.R = self.description.system, T, R
        self.parts: list[Component] = self.description.parts
        self.terminals: dict[str, Terminal] = self.description.terminals
        self.states: States = self.description.states
        self.scale: Scale = self.description.scale
        system, signals = self.system, self.description.signals
        self.angles = counted_angles(self.parts, self.terminals, R, signals, extra)
        followed = [angle.name for angle in self.angles if angle.is_followed]
        self.coordinates: Coordinates = number_coordinates(self.parts, self.terminals, T, R, followed)
        rows = chord_rows(self.parts, self.terminals, T, R, self.coordinates, system.is_planar)
        dropped = set(drop)
        self.redundant = tuple(row.name for row in rows if row.name in dropped)
        self.rows: tuple[ConstraintRow, ...] = (*(row for row in rows if row.name not in dropped), *extra)
        self.packer = Packer(
            self.description.frames, self.parts, self.terminals, T, R, self.coordinates, list(self.rows),
            system.g, self.scale.time,
            self.angles, system.is_planar, self.states, self.scale, signals,
            watched(system.events),
            system.network if system.elements else None,
        )  # fmt: skip
        self.model, self._table = self.packer.pack()
        self.work = make_work(self.model, len(self.packer.node), len(self.packer.rotation_node))
        self.handle = entry.handle(self.model, self.work)
        self.initial = State(0.0, np.zeros(self.n_q), np.zeros(self.n_v))
        self.chosen = ""
        self._second: tuple[IntArray, Work] | None = None

    def __copy__(self) -> "Equations":
        out = object.__new__(type(self))
        out.__dict__.update(self.__dict__)
        return out

    def __getstate__(self) -> object:
        raise ModelError(
            f"equations of {self.system.name!r} cannot be copied or pickled: they hold addresses of this"
            " process; build the system and formulate it where it is needed"
        )

    # -- sizes ---------------------------------------------------------------------------------

    @property
    def n_q(self) -> int:
        """Length of the configuration."""
        return len(self.coordinates.q_names)

    @property
    def n_v(self) -> int:
        """Number of coordinates n: velocities, and dynamic equations."""
        return len(self.coordinates.v_names)

    @property
    def n_z(self) -> int:
        """Number of first-order states."""
        return len(self.states.names)

    @property
    def m(self) -> int:
        """Number of constraint equations."""
        return len(self.rows)

    @property
    def graph(self) -> LinearGraph:
        """The linear graph of the mechanism."""
        return self.description.graph

    @cached_property
    def sizes(self) -> Array:
        """Size of every coordinate, (n_v,): a change that moves something by the length, or turns it by 1."""
        return coordinate_sizes(self)

    @cached_property
    def row_sizes(self) -> Array:
        """Size of every constraint, (m,): the length for translations, 1 for rotations."""
        return row_sizes(self)

    @property
    def q_sizes(self) -> Array:
        """Size of every entry of q, (n_q,); 1 for those of a quaternion."""
        out = np.ones(self.n_q)
        for i, k in self.coordinates.scalars:
            out[i] = self.sizes[k]
        return out

    @property
    def rotations(self) -> IntArray:
        """First places in v of the rotations that are quaternions in q."""
        return np.array([k for _, k in self.coordinates.quaternions], dtype=np.int64)

    @cached_property
    def weights(self) -> Array:
        """Weights (n_v + m,) that leave no unit in [M Gᵀ; G 0]."""
        return matrix_weights(self.scale, self.sizes, self.row_sizes)

    @cached_property
    def nodal(self) -> "Equations":
        """The same mechanism in absolute coordinates, every joint and driver a chord, nothing dropped."""
        return Equations(self.description, *select_trees(self.graph, "absolute"))

    @cached_property
    def complete(self) -> "Equations":
        """The same equations with the rows that were dropped."""
        return Equations(self.description, self.T, self.R) if self.redundant else self

    def frozen(self, t: float, factor: float = 1.0, loads: Collection[str] = ()) -> "Equations":
        """The same equations with every known function of time held at its value at t.

        Parameters
        ----------
        factor : what the loads of these names are multiplied by.
        loads : forces, torques and springs (their actuators), by name, and ``"gravity"``.
        """
        out = copy(self)
        entry.known_functions(self.handle, float(t))
        functions = self.model.functions.copy()
        functions["kind"] = np.where(functions["kind"] == SIGNAL, SIGNAL, CONSTANT)
        functions["count"], functions["refs"] = 1, 0
        functions["start"] = len(self.model.data) + np.arange(len(functions))
        times = np.array([factor if owner in loads else 1.0 for owner, _ in self._table.owners])
        data = np.concatenate([self.model.data, times * self.work.f[: len(functions), 0]])
        weight = factor if GRAVITY in loads else 1.0
        out.model = self.model._replace(
            functions=functions,
            data=data,
            weights=weight * self.model.weights,
            gravity=weight * self.model.gravity,
        )
        out.work = make_work(out.model, len(self.packer.node), len(self.packer.rotation_node))
        out.handle, out._second = entry.handle(out.model, out.work), None
        return out

    # -- kinematics ----------------------------------------------------------------------------

    def compose(self, q: Array, dq: AnyArray) -> Array:
        """Move a configuration along a velocity, ``q ⊕ dq``, exact on the rotation group."""
        out = np.empty(self.n_q)
        entry.compose(
            self.handle, np.ascontiguousarray(q, dtype=float), np.ascontiguousarray(dq, dtype=float), out
        )
        return out

    def count(self, q: Array, t: float) -> Array:
        """A configuration with its counted angles brought up to it, each less than half a turn away."""
        out = np.array(q, dtype=float)
        if self.counts_turns:
            entry.count(self.handle, float(t), out)
        return out

    @cached_property
    def counts_turns(self) -> bool:
        """Whether counted angles have to be brought up to the configuration, or watched, after every step."""
        return any(angle.is_followed or angle.axis is None for angle in self.angles)

    def constraints(self, q: Array, t: float = 0.0) -> Array:
        """Φ(q, t), (m,): m for translations, rad for rotations."""
        return self._kinematics(State(t, q, np.zeros(self.n_v)))

    def constraint_rates(self, state: State) -> Array:
        """Φ̇ = G v + Φ_t, (m,)."""
        return self.constraint_motion(state, np.zeros(self.n_v))[0]

    def constraint_bias(self, state: State) -> Array:
        """Φ̈ for v̇ = 0, (m,): the acceleration equation is ``G v̇ = -bias`` (GTM eq. 90)."""
        return self.constraint_motion(state, np.zeros(self.n_v))[1]

    def constraint_motion(self, state: State, a: Array) -> tuple[Array, Array]:
        """Φ̇ = G v + Φ_t and Φ̈ for the accelerations a, (m,) each."""
        lam, phi = np.zeros(self.m), np.zeros(self.m)
        entry.residual(self.handle, float(state.t), state.q, state.v, a, lam, _NONE, _NONE, phi)
        rate, second = np.zeros(self.m), np.zeros(self.m)
        entry.rates(self.handle, state.v, a, _NONE, rate, second)
        return rate, second

    def _kinematics(self, state: State) -> Array:
        """Φ (m,); frames and, for v̇ = 0, their rates are in the workspace."""
        zero, lam, phi = np.zeros(self.n_v), np.zeros(self.m), np.zeros(self.m)
        entry.residual(self.handle, float(state.t), state.q, state.v, zero, lam, _NONE, _NONE, phi)
        return phi

    def poses(self, state: State) -> Poses:
        """Poses and rates of all bodies."""
        self._kinematics(state)
        nodes = [self.packer.node[name] for name in self.packer.bodies]
        n, w = len(nodes), self.work
        q, v = self.packer.elastic_indices()
        return Poses(
            state.t,
            w.R[:n].copy(),
            w.p[nodes].copy(),
            w.omega[:n].copy(),
            w.v[nodes].copy(),
            np.asarray(state.q)[q],
            np.asarray(state.v)[v],
            angles_of(self, state),
            dict(zip(self.states.names, map(float, state.z), strict=False)),
            tuple(self.packer.bodies),
            shapes_of(self.packer),
        )

    def state(self, poses: Poses) -> State:
        """Branch coordinates of given poses."""
        start = self.states.start.copy()
        for part, number in first_samples(self.system.events, poses.t).items():
            start[self.states.places[part.block, part.index]] = number
        own = dict(zip(self.states.names, start.tolist(), strict=True))
        z = [poses.states.get(name, value) for name, value in own.items()]
        return replace(poses_to_state(self, poses), z=np.array(z, dtype=float))

    def starting(self, poses: Poses) -> "Equations":
        """The same equations from another start, such as the end of a run: poses that close every joint.

        Raises
        ------
        ModelError
            If they are of other bodies, or leave a joint open.
        """
        poses = in_order(self, poses)
        out = copy(self)
        out.initial = self.state(poses)
        gap = np.abs(self.constraints(out.initial.q, poses.t)) / self.row_sizes
        if gap.max(initial=0.0) > _OPEN:
            row = self.rows[int(np.argmax(gap))].name
            raise ModelError(
                f"the start leaves {row!r} of {self.system.name!r} open by {gap.max():.2g} of its size"
            )
        check_places(self, poses, out.initial, _OPEN)
        return out

    # -- dynamics ------------------------------------------------------------------------------

    def mass_and_jacobian(self, q: Array, t: float = 0.0) -> tuple[Array, Array]:
        """Mass matrix M (n, n) and constraint Jacobian G (m, n)."""
        self.constraints(q, t)
        M, G = np.zeros((self.n_v, self.n_v)), np.zeros((self.m, self.n_v))
        entry.matrices(self.handle, _NONE, 0.0, 0.0, M, G)
        return M, G

    def jacobian(self, q: Array, t: float = 0.0) -> Jacobian:
        """Constraint Jacobian G (m, n); a sparse one of scipy where it is large."""
        if self.m * self.n_v <= LARGE:
            return self.mass_and_jacobian(q, t)[1]
        self.constraints(q, t)
        values = np.empty(len(self.model.col_rows))
        jacobian_entries(self.handle, values)
        columns = np.repeat(np.arange(self.n_v), np.diff(self.model.col_rows_ptr))
        return sparse_jacobian(values, self.model.col_rows, columns, (self.m, self.n_v))

    def forces(self, state: State) -> Array:
        """F(q, v, t), (n,): applied and quadratic velocity forces."""
        r, _ = self.residual(state, np.zeros(self.n_v), np.zeros(self.m))
        return -r

    def residual(self, state: State, a: Array, lam: Array) -> tuple[Array, Array]:
        """``M v̇ + Gᵀλ - F`` (n,) and Φ (m,); where v̇ ends in the rates ż, r ends in the rows of z."""
        r, phi, v = np.zeros(len(a)), np.zeros(self.m), state.v
        if len(a) > self.n_v:
            v = np.concatenate([v, self.z_of(state)])
        else:
            self.hold_states(state)
        entry.residual(self.handle, float(state.t), state.q, v, a, lam, _NONE, r, phi)
        self._check_laws()
        return r, phi

    def motion(self, state: State) -> Motion:
        """Accelerations and multipliers by the augmented form (DynaFlex eq. 24)."""
        F, bias = self.forces(state), self.constraint_bias(state)
        M, G = self.mass_and_jacobian(state.q, state.t)
        n, m = self.n_v, self.m
        KKT = np.zeros((n + m, n + m))
        KKT[:n, :n], KKT[:n, n:], KKT[n:, :n] = M, G.T, G
        try:
            x = self._solve(KKT, np.concatenate([F, -bias]))
            if self.is_coupled:
                x = solve_coupled(partial(self._defect, state), self._solve, x)
        except np.linalg.LinAlgError:
            raise ModelError(
                f"the equations of {self.system.name!r} are singular: a freedom without mass or a dead point"
            ) from None
        return Motion(x[:n], x[n:])

    @property
    def is_coupled(self) -> bool:
        """Whether forces follow accelerations or loads of joints."""
        return bool(self.model.sensed[OF_MOTION])

    @property
    def has_networks(self) -> bool:
        """Whether scalar networks stand beside the mechanism."""
        return bool(self.model.sensed[OF_NETWORKS])

    def _solve(self, A: Array, b: Array) -> Array:
        """Solve with a matrix like [M Gᵀ; G 0], pivots chosen without units."""
        d = self.weights
        return np.asarray(d * np.linalg.solve(d[:, None] * A * d, d * b))

    def _defect(self, state: State, x: Array) -> Array:
        """R and Φ̈ (n + m,) of v̇ and λ at a state."""
        a, lam = x[: self.n_v].copy(), x[self.n_v :].copy()
        r, _ = self.residual(state, a, lam)
        return np.concatenate([r, self.constraint_motion(state, a)[1]])

    def dae(self, state: State | None = None) -> Dae:
        """The equations behind the protocol of the integrators, starting at ``state``."""
        start = self.initial if state is None else state
        return Dae(
            model=self.handle,
            work=_NONE,
            residual=entry.residual,
            matrices=entry.matrices,
            compose=entry.compose,
            rates=entry.rates,
            power=entry.power,
            q=start.q,
            v=np.concatenate([start.v, self.z_of(start)]),
            t=start.t,
            equations=(*self.coordinates.v_names, *self.states.names, *(row.name for row in self.rows)),
            loads_do_work=self.is_coupled
            or self.has_networks
            or bool(
                np.any(self.model.r_edges["function"] >= 0) or np.any(self.model.t_edges["n_driven"] > 0)
            ),
            energy=entry.state_energy,
            owner=(self.model, self.work, self._table),
            sparsity=sparsity(self.model),
            is_coupled=self.is_coupled,
            symmetry=partial(symmetry, self),
            links=None if self.is_coupled else self._links,
            counting=self.counting,
            scale=self.scale,
            sizes=np.concatenate([self.sizes, self.states.sizes(self.scale)]),
            row_sizes=self.row_sizes,
            q_sizes=self.q_sizes,
            n_z=self.n_z,
            is_algebraic=self.states.is_algebraic,
            rotations=self.rotations,
        )

    def _links(self) -> Links | None:
        """The tree of bodies, where elimination along it pays."""
        bodies = [p for p in self.parts if isinstance(p, RigidBody)]
        return find_links(self.model, bodies, self.system.is_planar, self.m)

    def known_value(self, signal: Known, t: float) -> float:
        """Value of a known function of time in a signal, or of its derivative."""
        place = self.packer.known[signal.of_time]
        entry.known_functions(self.handle, float(t))
        return float(self.work.f[place, signal.order])

    def set_function(self, owner: str, function: TimeFunction) -> None:
        """Give the one known function of a component, a polynomial, other coefficients, in place."""
        index = [name for name, _ in self._table.owners].index(owner)
        record = self.model.functions[index]
        start, count = int(record["start"]), int(record["count"])
        given = np.asarray(function.parameters, dtype=float)
        assert len(given) <= count, f"the function of {owner!r} has {count} coefficients"
        self.model.data[start : start + count] = 0.0
        self.model.data[start : start + len(given)] = given

    def hold_states(self, state: State) -> None:
        """Let forces follow the first-order states of a state."""
        if self.n_z:
            self.work.z[:] = self.z_of(state)

    def refuse_states(self, what: str, remedy: str = "simulate it") -> None:
        """Refuse first-order states where they are not known yet."""
        if self.n_z:
            raise ModelError(
                f"{what} of {self.system.name!r} does not take first-order states, such as"
                f" {self.states.names[0]!r}; {remedy}"
            )

    def z_of(self, state: State) -> Array:
        """First-order states of a state, (n_z,); their start values where it tells none."""
        return state.z if len(state.z) == self.n_z else self.states.start

    @property
    def event_values(self) -> tuple[IntArray, Callable[..., None]]:
        """A handle, and ``(handle, t, q, v, out)``, which gives the signals that events watch.

        The handle has a workspace of its own: the state of the last residual stays as it is.
        """
        if self._second is None:
            work = make_work(self.model, len(self.packer.node), len(self.packer.rotation_node))
            self._second = entry.handle(self.model, work), work
        return self._second[0], entry.zeros

    @property
    def counting(self) -> Counting | None:
        """What an integrator does after every step about angles that count whole turns."""
        return Counting(self.handle, entry.count) if self.counts_turns else None

    def kinetic_energy(self, state: State) -> float:
        """Kinetic energy, J."""
        return float(self.energies(state)[0])

    def energies(self, state: State) -> Array:
        """Kinetic, potential and strain energy, (3,) J."""
        phi, rate, out = np.zeros(self.m), np.zeros(self.m), np.zeros(3)
        entry.state_energy(self.handle, float(state.t), state.q, state.v, _NONE, phi, rate, out)
        return out

    def __repr__(self) -> str:
        return f"equations of {self.system.name!r}: {self.n_v} dynamic + {self.m} constraint"

    def _repr_html_(self) -> str:
        # sympy is loaded only when the equations are to be read
        from flexnet.formulation.symbolic import symbolic
        from flexnet.formulation.symbolic.report import fragment

        return fragment(symbolic(self))

    def law_values(self) -> list[tuple[str, float]]:
        """Every driver or force with a function of time or a law, and the largest value that gave last."""
        functions = zip(self._table.owners, self.work.f, strict=True)
        laws = zip(self.element_names, self.work.loads, strict=True)
        found = [(str(owner), float(np.abs(x[:used]).max())) for (owner, used), x in functions]
        return found + [(name, float(np.abs(x).max())) for name, x in laws]

    def failed_law(self) -> str:
        """Name of the driver or force whose function or law gave no number last; empty if all did."""
        return next((name for name, value in self.law_values() if not np.isfinite(value)), "")

    def why_no_number(self) -> str:
        """What the law that gave no number last is called, and what it raised; empty if all gave one."""
        name = self.failed_law()
        cause = self._table.raised[-1] if self._table.raised else None
        told = f" ({type(cause).__name__}: {cause})" if cause is not None else ""
        return f"law of {name}{told}" if name else ""

    @property
    def law_error(self) -> BaseException | None:
        """What a user's law raised last, if one did."""
        return self._table.raised[-1] if self._table.raised else None

    def _check_laws(self) -> None:
        """Name the function or law that gave no number."""
        name = self.failed_law()
        if name:
            self._refuse(name)

    def _refuse(self, name: str) -> None:
        cause = self._table.raised[-1] if self._table.raised else None
        told = f": {cause}" if cause is not None else ""
        self.work.loads[:] = 0.0
        raise ModelError(f"the law of {name!r} gave a value that is not a number{told}") from cause

    @cached_property
    def element_names(self) -> tuple[str, ...]:
        """Names of the force elements, in the order of the packed model."""
        return tuple(p.name for p in self.parts if isinstance(p, ForceElement))


#: gap of a joint over its size that a start may have
_OPEN = 1e-5
#: what the loads of a System call its weights
GRAVITY = "gravity"
_NONE = np.zeros(0)
