"""The small protocol between a formulation and an integrator.

A DAE is ``M(q) v̇ + G(q)ᵀ λ = F(q, v, t)``, ``Φ(q, t) = 0`` with a configuration q on a manifold and
a velocity v in a vector space; ``q ⊕ dq`` moves along the manifold. An integrator sees nothing else:
it runs a scalar pendulum as it runs a mechanism.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexnet.typing import Array, BoolArray, IntArray


@dataclass(frozen=True, slots=True)
class Scale:
    """Length (m), mass (kg) and time (s) of a model: what its tolerances are measured by."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    @property
    def energy(self) -> float:
        """Mass × length² / time², J."""
        return self.mass * (self.length / self.time) ** 2


def matrix_weights(scale: Scale, sizes: Array, row_sizes: Array) -> Array:
    """Weights d (n_v + m,) that leave no unit in d A d, A = [M Gᵀ; G 0]; powers of two, so exact.

    M has the unit mass × length² over the sizes of row and column, G that of its row over its column.
    """
    inertia = scale.length * np.sqrt(scale.mass)
    d = np.concatenate([sizes / inertia, inertia / row_sizes])
    out: Array = np.ldexp(1.0, np.frexp(d)[1])
    return out


#: share of nonzeros above which a matrix counts as dense without further analysis
DENSE = 0.4


@dataclass(frozen=True, slots=True, eq=False)
class Sparsity:
    """Entries that can be nonzero, at any configuration.

    Attributes
    ----------
    mass : (entries, 2) row and column of M, both triangles.
    jacobian : (entries, 2) row and column of G.
    tangent : finds row and column of ∂r/∂q and ∂r/∂v, both triangles, when they are asked for; None where
        they can be anywhere.
    is_symmetric : whether M is, with all that ``matrices`` adds to it; with states it is not, and the matrix
        is that of ``tangent``.
    """

    mass: IntArray
    jacobian: IntArray
    tangent: Callable[[], IntArray | None] | None = None
    is_symmetric: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """A tree of rigid bodies, each after its parent: M x = b can then be solved without M.

    Attributes
    ----------
    parent : (bodies,) the body before each, -1 for the ground.
    first : (bodies + 1,) coordinates of each.
    place : (n_v,) their places in v.
    numbers : (bodies, …) what ``articulate`` reads.
    d : numbers of the velocity of a body: 6, or 3 in a plane.
    articulate : in place of ``matrices``, with a table (bodies, …) for M and ``numbers`` for G.
    """

    parent: IntArray
    first: IntArray
    place: IntArray
    numbers: Array
    d: int
    articulate: Callable[..., None]


@dataclass(frozen=True, slots=True, eq=False)
class Symmetry:
    """Motions of space that the equations do not notice, each with a momentum that is kept.

    Attributes
    ----------
    twists : (k, 6) velocity V (m/s) of the point at the datum and angular velocity Ω (rad/s) of each.
    model : what the functions receive first.
    momenta : ``(model, t, q, v, out)``: momentum P and angular momentum L about the datum (six numbers).
    rates : ``(model, t, q, v, dq, twists, X, Y, Z)``, (k, n_v) each: velocities X with which the mechanism
        follows the twists as one body, rates Y of v when its motion is turned by them, and changes Z of an
        increment dq that led to q which move its end along X.
    """

    twists: Array
    model: Any
    momenta: Callable[..., None]
    rates: Callable[..., None]


@dataclass(frozen=True, slots=True, eq=False)
class Counting:
    """Entries of q that follow the motion without a velocity of their own: angles that count whole turns.

    Attributes
    ----------
    model : what the function receives first.
    update : ``(model, t, q)``: brings those entries up to the state of which q is part. They change nothing
        but branches, so that energy and forces before and after are the same.
    """

    model: Any
    update: Callable[..., None]


@dataclass(frozen=True, slots=True, eq=False)
class Reaction:
    """What an event does to a motion.

    Attributes
    ----------
    v : (n_v,) velocity after it; None where the motion goes on as it is.
    impulse : along the event's signal, N s or N m s.
    energy : change of the kinetic energy, J.
    ends : whether the run ends there.
    changes : whether the equations change: who runs the DAE goes on with others.
    """

    v: Array | None = None
    impulse: float = 0.0
    energy: float = 0.0
    ends: bool = False
    changes: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Events:
    """Zeros of functions of the state, and what happens there.

    Attributes
    ----------
    names : of the events.
    directions : (n,) 1 where the function must rise through zero, -1 where it must fall, 0 either way; nan
        where it does not count.
    sizes : (n,) size of the functions, as large as the model: a value of round-off is none.
    model : what ``evaluate`` receives first.
    evaluate : ``(model, t, q, v, out)``: values of the functions, and of others after them, compiled.
    act : ``(i, t, q, v)``: what happens at a zero of function i; plain Python.
    width : values that ``evaluate`` gives.
    is_start : whether the motion begins there: an event that happens at once is refused.
    sides : (n,) side on which functions at their zero are about to be, where it is known; 0 where it is not.
    """

    names: tuple[str, ...]
    directions: Array
    sizes: Array
    model: Any
    evaluate: Callable[..., None]
    act: Callable[[int, float, Array, Array], Reaction]
    width: int
    is_start: bool = True
    sides: Array | None = None

    def values(self, t: float, q: Array, v: Array) -> Array:
        """All values at a state, (width,)."""
        out = np.zeros(self.width)
        self.evaluate(self.model, t, q, v, out)
        return out


