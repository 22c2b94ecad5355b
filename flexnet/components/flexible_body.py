"""Flexible body: an edge from the datum to the frame its deformation is measured from."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from flexnet.components.frame import Frame
from flexnet.components.registry import component
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.graph import Kind

if TYPE_CHECKING:
    from flexnet.fem import Body as FiniteElementBody
    from flexnet.fem import FlexTable
    from flexnet.fem.supports import Support


@component
@dataclass(frozen=True, slots=True, eq=False)
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


@component
@dataclass(frozen=True, slots=True, eq=False)
class FlexibleArm:
    """From the frame of a flexible body to an attachment frame that moves with the deformation.

    Motion space   {elastic coordinates of the body}
    Terminal       r = s + Ψ q_f - ½ q_fᵀ H q_f,   R = exp(Ψ_r q_f)         DynaFlex §3.2, FlexNet §4

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
