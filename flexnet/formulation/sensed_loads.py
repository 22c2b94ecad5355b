"""Loads of joints and drivers as formulas, written once for all who ask.

A chord has the multipliers of its constraint rows, a branch the sum of its cutset; where a driver rides on a
joint and is the branch, the cutset holds the loads of both: the driver takes the part in the joint's motion
space, the joint the rest (GTM eq. 78, 84).

A flexible arm is a branch of both trees. Everything beyond it, applied loads, inertia and multipliers,
reaches the body through it: forward arms carry their cutset sum to the body, backward ones its reaction.

Signals read them with the arrays of the kernels, reactions in symbols with expressions, and rows of results
with columns of numbers: all is sums and products.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from flexnet.algebra import (
    UNIT,
    ZERO3,
    Expr,
    Mat,
    Node,
    Vec,
    cross,
    dot,
    matmul,
    minus,
    numbers,
    plus,
    rotate,
    times,
)
from flexnet.components import FlexibleBody, RotationDriver, Terminal, TranslationDriver
from flexnet.components.force_element import End
from flexnet.formulation.rows import ConstraintRow
from flexnet.formulation.sensed_stress import arms_of
from flexnet.kernels.model import ROW_END, ROW_FORCE, ROW_HEAD
from flexnet.signals import BEAM_STRESS, Measure

if TYPE_CHECKING:
    from flexnet.formulation.pack import Packer

#: drivers that may ride on a joint
OnJoint = RotationDriver | TranslationDriver


def three(entries: Sequence[Node], i: int) -> Vec:
    """Vector number i of an array of vectors."""
    return entries[3 * i], entries[3 * i + 1], entries[3 * i + 2]


class SeenEnd:
    """A frame on a body, among the arrays of all nodes and bodies."""

    def __init__(self, x: Vec, v: Vec, body: Mat, omega: Vec, C: Mat) -> None:
        self.x, self.v, self.body, self.omega, self.C = x, v, body, omega, C

    @property
    def R(self) -> Mat:
        """Orientation of the frame."""
        return self.body if self.C == UNIT else matmul(self.body, self.C)

    def vector(self, n: Vec) -> Vec:
        """A vector of the frame in ground axes."""
        return rotate(self.body, n if self.C == UNIT else rotate(self.C, n))


@dataclass(slots=True, eq=False)
class SensedLoads:
    """Loads of joints and drivers as expressions of what the caller knows.

    Attributes
    ----------
    packer : of the model.
    force, torque : cutset sum of a node, of a rotation node.
    row : unit force of a constraint row, and its unit torque on the head.
    lam : multipliers.
    u, e : first axis of a branch of the R-tree; a driven direction of one of the T-tree.
    """

    packer: "Packer"
    force: Callable[[int], Vec]
    torque: Callable[[int], Vec]
    row: Callable[[int], tuple[Vec, Vec]]
    lam: Sequence[Expr]
    u: Callable[[int], Vec]
    e: Callable[[int, int], Vec]
    _T: dict[str, int] = field(init=False)  # places of the branches
    _R: dict[str, int] = field(init=False)
    _rows: dict[str, list[int]] = field(init=False)  # rows that load a component
    _riders: dict[str, list[OnJoint]] = field(init=False)  # drivers on a joint

    def __post_init__(self) -> None:
        p = self.packer
        self._T, self._R = ({b.edge.name: i for i, b in enumerate(tree.branches)} for tree in (p.T, p.R))
        self._rows, self._riders = defaultdict(list), defaultdict(list)
        for i, row in enumerate(p.rows):
            self._rows[row.component.name].append(i)
            if row.place is not None:
                # the driver's torque is a chord in the cutset of the joint it rides on
                self._rows[_joint(row)].append(i)
        for part in p.parts:
            if isinstance(part, OnJoint) and part.joint is not None:
                self._riders[part.joint].append(part)

    @classmethod
    def of_arrays(
        cls, packer: "Packer", force: list[Node], torque: list[Node], row: list[Node], lam: list[Node],
        u: list[Node], e: list[Node],
    ) -> "SensedLoads":  # fmt: skip
        """Those among the arrays of the kernels."""

        def unit(i: int) -> tuple[Vec, Vec]:
            w = row[ROW_END * i : ROW_END * (i + 1)]
            return three(w[ROW_FORCE:], 0), three(w[ROW_HEAD:], 0)

        return cls(
            packer, partial(three, force), partial(three, torque), unit, lam,
            lambda i: three(u, 3 * i), lambda i, k: three(e, 3 * i + k),
        )  # fmt: skip

    def load(self, name: str) -> tuple[Vec, Vec]:
        """Force and torque on the head of a joint or driver, ground axes."""
        part = self.packer.by_name[name]
        if isinstance(part, OnJoint) and part.joint is not None:
            return self._own(part)
        force, torque = self._whole(name)
        for driver in self._riders[name]:
            own_force, own_torque = self._own(driver)
            whole_force, whole_torque = self._whole(driver.name)
            force = plus(force, minus(whole_force, own_force))
            torque = plus(torque, minus(whole_torque, own_torque))
        return force, torque

    def on_arms(self, body: FlexibleBody) -> list[tuple[Vec, Vec]]:
        """Force and torque on every attachment frame of a flexible body, ground axes, in the table's order.

        Zero where nothing is attached.
        """
        p, out = self.packer, [(ZERO3, ZERO3)] * len(body.table.frames.names)
        for name, index in arms_of(body, p.parts).items():
            t, r = p.T.branches[self._T[name]], p.R.branches[self._R[name]]
            out[index] = (
                times(t.sign, self.force(p.node[t.child])),
                times(r.sign, self.torque(p.rotation_node[r.child])),
            )
        return out

    def _whole(self, name: str) -> tuple[Vec, Vec]:
        """Cutsets and multipliers of a component."""
        p, force, torque = self.packer, ZERO3, ZERO3
        if name in self._T:
            branch = p.T.branches[self._T[name]]
            force = times(-branch.sign, self.force(p.node[branch.child]))
        if name in self._R:
            branch = p.R.branches[self._R[name]]
            torque = times(-branch.sign, self.torque(p.rotation_node[branch.child]))
        for i in self._rows[name]:
            row, lam = p.rows[i], self.lam[i]
            if row.place is None:
                push, turn = self.row(i)
                force, torque = plus(force, times(-lam, push)), plus(torque, times(-lam, turn))
            else:
                joint = _joint(row)
                side = 1 if name == joint else -1
                torque = plus(torque, times(side * lam, self.u(self._R[joint])))
        return force, torque

    def _own(self, part: OnJoint) -> tuple[Vec, Vec]:
        """Load of a driver on a joint: where it is the branch, the part in the joint's motion space."""
        force, torque = self._whole(part.name)
        if isinstance(part, TranslationDriver) and part.name in self._T:
            i = self._T[part.name]
            axes = [self.e(i, k) for k in range(len(part.directions))]
            force = plus(ZERO3, *(times(dot(d, force), d) for d in axes))
        elif isinstance(part, RotationDriver) and part.name in self._R:
            u = self.u(self._R[part.name])
            torque = times(dot(u, torque), u)
        return force, torque


