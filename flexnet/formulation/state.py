"""States: a configuration and a velocity, in branch coordinates or as poses of the bodies."""

from dataclasses import dataclass, field

import numpy as np

from flexnet.components import FlexibleBody
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Time, configuration and velocity in branch coordinates.

    Attributes
    ----------
    t : s.
    q : (n_q,) configuration.
    v : (n_v,) velocity.
    z : (n_z,) first-order states; empty where they are those of the start.
    """

    t: float
    q: Array
    v: Array
    z: Array = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, slots=True, eq=False)
class Poses:
    """Poses and rates of all bodies in ground axes: a state that knows no tree.

    Attributes
    ----------
    t : s.
    R : (bodies + 1, 3, 3) orientations, the ground first.
    p : (bodies + 1, 3) positions of the body frames, m.
    omega, v : (bodies + 1, 3) rates, rad/s and m/s.
    elastic, elastic_rate : elastic coordinates of all flexible bodies, one after another.
    angles : angles that have counted whole turns, rad, by name, such as ``crank_pivot.angle``.
    states : first-order states by name, such as ``pid.integral``, SI; others begin as they were told to.
    bodies : names of the bodies, the ground first; those of whoever reads them, in order, if left out.
    shapes : elastic coordinates of every flexible body by name, in the order they are given in.
    flexible : the flexible bodies they are of, by name; not known if left out.
    """

    t: float
    R: Array
    p: Array
    omega: Array
    v: Array
    elastic: Array = field(default_factory=lambda: np.zeros(0))
    elastic_rate: Array = field(default_factory=lambda: np.zeros(0))
    angles: dict[str, float] = field(default_factory=dict)
    states: dict[str, float] = field(default_factory=dict)
    bodies: tuple[str, ...] = ()
    shapes: dict[str, int] = field(default_factory=dict)
    flexible: dict[str, FlexibleBody] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Answer of the equations of motion to a state.

    Attributes
    ----------
    a : (n_v,) v̇.
    lam : (m,) Lagrange multipliers of the constraint rows.
    """

    a: Array
    lam: Array
