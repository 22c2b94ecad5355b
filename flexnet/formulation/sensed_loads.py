"""Loads of joints and drivers as formulas: those that signals follow, and the reactions in symbols.

The formulas are those of :mod:`~flexnet.formulation.reactions`: a chord has its multipliers, a branch its
cutset, and where a driver rides on a joint and is the branch, it takes the part in the joint's motion space
(GTM eq. 78, 84).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from flexnet.algebra import UNIT, ZERO3, Expr, Mat, Node, Vec, dot, matmul, minus, plus, rotate, times
from flexnet.components import RotationDriver, TranslationDriver
from flexnet.kernels.model import ROW_END, ROW_FORCE, ROW_HEAD

if TYPE_CHECKING:
    from flexnet.formulation.pack import Packer


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


@dataclass(frozen=True, slots=True, eq=False)
class SensedLoads:
    """Loads of joints and drivers as expressions of what an engine knows.

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
        force, torque = self._whole(name)
        for driver in self._riders(name):
            own_force, own_torque = self._own(driver)
            whole_force, whole_torque = self._whole(driver.name)
            force = plus(force, minus(whole_force, own_force))
            torque = plus(torque, minus(whole_torque, own_torque))
        part = self.packer.by_name[name]
        if isinstance(part, RotationDriver | TranslationDriver) and part.joint is not None:
            return self._own(part)
        return force, torque

    def _riders(self, joint: str) -> Iterator[RotationDriver | TranslationDriver]:
        for part in self.packer.parts:
            if isinstance(part, RotationDriver | TranslationDriver) and part.joint == joint:
                yield part

    def _whole(self, name: str) -> tuple[Vec, Vec]:
        """Cutsets and multipliers of a component."""
        p, force, torque = self.packer, ZERO3, ZERO3
        for branch in p.T.branches:
            if branch.edge.name == name:
                force = times(-branch.sign, self.force(p.node[branch.child]))
        for branch in p.R.branches:
            if branch.edge.name == name:
                torque = times(-branch.sign, self.torque(p.rotation_node[branch.child]))
        for i, row in enumerate(p.rows):
            lam, of = self.lam[i], row.component
            if row.place is not None:
                joint = str(getattr(of, "joint", ""))
                if name in (joint, of.name):
                    side = 1 if name == joint else -1
                    torque = plus(torque, times(side * lam, self._axis(joint)))
            elif of.name == name:
                push, turn = self.row(i)
                force, torque = plus(force, times(-lam, push)), plus(torque, times(-lam, turn))
        return force, torque

    def _axis(self, name: str) -> Vec:
        names = [branch.edge.name for branch in self.packer.R.branches]
        return self.u(names.index(name))

    def _own(self, part: RotationDriver | TranslationDriver) -> tuple[Vec, Vec]:
        """Load of a driver on a joint: where it is the branch, the part in the joint's motion space."""
        force, torque = self._whole(part.name)
        if isinstance(part, TranslationDriver):
            names = [branch.edge.name for branch in self.packer.T.branches]
            if part.name in names:
                i = names.index(part.name)
                axes = [self.e(i, k) for k in range(len(part.directions))]
                force = plus(ZERO3, *(times(dot(d, force), d) for d in axes))
        elif part.name in [branch.edge.name for branch in self.packer.R.branches]:
            u = self._axis(part.name)
            torque = times(dot(u, torque), u)
        return force, torque