def _joint(row: ConstraintRow) -> str:
    """Joint on which the driver of a row rides."""
    assert isinstance(row.component, RotationDriver)
    return str(row.component.joint)


def effort(load: tuple[Vec, Vec], terminal: Terminal, A: End) -> Expr:
    """Load of a driver along the one coordinate of the joint it rides on; A is the tail."""
    force, torque = load
    if terminal.rotation is not None and terminal.rotation.kind == "axis":
        return dot(A.vector(numbers(terminal.rotation.axes[0])), torque)
    assert terminal.translation is not None, "a driver rides on a joint without a coordinate"
    return dot(A.vector(numbers(terminal.translation.free[0].vector)), force)


def section_force(force: Vec, torque: Vec, m: Measure, is_head: bool, A: End, B: End) -> Expr:
    """Force or moment on the face of a beam element at one of its ends that looks along the beam.

    Force and torque are those on its head B; on the tail A the opposite force acts, and the torque that
    balances both.
    """
    place, axis = divmod(tuple(BEAM_STRESS).index(m.coordinate), 3)
    at, arm = (B, ZERO3) if is_head else (A, minus(B.x, A.x))
    unit = [0.0, 0.0, 0.0]
    unit[axis] = -1.0
    return dot(at.vector(numbers(np.array(unit))), (force, plus(torque, cross(arm, force)))[place])
