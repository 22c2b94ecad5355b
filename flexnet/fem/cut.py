"""A slender beam cut at its nodes into bodies that follow one another."""

from dataclasses import dataclass, replace

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.body import Body
from flexnet.fem.material import Rayleigh
from flexnet.mesh import Mesh
from flexnet.typing import Array, IntArray


@dataclass(frozen=True, slots=True)
class Piece:
    """One of the bodies a beam is cut into.

    Attributes
    ----------
    body : its first node is at its origin; it has the frames of the whole that lie on it (one on a cut lies
        on the piece before), and ``cut_i`` on the cuts it ends at.
    origin : (3,) of its frame in the frame of the whole, m.
    nodes : (n,) number in the whole of every node.
    """

    body: Body
    origin: Array
    nodes: IntArray


def cut_beam(body: Body, pieces: int, what: str) -> tuple[Piece, ...]:
    """Cut a beam into pieces of as equal numbers of elements as can be.

    Raises
    ------
    ModelError
        If it is no single line of beam elements, has fewer elements than pieces, or carries what belongs to
        it as a whole.
    """
    row, lines = _in_a_row(body, what)
    n = len(lines)
    if not 1 <= pieces <= n:
        raise ModelError(f"{what} is cut into {pieces} pieces; expected 1 to {n}, the number of its elements")
    ends = np.round(np.linspace(0, n, pieces + 1)).astype(int)
    return tuple(_piece(body, row, lines, i, ends, what) for i in range(pieces))


def _in_a_row(body: Body, what: str) -> tuple[IntArray, IntArray]:
    """Nodes and elements of a beam from the end with its first frame to the other, however numbered."""
    mesh = body.mesh
    if body.links or body.parts or any(len(mesh.cells(kind)) for kind in mesh.kinds if kind != "line"):
        raise ModelError(f"{what} is cut into pieces; expected a body of beam elements alone")
    if body.ports:
        raise ModelError(
            f"{what} is cut into pieces, and {next(iter(body.ports))!r} spreads loads over all of it"
        )
    if not isinstance(body.damping, Rayleigh) or body.damping.alpha > 0.0:
        by = "by its mass" if isinstance(body.damping, Rayleigh) else "by ratios"
        raise ModelError(
            f"{what} is cut into pieces, and its damping {by} is that of the whole; damp strains (eta of the"
            " material, beta of Rayleigh)"
        )
    touching: list[list[int]] = [[] for _ in mesh.nodes]
    for e, pair in enumerate(mesh.lines):
        for node in pair:
            touching[node].append(e)
    tips = [i for i, found in enumerate(touching) if len(found) == 1]
    if len(tips) != 2 or max(map(len, touching)) > 2:
        raise ModelError(f"{what} is cut into pieces; expected one line of elements with two ends")
    begun = [at for name in body.frames if (at := body.frame_node(name)) in tips]
    row, order = [*begun, tips[0]][:1], list[int]()
    while len(order) < len(mesh.lines):
        e = next(e for e in touching[row[-1]] if e not in order[-1:])
        order.append(e)
        row.append(int(mesh.lines[e].sum()) - row[-1])
    return np.array(row), np.array(order)


def _piece(body: Body, row: IntArray, lines: IntArray, i: int, ends: IntArray, what: str) -> Piece:
    a, b = int(ends[i]), int(ends[i + 1])
    nodes, kept = row[a : b + 1], lines[a:b]
    number = {int(node): k for k, node in enumerate(nodes)}
    groups = {name: np.flatnonzero(np.isin(kept, members)) for name, members in body.mesh.line_groups.items()}
    groups = {name: members for name, members in groups.items() if len(members)}
    cells = np.array([[number[int(node)] for node in body.mesh.lines[e]] for e in kept])
    mesh = Mesh(body.mesh.nodes[nodes] - body.mesh.nodes[nodes[0]], lines=cells, line_groups=groups)
    own = set(map(int, nodes if i == 0 else nodes[1:]))  # what is on a cut belongs to the piece before
    frames = {name: number[at] for name in body.frames if (at := body.frame_node(name)) in own}
    cuts = {f"cut_{k}": at for k, at in ((i, 0), (i + 1, b - a)) if 0 < k < len(ends) - 1}
    if twice := sorted(set(cuts) & set(body.frames)):
        raise ModelError(f"{what} is cut into pieces; its frame {twice[0]!r} needs another name")
    carried = [(mass, body.mesh.find_node(mass.node)) for mass in body.masses]
    masses = [replace(mass, node=number[at]) for mass, at in carried if at in own]
    regions = [region for region in body.regions if region.group in groups]
    made = Body(mesh, regions, masses=masses, frames=frames | cuts, damping=body.damping)
    return Piece(made, body.mesh.nodes[nodes[0]], nodes)
