"""What every element family tells the assembler: the contract of a region."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.mass_points import MassPoints
from flexnet.fem.recovered import AbstractRecovered
from flexnet.typing import Array, IntArray


class AbstractRegion(ABC):
    """A group of elements of one family with one section.

    All functions are vectorised over elements; ``X`` is what :meth:`geometry` gives, (n_e, ·, 3) with the
    positions of the nodes first [m]; element freedoms are six per node in body axes. The *state* of an
    element is the set of internal forces in which its geometric stiffness is linear.
    """

    __slots__ = ()

    kind: ClassVar[str]
    """Which elements of the mesh: ``"line"``, ``"triangle"``, ``"quadrilateral"`` or ``"tetrahedron"``."""
    n_state: ClassVar[int]
    """Number of internal forces in the state of an element."""
    has_bow: ClassVar[bool]
    """Whether loads distributed over an element enter its state; if not, they need not be given."""
    has_rotations: ClassVar[bool] = True
    """Whether its nodes turn; nodes of solids have three freedoms, the rotations of an element are zero."""

    group: str
    """Name of the group of elements of the mesh."""

    @property
    @abstractmethod
    def density(self) -> float:
        """Mass per length [kg/m], area [kg/m²] or volume [kg/m³]."""

    @property
    def materials(self) -> tuple[tuple[float, float], ...]:
        """Young's modulus [Pa] and density [kg/m³] of what it is made of; empty where nobody says."""
        return ()

    @property
    @abstractmethod
    def retardation(self) -> float:
        """Kelvin–Voigt retardation time η [s]: C_e = η K_e."""

    @abstractmethod
    def geometry(self, nodes: Array, cells: IntArray) -> Array:
        """Return the geometry X of elements: positions of their nodes, and what else the family needs.

        Parameters
        ----------
        nodes : (n, 3) array
            Positions of all nodes of the mesh [m].
        cells : (n_e, nodes) array
            Nodes of all elements of the region.
        """

    @abstractmethod
    def stiffness(self, X: Array) -> Array:
        """Return the (n_e, n_edof, n_edof) stiffness matrices."""

    @abstractmethod
    def mass_points(self, X: Array) -> MassPoints:
        """Return the exact mass points."""

    @abstractmethod
    def linear_mass_points(self, X: Array) -> MassPoints:
        """Return mass points whose displacement is interpolated linearly, Richard (2012), eqs (50)-(51)."""

    @abstractmethod
    def lumped_mass_points(self, X: Array) -> MassPoints:
        """Return equal masses at the nodes of each element."""

    @abstractmethod
    def state(self, X: Array, q: Array, f: Array) -> Array:
        """Return the internal forces (n_e, n_state, n_l) of displacements q under element loads f.

        Parameters
        ----------
        X : (n_e, nodes, 3) array
            Node positions [m].
        q : (n_e, n_edof, n_l) array
            Element freedoms, one column per load case.
        f : (n_e, n_edof, n_l) array
            Loads distributed over the element, as element load vectors; zero for loads at nodes. Not used
            (n_l may be 0) unless :attr:`has_bow`.
        """

    @abstractmethod
    def geometric_basis(self, X: Array) -> Array:
        """Return the geometric stiffness of each force of the state, (n_e, n_state, n_edof, n_edof).

        The geometric stiffness of a state is the sum over its forces.
        """

    def reduced_geometric(self, X: Array, state: Array, phi: Array) -> Array:
        """Return the sum of φᵀK_G φ over elements (n_l, m, m) of each load; only its symmetric part counts.

        Parameters
        ----------
        X : (n_e, ·, 3) array
            Geometry of the elements.
        state : (n_e, n_state, n_l) array
            Internal forces of each load.
        phi : (n_e, n_edof, m) array
            Element freedoms of the shapes.
        """
        n_l, m = state.shape[2], phi.shape[2]
        reduced = phi.transpose(0, 2, 1)[:, None] @ (self.geometric_basis(X) @ phi[:, None])
        return np.asarray(state.reshape(-1, n_l).T @ reduced.reshape(-1, m * m)).reshape(n_l, m, m)

    @abstractmethod
    def second_order_strain(self, X: Array, a: Array, b: Array) -> Array:
        """Return aᵀK_G b of each force of the state, (n_e, n_state, k).

        Parameters
        ----------
        X : (n_e, nodes, 3) array
            Node positions [m].
        a : (n_e, n_edof) array
            Element freedoms.
        b : (n_e, n_edof, k) array
            Others, one column each.
        """

    def layer_loads(self, X: Array, force: float, at: tuple[float, ...]) -> Array:
        """Return the loads (n_e, n_edof) of a layer that pushes its edges apart, all in balance.

        Parameters
        ----------
        X : (n_e, ·, 3) array
            Geometry of the elements.
        force : of the layer on a shell, along both axes [N/m], or on a beam [N].
        at : its height over the nodes of a shell, or (y, z) from the centroid of a beam [m].
        """
        raise ModelError(
            f"region {self.group!r}: a layer is bonded to beams or shells, not to these elements"
        )

    @abstractmethod
    def recover(self, cells: IntArray, X: Array, q: Array, f: Array | None = None) -> AbstractRecovered:
        """Return section forces or stresses of elastic displacements.

        Parameters
        ----------
        cells : (n_e, nodes) array
            Nodes of the elements.
        X : (n_e, ·, 3) array
            Geometry of the elements.
        q : (n_l, n_e, n_edof) array
            Element freedoms of each load case or instant.
        f : (n_l, n_e, n_edof) array
            Loads distributed over the elements, as element load vectors; where they are not given, they count
            as loads on the nodes.
        """
