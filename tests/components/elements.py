"""A few of every force element of the registry, and two a user wrote."""

from dataclasses import dataclass

import numpy as np

import flexnet as fx
from flexnet.algebra import cross, dot, maximum, sqrt, times
from flexnet.components import BUILDERS, Frame, as_time_function, rotation
from flexnet.components.box_contact import BoxContact
from flexnet.components.cable import Cable
from flexnet.components.cylinder_contact import CylinderContact
from flexnet.components.end_stop import SlideStop, TurnStop
from flexnet.components.joint_friction import SlideFriction, TurnFriction
from flexnet.components.loads import Force, Torque
from flexnet.components.one_way_clutch import OneWayClutch
from flexnet.components.plane_contact import PlaneContact
from flexnet.components.rod_element import RodElement
from flexnet.components.sphere_contact import SphereContact
from flexnet.components.spread_loads import FreeStrain, PressureLoad
from flexnet.components.spring_damper import Bushing, TorsionalSpring, TranslationalSpring
from tests.members import members

ZERO = np.zeros(3)
#: about z, so that they fit into a plane
TAIL = Frame("a.tail", "a", ZERO, rotation("z", 0.3))
HEAD = Frame("b.head", "b", ZERO, rotation("z", -0.7))
GROUND = Frame("ground", "ground", ZERO, np.eye(3))
TILTED = Frame("b.head", "b", ZERO, rotation("x", 0.4) @ rotation("y", -0.2))
NOTHING, WAVE = as_time_function(0.0, ""), fx.harmonic(2.0, 3.0)

_RNG = np.random.default_rng(5)


def matrix(symmetric=True):
    """A (6, 6) matrix that takes energy out."""
    A = _RNG.normal(size=(6, 6))
    K = A @ A.T + np.eye(6)
    return K if symmetric else K + 0.3 * (A - A.T)


def force(components=(1.0, 2.0, 0.0), follows=False):
    return Force("e", GROUND, HEAD, tuple(as_time_function(c, "") for c in components), follows)


def torque(components=(0.0, 0.0, 2.0), follows=False):
    return Torque("e", GROUND, HEAD, tuple(as_time_function(c, "") for c in components), follows)


def line(k=40.0, c=0.7, rest=0.8, actuator=NOTHING, formula=None, axis=None, head=HEAD):
    return TranslationalSpring("e", TAIL, head, k, c, rest, actuator, formula, axis)


def torsion(k=40.0, c=0.7, rest=0.8, actuator=NOTHING, formula=None, head=HEAD):
    return TorsionalSpring("e", TAIL, head, k, c, rest, actuator, formula, np.array([0.0, 0.0, 1.0]))


def touch(radius=0.8, exponent=1.5, friction=0.4, hollow=False):
    """Radius, stiffness, damping, exponent, friction, slip speed and side of a contact."""
    return radius, 50.0, 0.3, exponent, friction, 0.2, hollow


X, Z, OBLIQUE = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([0.48, 0.6, 0.64])
BOX = np.array([1.0, 0.8, 0.9])

#: of every class of the registry some members
ELEMENTS = {
    "Force": [force(), force(follows=True), force((WAVE, 1.0, 3.0))],
    "PressureLoad": [PressureLoad("e", GROUND, HEAD, as_time_function(WAVE, ""), np.linspace(-2.0, 1.0, 6))],
    "FreeStrain": [FreeStrain("e", TAIL, HEAD, as_time_function(WAVE, ""), 3.0)],
    "Torque": [torque(), torque((1.0, 0.0, WAVE), follows=True)],
    "TranslationalSpring": [
        line(), line(c=0.0, actuator=WAVE), line(axis=X), line(axis=OBLIQUE, head=TILTED),
        line(0.0, 0.0, formula=lambda x, v, t: -7.0 * x**3 - v),
        line(0.0, 0.0, formula=lambda x, v, t: max(x, v)),
    ],
    "TorsionalSpring": [
        torsion(), torsion(actuator=WAVE, head=TILTED), torsion(0.0, 0.0, formula=lambda x, v, t: -x),
    ],
    "Bushing": [
        Bushing("e", TAIL, HEAD, np.diag([3.0, 4.0, 5.0, 1.0, 2.0, 1.5]), np.zeros((6, 6))),
        Bushing("e", TAIL, TILTED, matrix(), matrix()),
        Bushing("e", TAIL, HEAD, matrix(), matrix(), Z),
        Bushing("e", TAIL, TILTED, matrix(symmetric=False), matrix(), OBLIQUE),
    ],
    "PlaneContact": [PlaneContact("e", TAIL, HEAD, *touch(), -X)],
    "SphereContact": [SphereContact("e", TAIL, TILTED, *touch(0.2, 1.2, hollow=True), 1.0)],
    "CylinderContact": [CylinderContact("e", TAIL, HEAD, *touch(0.3, hollow=True), OBLIQUE, 1.0, 1.5)],
    "BoxContact": [BoxContact("e", TAIL, HEAD, *touch(), BOX)],
    "SlideStop": [SlideStop("e", TAIL, HEAD, -0.5, 0.1, 40.0, 0.2, 1.0, X, "j")],
    "TurnStop": [TurnStop("e", TAIL, HEAD, -0.3, 0.3, 40.0, 0.2, 1.5, Z, "j")],
    "Cable": [Cable("e", TAIL, HEAD, 0.0, 40.0, 0.2)],
    "SlideFriction": [SlideFriction("e", TAIL, HEAD, as_time_function(3.0, ""), 0.5, 0.3, 0.1, 0.2, X, "j")],
    "TurnFriction": [TurnFriction("e", TAIL, HEAD, WAVE, 0.0, 1.0, 0.1, 0.0, Z, "j")],
    "RodElement": [RodElement("e", TAIL, HEAD, 1.0, matrix(), np.array([1.0, 0.1, 0.0, 0.1, 0.0, 0.3]), 0.2)],
    "OneWayClutch": [OneWayClutch("e", TAIL, HEAD, 4.0, 0.2, Z, "j")],
}  # fmt: skip
for _name, _members in members(fx.ForceElement).items():
    _made = [BUILDERS[_name]("e", TAIL, TILTED, **arguments) for arguments in _members]
    ELEMENTS[type(_made[0]).__name__] = _made

