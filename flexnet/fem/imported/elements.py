r"""Elements of a deck whose kind is here too: their strains tell the stresses of imported matrices.

Stiffness and mass are those of the matrices, the displacements at the nodes follow from them; an element
takes of these the strains of its own functions, :math:`σ = D B u_e`. What it would have for stiffness is
looked at as well: over the shapes :math:`φ_j` of a body

.. math:: e = \sum_{ej} φ_{ej}^T k_e φ_{ej} \Big/ \sum_j φ_j^T K φ_j                              \tag{1}

is 1 where elements, material, thickness and units of the deck are those of the matrices.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from flexnet.fem.body import BATCH, freedoms
from flexnet.fem.imported.deck import TYPES, Deck, Section
from flexnet.fem.material import Material
from flexnet.fem.recovered import AbstractRecovered
from flexnet.fem.recovery import joined
from flexnet.fem.region import AbstractRegion
from flexnet.fem.shell.quad_region import QuadRegion
from flexnet.fem.shell.region import ShellRegion
from flexnet.fem.shell.section import ShellSection
from flexnet.fem.solid.region import SolidRegion
from flexnet.fem.solid.tetrahedron import CORNERS, EDGES, gradients
from flexnet.typing import Array, IntArray

#: kinds that are here too, by the type of the deck
KINDS = {"C3D10": "tetrahedron", "C3D4": "tetrahedron", "S3": "triangle", "S4": "quadrilateral"}
#: the nodes of a tetrahedron in the order of the mirrored one
MIRRORED = {4: (1, 0, 2, 3), 10: (1, 0, 2, 3, 4, 6, 5, 8, 7, 9)}


@dataclass(frozen=True, slots=True, eq=False)
class ForeignElements:
    """Elements of one kind and one section.

    Attributes
    ----------
    group : name of their set in the deck.
    kind : tetrahedron, triangle or quadrilateral.
    cells : (n_e, nodes) nodes of the mesh; tetrahedra have four or ten.
    E, nu : modulus and Poisson's ratio, the modulus in the deck's unit.
    thickness : of shells, in the deck's unit.
    """

    group: str
    kind: str
    cells: IntArray
    E: float
    nu: float
    thickness: float

    def scaled(self, length: float, mass: float, time: float) -> "ForeignElements":
        """Return the elements in SI units, from units of length, mass and time."""
        return replace(self, E=self.E * mass / (length * time**2), thickness=self.thickness * length)

    def checked(self, nodes: Array) -> "ForeignElements":
        """Return the elements with tetrahedra that were numbered the other way round mirrored.

        Raises
        ------
        MeshError
            If one folds over itself.
        """
        if self.kind != "tetrahedron":
            return self
        X = nodes[self.cells[:, :4]]
        is_turned = np.linalg.det(X[:, 1:] - X[:, :1]) < 0.0
        cells = self.cells.copy()
        cells[is_turned] = cells[is_turned][:, MIRRORED[cells.shape[1]]]
        gradients(_all_ten(nodes[cells]), CORNERS)
        return replace(self, cells=cells)

    def region(self) -> AbstractRegion:
        """Return their family."""
        material = Material(self.E, self.nu, 0.0)
        if self.kind == "tetrahedron":
            return SolidRegion(self.group, material)
        section = ShellSection.uniform(self.thickness, material)
        return (ShellRegion if self.kind == "triangle" else QuadRegion)(self.group, section)

    def recover(self, nodes: Array, u: Array) -> AbstractRecovered:
        """Return the strains of displacements u (6n, n_l) of all nodes."""
        region = self.region()
        return joined([region.recover(cells, X, q) for cells, X, q in self._batches(region, nodes, u)])

    def energy(self, nodes: Array, u: Array) -> float:
        """Return the sum of uᵀ k u over elements and displacements u (6n, n_l) [J]."""
        region = self.region()
        return float(sum(
            np.einsum("lei,eij,lej->", q, region.stiffness(X), q, optimize=True)
            for _, X, q in self._batches(region, nodes, u)
        ))  # fmt: skip

    def _batches(
        self, region: AbstractRegion, nodes: Array, u: Array
    ) -> Iterator[tuple[IntArray, Array, Array]]:
        """Nodes, geometry and freedoms (n_l, n_e, n_edof) of some elements at a time."""
        X = region.geometry(nodes, self.cells)
        for start in range(0, len(X), BATCH):
            batch = slice(start, start + BATCH)
            cells, q = self.cells[batch], u[freedoms(self.cells[batch])].transpose(2, 0, 1)
            if cells.shape[1] == 4 and self.kind == "tetrahedron":
                ten = _all_ten(q.reshape(-1, 4, 6)).reshape(*q.shape[:2], 60)
                yield cells, _all_ten(X[batch]), ten
            else:
                yield cells, X[batch], np.ascontiguousarray(q)


def foreign_elements(
    deck: Deck, known: Mapping[int, int], turning: frozenset[int]
) -> tuple[tuple[ForeignElements, ...], tuple[str, ...]]:
    """Return the elements of a deck that have stresses, and why others have none.

    Parameters
    ----------
    deck : elements, sets, materials and sections.
    known : index of every node that the matrices know, by its number.
    turning : indices of nodes with rotations.
    """
    found, why, owned = [], [f"{name}: elements of another kind" for name in sorted(deck.unknown)], set()
    for section in deck.sections:
        members = [k for k in dict.fromkeys(deck.cell_sets.get(section.group, ())) if k in deck.cells]
        owned.update(members)
        elastic = deck.elastic.get(section.material)
        if section.trouble or elastic is None:
            material = f"material {section.material!r} is not isotropic, or not here"
            why.append(f"{section.group}: {section.trouble or material}")
            continue
        for kind in dict.fromkeys(deck.cells[k][0] for k in members):
            nodes = [deck.cells[k][1] for k in members if deck.cells[k][0] == kind]
            one = _elements(section, kind, nodes, elastic, known, turning)
            why += [f"{section.group}: {one}"] if isinstance(one, str) else []
            found += [one] if isinstance(one, ForeignElements) else []
    if len(owned) < len(deck.cells):
        why.append(f"{len(deck.cells) - len(owned)} elements without a section")
    return _named(found), tuple(why)


def _elements(
    section: Section,
    kind: str,
    nodes: list[tuple[int, ...]],
    elastic: tuple[float, float],
    known: Mapping[int, int],
    turning: frozenset[int],
) -> ForeignElements | str:
    """Elements of one type of a section, or why they have no stresses."""
    if kind not in KINDS:
        return f"{kind}: elements of another kind"
    if TYPES[kind][0].startswith("S") != (section.thickness > 0.0):
        return f"{kind} with a section of another kind"
    try:
        cells = np.array([[known[k] for k in cell] for cell in nodes], dtype=np.int64)
    except KeyError as missing:
        return f"{kind}: node {missing} is not in the matrices"
    if section.thickness > 0.0 and not turning.issuperset(cells.reshape(-1).tolist()):
        return f"{kind}: nodes without rotations"
    return ForeignElements(section.group, KINDS[kind], cells, *elastic, section.thickness)


def _named(found: list[ForeignElements]) -> tuple[ForeignElements, ...]:
    """Elements with names of their own: the set's, and the kind's where a set has several."""
    used: set[str] = set()
    out = []
    for one in found:
        name = one.group if one.group not in used else f"{one.group} ({one.kind}s of {one.cells.shape[1]})"
        used.add(name)
        out.append(replace(one, group=name))
    return tuple(out)


def _all_ten(values: Array) -> Array:
    """Values (…, 10, k) at the nodes of tetrahedra whose values (…, 4 or 10, k) are known: means on edges."""
    if values.shape[-2] == 10:
        return values
    ends = np.array(EDGES)
    return np.concatenate([values, 0.5 * (values[..., ends[:, 0], :] + values[..., ends[:, 1], :])], axis=-2)
