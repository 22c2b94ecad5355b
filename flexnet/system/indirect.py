"""Virtual joints where they give better coordinates: the indirect angles of Fayet and Pfister (Léger §3.3).

* Two pins of one body with parallel axes: as seen from the near body the far one turns about that axis,
  too, by the sum of both angles. A virtual planar joint across the body between them has that sum as its
  one angle, so the far body no longer needs the near pin's.
* In a planar system every body has an angle to the ground: a virtual planar joint from the datum to it.

A virtual joint imposes nothing; it only offers coordinates to the tree rules.
"""

import logging
from collections.abc import Iterator
from copy import copy
from itertools import combinations

import numpy as np

from flexnet.components import Component, Frame, as_axis
from flexnet.components.planar import Planar
from flexnet.components.revolute import Revolute
from flexnet.components.virtual_joint import VirtualJoint
from flexnet.graph import Kind
from flexnet.system.system import System

log = logging.getLogger("flexnet")


def offer_indirect_joints(system: System) -> System:
    """Return the system with the virtual joints that suit it; which and why is logged."""
    out, told = with_indirect_joints(system)
    for line in told:
        log.info("%s", line)
    return out


def with_indirect_joints(system: System) -> tuple[System, list[str]]:
    """Return the system with the virtual joints that suit it, and why each is there.

    The system itself is not changed. Pins are joined only where their frames need no further frame: the same
    axis in both, and no distance along it.
    """
    out = copy(system)
    out.components = dict(system.components)
    told = []
    there = {frozenset((c.tail.name, c.head.name)) for c in _of(system, Kind.VIRTUAL)}
    for joint, why in _planar(system) if system.is_planar else _parallel(system):
        ends = frozenset((joint.tail.name, joint.head.name))
        if ends not in there and joint.name not in out.components:
            out.components[joint.name] = VirtualJoint(joint)
            told.append(f"virtual joint {joint.name} from {joint.tail.name} to {joint.head.name}: {why}")
            there.add(ends)
    return out, told


def _of(system: System, kind: Kind) -> list[Component]:
    return [c for c in system.components.values() if c.kind is kind]


def _planar(system: System) -> Iterator[tuple[Planar, str]]:
    for name, body in system.bodies.items():
        joint = Planar(f"planar_{name}", system.ground.origin, body.origin, as_axis("z", "axis"))
        yield joint, f"the angle of {name} to the ground"


def _parallel(system: System) -> Iterator[tuple[Planar, str]]:
    pins = [c for c in system.components.values() if isinstance(c, Revolute)]
    for p, d in combinations(pins, 2):
        for near_p, far_p in ((p.head, p.tail), (p.tail, p.head)):
            for near_d, far_d in ((d.tail, d.head), (d.head, d.tail)):
                is_across = near_p.body == near_d.body != "ground" and far_p.body != far_d.body
                if is_across and _is_one_plane(p, near_p, d, near_d):
                    joint = Planar(f"indirect_{p.name}_{d.name}", far_p, far_d, p.axis)
                    yield joint, f"{p.name} and {d.name} are parallel: their angles add up"


def _is_one_plane(p: Revolute, at_p: Frame, d: Revolute, at_d: Frame) -> bool:
    """Whether both pins keep their far frames in one plane and turned about one axis."""
    if at_p.is_flexible or at_d.is_flexible:
        return False
    between = at_p.rotation.T @ at_d.rotation
    along = (at_p.rotation @ p.axis) @ (at_d.position - at_p.position)
    reach = max(float(np.linalg.norm(at_d.position - at_p.position)), 1e-300)
    return bool(
        np.allclose(between @ p.axis, p.axis, atol=1e-9)
        and abs(float(p.axis @ d.axis)) > 1 - 1e-9
        and abs(float(along)) <= 1e-9 * reach
    )
