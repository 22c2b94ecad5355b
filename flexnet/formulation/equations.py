"""The equations of motion of a System in the coordinates its trees imply.

    M(q) v̇ + Gᵀ λ = F(q, v, t),     Φ(q, t) = 0                                      GTM (88), (91)

:class:`Equations` is the numeric engine as its user sees it; the work is done by compiled kernels on
packed arrays.
"""

from collections.abc import Callable, Collection, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property

import numpy as np

from flexnet.components import Component, ForceElement
from flexnet.dae import Dae, Scale, matrix_weights
from flexnet.errors import ModelError
from flexnet.formulation.augmented import augmented_motion
from flexnet.formulation.description import Description, describe
from flexnet.formulation.functions import LawValues
from flexnet.formulation.pack import Packer
from flexnet.formulation.poses import checked_start, first_states, poses_of, poses_to_state
from flexnet.formulation.protocol import numeric_dae
from flexnet.formulation.rows import ConstraintRow
from flexnet.formulation.scale import coordinate_sizes, row_sizes
from flexnet.formulation.sparse_rows import LARGE, Jacobian, large_jacobian
from flexnet.formulation.state import Motion, Poses, State
from flexnet.formulation.turns import counted_angles
from flexnet.formulation.unforced import Unforced, unforced
from flexnet.formulation.unreduced import make_ports, refuse_unreduced
from flexnet.graph import LinearGraph, Tree, select_trees
from flexnet.kernels import entry
from flexnet.kernels.model import OF_MOTION, OF_NETWORKS
from flexnet.kernels.work import Work, make_work
from flexnet.signals import Known, watched
from flexnet.system import System
from flexnet.typing import AnyArray, Array, IntArray


