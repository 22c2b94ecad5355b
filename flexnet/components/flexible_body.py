"""Flexible body: an edge from the datum to the frame its deformation is measured from."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from flexnet.components.frame import Frame
from flexnet.components.registry import component
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.typing import Array

if TYPE_CHECKING:
    from flexnet.fem import Body as FiniteElementBody
    from flexnet.fem import FlexTable, StressModes, StressRows
    from flexnet.fem.supports import Support


@component
@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class FlexibleBody:
    """Body in a floating frame: a point is at ``r = R_O + Π (s + N q_f)``.

    Motion space   {x, y, z | any rotation | elastic coordinates q_f}
    Terminal       δW = -∫ δεᵀσ dV + ∫ δrᵀ(f - ρ r̈) dV                     DynaFlex (9), FlexNet §4

    Attributes
    ----------
    table : constant tensors, computed once from the mesh.
    is_stiffened : include the terms of second order in q_f that axial and membrane forces need.
    body : the finite-element body the table was made from, to recover stresses; None for a ready table.
    support, inertia : what its shapes are held by, and its inertia, where the body is known.
    """

    symbol: ClassVar[str] = "fm"
    kind: ClassVar[Kind] = Kind.BODY
    noun: ClassVar[str] = "body"
    acts_from_datum: ClassVar[bool] = False
    branch_coordinates: ClassVar[tuple[int, int]] = (3, 3)

    name: str
    tail: Frame
    head: Frame
    table: "FlexTable"
    is_stiffened: bool = True
    body: "FiniteElementBody | None" = None
    support: "Support | None" = None
    inertia: str = "consistent"

    @property
    def mass(self) -> float:
        """Mass, kg."""
        return float(self.table.inertia.mass)

    @property
    def terminal(self) -> Terminal:
        """Three translations in ground axes and any rotation; elastic coordinates come on top."""
        rotation = Rotation.ball()
        return Terminal(Translation(free=XYZ), rotation)

    @property
    def stress_modes(self) -> "StressModes":
        """Stress modes of the body, made when first asked for."""
        from flexnet.fem import stress_modes  # here: most runs need no stresses

        if self not in _STRESS_MODES:
            if self.body is None:
                raise ModelError(
                    f"flexible body {self.name!r} came as a table, or as matrices of another program without"
                    " stresses (reading them said why); give the finite-element body it is of"
                    " (docs/howto/bracket.md)"
                )
            how = (self.table, self.support, self.inertia, self.is_stiffened)
            _STRESS_MODES[self] = stress_modes(self.body, *how)
        return _STRESS_MODES[self]

    def stress_at(self, point: str | int, component: str, face: str) -> "StressRows":
        """What a component of stress at a point is made of, see :func:`flexnet.fem.stress_rows`."""
        from flexnet.fem import stress_rows

        groups, nodes = self.stress_modes.groups, self.table.mesh.nodes
        return stress_rows(groups, nodes, self.node(point), component, face)

    def wrench(self, frame: str, kind: str, what: str) -> Array:
        """Force and torque (6,) of a unit load on a frame made for ``Pressure`` or ``Temperature``."""
        from flexnet.fem import port_rows

        key = frame.removeprefix(f"{self.name}.")
        assert self.body is not None, f"{what}: the body is not known"
        if type(self.body.ports.get(key)).__name__ != kind:
            raise ModelError(f"{what} acts at {frame!r}; expected a frame given as {kind}(…) to the body")
        return port_rows(self.body, key).wrench

    def output_place(self, node: str | int) -> int:
        """Place of a node of the mesh among those whose motion the table holds."""
        return int(np.flatnonzero(self.table.output.nodes == node)[0])

    def node(self, point: str | int) -> int:
        """Node of the mesh: its number, or the full name of an attachment frame."""
        if not isinstance(point, str):
            return int(point)
        frames = self.table.frames
        return int(frames.nodes[frames.names.index(point.removeprefix(f"{self.name}."))])


_STRESS_MODES: "WeakKeyDictionary[FlexibleBody, StressModes]" = WeakKeyDictionary()


@component
@dataclass(frozen=True, slots=True, eq=False)
class FlexibleArm:
    """From the frame of a flexible body to an attachment frame that moves with the deformation.

    Motion space   {elastic coordinates of the body}
    Terminal       r = s + Ψ q_f - ½ q_fᵀ H q_f,   R = exp(Ψ_r q_f - ½ q_fᵀ H_r q_f)      DynaFlex §3.2

    Attributes
    ----------
    index : number of the frame in the table.
    """

    symbol: ClassVar[str] = "fr"
    kind: ClassVar[Kind] = Kind.ARM
    noun: ClassVar[str] = "arm"
    acts_from_datum: ClassVar[bool] = False
    branch_coordinates: ClassVar[tuple[int, int]] = (0, 0)

    name: str
    tail: Frame
    head: Frame
    index: int

    @property
    def terminal(self) -> Terminal:
        """No unknowns of its own: the elastic coordinates belong to the body."""
        return Terminal(Translation(offset=self.head.position), Rotation("fixed"))