#: more of them, whose checks take their time
FURTHER = {
    "PlaneContact": [PlaneContact("e", TAIL, HEAD, *touch(0.0, 1.0), -OBLIQUE)],
    "SphereContact": [SphereContact("e", TAIL, HEAD, *touch(friction=0.0), 1.0)],
    "CylinderContact": [
        CylinderContact("e", TAIL, HEAD, *touch(), Z, 1.0, None),
        CylinderContact("e", TAIL, HEAD, *touch(0.3, hollow=True), Z, 1.0, None),
        CylinderContact("e", TAIL, HEAD, *touch(), OBLIQUE, 1.0, 2.0),
    ],
    "BoxContact": [BoxContact("e", TAIL, HEAD, *touch(0.4, hollow=True), BOX)],
    "TurnStop": [TurnStop("e", TAIL, HEAD, -np.inf, -0.6, 40.0, 0.2, 1.0, Z, "j")],
    "Cable": [Cable("e", TAIL, HEAD, 0.5, 40.0, 0.2)],
}


@dataclass(frozen=True, slots=True, eq=False)
class TireSpring(fx.ForceElement):
    """Wheel on the ground z = 0 of the tail: it pushes where it is pressed, and drags where it slips."""

    radius: float
    stiffness: float
    hardening: float
    slip: float

    def law(self, motion, p, t):
        height = motion.d_tail[2]
        pressed = maximum(p.radius - height, 0)
        vx, vy, _ = motion.v_tail
        normal = p.stiffness * pressed + p.hardening * pressed**3
        drag = p.slip * pressed
        return fx.Action(
            force=motion.tail.vector((-drag * vx, -drag * vy, normal)),
            potential=p.stiffness * pressed**2 / 2 + p.hardening * pressed**4 / 4,
            dissipation=drag * (vx**2 + vy**2),
        )

    @property
    def lengths(self):
        return (self.radius,)


@dataclass(frozen=True, slots=True, eq=False)
class MagneticBearing(fx.ForceElement):
    """Dipole m of the head in the field of one on the tail, both along z of their frames.

    V = c (m₁·m₂ - 3 (m₁·n)(m₂·n))/r³, n = d/r: a force and a torque that see the orientation.
    """

    strength: float

    def law(self, motion, p, t):
        m_1, m_2 = motion.tail.vector((0, 0, 1)), motion.head.vector((0, 0, 1))
        d = motion.d
        r = sqrt(dot(d, d))
        n = times(1 / r, d)
        a, b, c = dot(m_1, n), dot(m_2, n), dot(m_1, m_2)
        k = 3 * p.strength / r**4
        force = tuple(k * (b * m_1[i] + a * m_2[i] + (c - 5 * a * b) * n[i]) for i in range(3))
        field = tuple(p.strength / r**3 * (m_1[i] - 3 * a * n[i]) for i in range(3))
        return fx.Action(force, times(-1, cross(m_2, field)), potential=p.strength * (c - 3 * a * b) / r**3)


USERS = {
    "TireSpring": [TireSpring("e", TAIL, HEAD, 0.9, 50.0, 200.0, 3.0)],
    "MagneticBearing": [MagneticBearing("e", TAIL, TILTED, 2.0), MagneticBearing("e", TAIL, HEAD, 1.0)],
}  # fmt: skip