class Equations:
    """Equations of motion for one System and one pair of trees.

    Parameters
    ----------
    system : the mechanism, or its description.
    T, R : its trees.
    drop : names of constraint rows left out because they are redundant; or what is known of equations with
        the same frames, joints, trees and rows left out, which is not looked for again.
    extra : further rows, such as wanted start values during assembly.

    Attributes
    ----------
    ports : the same with the ports of unreduced bodies for coordinates; None where there are none.
    coordinates : layout and names of q and v.
    rows : the constraint rows that are kept, in the order of λ.
    redundant : names of the rows that were dropped.
    chosen : how the trees were chosen, where that was more than a name; written in result files.
    angles : angles that count whole turns.
    functions : known functions of time, packed.
    scale : length, mass and time of the mechanism: what its tolerances are measured by.
    """

    def __init__(
        self,
        system: System | Description,
        T: Tree,
        R: Tree,
        drop: Sequence[str] | Unforced = (),
        extra: Sequence[ConstraintRow] = (),
    ) -> None:
        self.description = system if isinstance(system, Description) else describe(system)
        self.system, self.T, self.R = self.description.system, T, R
        self.parts: list[Component] = self.description.parts
        self.terminals, self.states = self.description.terminals, self.description.states
        self.scale: Scale = self.description.scale
        system, signals = self.system, self.description.signals
        self.angles = counted_angles(self.parts, self.terminals, R, signals, extra)
        followed = [angle.name for angle in self.angles if angle.is_followed]
        found = unforced(self.description, T, R, followed, drop)
        self.coordinates, self.redundant = found.coordinates, found.redundant
        self.rows: tuple[ConstraintRow, ...] = (*found.rows, *extra)
        self.packer = Packer(
            self.description.frames, self.parts, self.terminals, T, R, self.coordinates, list(self.rows),
            system.g, self.scale.time,
            self.angles, system.is_planar, self.states, self.scale, signals,
            watched(system.events),
            system.network if system.elements else None,
        )  # fmt: skip
        self.model, self.functions = self.packer.pack(found.geometry)
        self.work = make_work(self.model, len(self.packer.node), len(self.packer.rotation_node))
        self.ports = make_ports(self, extra)
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
        out.model = self.functions.held(self.model, self.work.f[:, 0], factor, loads)
        out.work = make_work(out.model, len(self.packer.node), len(self.packer.rotation_node))
        out.handle, out._second = entry.handle(out.model, out.work), None
        return out

    # -- kinematics ----------------------------------------------------------------------------

    def compose(self, q: Array, dq: AnyArray) -> Array:
        """Move a configuration along a velocity, ``q ⊕ dq``, exact on the rotation group."""
        place, way = (np.ascontiguousarray(x, dtype=float) for x in (q, dq))
        out = np.empty(self.n_q)
        entry.compose(self.handle, place, way, out)
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
        return poses_of(self, state)

    def state(self, poses: Poses, known: State | None = None) -> State:
        """Branch coordinates of given poses; q and v are not looked for again where they are known."""
        return replace(known or poses_to_state(self, poses), z=first_states(self, poses))

    def starting(self, poses: Poses) -> "Equations":
        """The same equations from another start, such as the end of a run: poses that close every joint."""
        out = copy(self)
        out.initial = checked_start(self, poses)
        return out

    # -- dynamics ------------------------------------------------------------------------------

    def mass_and_jacobian(self, q: Array, t: float = 0.0) -> tuple[Array, Array]:
        """Mass matrix M (n, n) and constraint Jacobian G (m, n)."""
        refuse_unreduced(self, "this needs")
        self.constraints(q, t)
        M, G = np.zeros((self.n_v, self.n_v)), np.zeros((self.m, self.n_v))
        entry.matrices(self.handle, _NONE, 0.0, 0.0, M, G)
        return M, G

    def jacobian(self, q: Array, t: float = 0.0) -> Jacobian:
        """Constraint Jacobian G (m, n); a sparse one of scipy where it is large."""
        if self.m * self.n_v <= LARGE and self.ports is None:
            return self.mass_and_jacobian(q, t)[1]
        self.constraints(q, t)
        return large_jacobian(self.model, self.handle, (self.m, self.n_v))

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
        self.law_values.check()
        return r, phi

    def motion(self, state: State) -> Motion:
        """Accelerations and multipliers by the augmented form (DynaFlex eq. 24)."""
        return augmented_motion(self, state)

    @property
    def is_coupled(self) -> bool:
        """Whether forces follow accelerations or loads of joints."""
        return bool(self.model.sensed[OF_MOTION])

    @property
    def has_networks(self) -> bool:
        """Whether scalar networks stand beside the mechanism."""
        return bool(self.model.sensed[OF_NETWORKS])

    def dae(self, state: State | None = None) -> Dae:
        """The equations behind the protocol of the integrators, starting at ``state``."""
        return numeric_dae(self, self.initial if state is None else state)

    def known_value(self, signal: Known, t: float) -> float:
        """Value of a known function of time in a signal, or of its derivative."""
        place = self.packer.known[signal.of_time]
        entry.known_functions(self.handle, float(t))
        return float(self.work.f[place, signal.order])

    def hold_states(self, state: State) -> None:
        """Let forces follow the first-order states of a state."""
        if self.n_z:
            self.work.z[:] = self.z_of(state)

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
            sizes = np.append(self.sizes, self.states.sizes(self.scale))
            work.units[:] = matrix_weights(self.scale, sizes, self.row_sizes)[: len(work.units)]
            self._second = entry.handle(self.model, work), work
        return self._second[0], entry.zeros

    def energies(self, state: State) -> Array:
        """Kinetic, potential and strain energy, (3,) J."""
        phi, rate, out = np.zeros(self.m), np.zeros(self.m), np.zeros(3)
        entry.state_energy(self.handle, float(state.t), state.q, state.v, _NONE, phi, rate, out)
        return out

    def __repr__(self) -> str:
        return f"equations of {self.system.name!r}: {self.n_v} dynamic + {self.m} constraint"

    def _repr_html_(self) -> str:
        from flexnet.formulation.symbolic import report, symbolic  # here: sympy is loaded to be read only

        return report.fragment(symbolic(self))

    @property
    def law_values(self) -> LawValues:
        """What functions of time and laws gave last."""
        return LawValues(self.functions, self.element_names, self.work)

    @cached_property
    def element_names(self) -> tuple[str, ...]:
        """Names of the force elements, in the order of the packed model."""
        return tuple(p.name for p in self.parts if isinstance(p, ForceElement))


_NONE = np.zeros(0)