@dataclass(frozen=True, slots=True, eq=False)
class Dae:
    """Compiled functions on a packed model.

    Attributes
    ----------
    model, work : arrays or tuples of arrays the functions receive; ``work`` is overwritten by every call.
    residual : ``(model, t, q, v, a, lam, work, r, phi)``: r = M a + Gᵀλ - F, Φ.
    matrices : ``(model, work, c_q, c_v, M, G)`` at the state of the last residual; to M it adds c_q times
        the stiffness and c_v times the damping that are constant, such as those of flexible bodies, and where
        neither is 0 the stiffness of the loads of that residual, which the first call forgets. What is
        zero at every configuration need not be written: M and G are zero there before the first call.
    compose : ``(model, q, dq, out)``: out = q ⊕ dq.
    rates : ``(model, v, a, work, rate, acceleration)``: Φ̇ and Φ̈ at the state of the last residual.
    power : ``(model, q, v, lam, work, out)``: power of drivers, of forces without a potential and of
        damping (out[0:3], W), at the state of the last residual; of sources, ports and dissipation of
        networks (out[5:8]) where there are any.
    energy : ``(model, t, q, v, work, phi, rate, out)``: Φ, Φ̇ and the energies of a state (three numbers,
        J: kinetic, potential, strain). None where they are not known: energy schemes then cannot run.
    q, v : initial configuration (n_q,) and velocity (n_v,), consistent.
    t : initial time, s.
    equations : names of the n_v equations of motion and the m constraints, for messages.
    loads_do_work : whether ``power`` depends on the last residual (a driver in a tree, a network): it is then
        evaluated again at the end of a step.
    owner : what must live as long as the DAE.
    sparsity : where M and G can be nonzero; everywhere if None.
    symmetry : finds the symmetries when they are asked for; None where nothing is known of them.
    links : finds the tree of bodies where elimination along it pays; None where there is none.
    counting : what is done after every accepted step about counted angles; None where there are none.
    events : zeros at which something happens; None where there are none.
    wakes : ``(start, end, step)``: instants at which known functions of time begin or cease to change and an
        adaptive step ends, and at which the next begins, (any, 2); None where there are none.
    scale : length, mass and time of the model.
    sizes : (n_v,) size of every coordinate: a change as large as the model. Ones if left out.
    magnitudes : (n_z,) factors in the sizes of the states: what they become over what their dimensions tell.
    fineness : (n_z,) such factors that are in no size, for how well algebraic rows are met alone.
    row_sizes : (m,) the same of every constraint.
    q_sizes : (n_q,) the same of every entry of q.
    n_z : how many of the last of v are first-order states z: they have no place in q, and their rows of r are
        w (E ż - f), with w (E - c_v ∂f/∂z) in M. Where ``matrices`` is asked for M alone (c_q = c_v = 0), a
        row with E = 0 has w on the diagonal: a metric, whatever it leaves alone.
    is_algebraic : (n_z,) which of these rows have E = 0; none if left out.
    is_coupled : whether forces follow accelerations or loads of joints: r then depends on v̇ and λ otherwise
        than by M v̇ + Gᵀλ, of which ``matrices`` knows nothing.
    unreduced : elastic blocks of unreduced bodies (:class:`flexnet.kernels.unreduced.Blocks`), overwritten;
        None where there are none. ``matrices`` then writes M and G of the small mechanism of their ports, and
        the rows of these into ``work``.
    rotations : first of the three places in v of every rotation that is a quaternion in q: the angular
        velocity in the turned axes, about which q ⊕ dq turns.
    """

    model: Any
    work: Any
    residual: Callable[..., None]
    matrices: Callable[..., None]
    compose: Callable[..., None]
    rates: Callable[..., None]
    power: Callable[..., None]
    q: Array
    v: Array
    t: float
    equations: tuple[str, ...]
    loads_do_work: bool = False
    energy: Callable[..., None] | None = None
    owner: Any = None
    sparsity: Sparsity | None = None
    symmetry: Callable[[], Symmetry] | None = None
    links: Callable[[], Links | None] | None = None
    counting: Counting | None = None
    events: Events | None = None
    wakes: Callable[[float, float, float], Array] | None = None
    scale: Scale = Scale()
    sizes: Array = field(default_factory=lambda: np.zeros(0))
    row_sizes: Array = field(default_factory=lambda: np.zeros(0))
    q_sizes: Array = field(default_factory=lambda: np.zeros(0))
    n_z: int = 0
    is_algebraic: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    is_coupled: bool = False
    rotations: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    magnitudes: Array = field(default_factory=lambda: np.zeros(0))
    fineness: Array = field(default_factory=lambda: np.zeros(0))
    unreduced: Any = None

    def __post_init__(self) -> None:
        counts = {"sizes": self.n_v, "row_sizes": self.m, "q_sizes": self.n_q}
        for name, count in (counts | {"magnitudes": self.n_z, "fineness": self.n_z}).items():
            if len(getattr(self, name)) == 0:
                object.__setattr__(self, name, np.ones(count))
        if len(self.is_algebraic) == 0:
            object.__setattr__(self, "is_algebraic", np.zeros(self.n_z, dtype=bool))

    @property
    def weights(self) -> Array:
        """Weights (n_v + m,) of Newton's matrix; see :func:`matrix_weights`.

        Rows of states are weighted by their dimensions, whatever they become.
        """
        sizes = self.sizes.copy()
        sizes[self.n_v - self.n_z :] /= self.magnitudes
        return matrix_weights(self.scale, sizes, self.row_sizes)

    @property
    def n_q(self) -> int:
        """Length of the configuration."""
        return len(self.q)

    @property
    def n_v(self) -> int:
        """Length of the velocity."""
        return len(self.v)

    @property
    def is_flat(self) -> bool:
        """Whether q has one entry for each velocity with a place: nothing turns in space or is counted."""
        return self.n_q == self.n_v - self.n_z

    @property
    def m(self) -> int:
        """Number of constraints."""
        return len(self.equations) - len(self.v)
