"""A flexible body whose matrices another finite-element program made."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from flexnet.errors import FileFormatError, FlexnetError
from flexnet.fem.body import Body
from flexnet.fem.imported.model import READERS, ForeignModel
from flexnet.fem.imported.plain import read_plain_body
from flexnet.fem.links import Link
from flexnet.fem.material import Damping, Rayleigh
from flexnet.fem.point_mass import PointMass
from flexnet.mesh import NodeRef
from flexnet.typing import Vector

logger = logging.getLogger(__name__)


def imported_body(
    path: str | Path,
    stiffness: str | Path | None = None,
    mass: str | Path | None = None,
    *,
    units: tuple[str, str, str] = ("m", "kg", "s"),
    points: Mapping[str, Vector] | None = None,
    frames: Mapping[str, NodeRef] | None = None,
    links: Sequence[Link] = (),
    masses: Sequence[PointMass] = (),
    damping: Damping | None = None,
) -> Body:
    """Return a body by the stiffness and mass matrices of another finite-element program.

    Parameters
    ----------
    path : ``.h5`` (plain layout, matrices included), ``.inp`` of CalculiX or Abaqus, or ``.bdf`` of Nastran.
    stiffness, mass : files of the matrices: ``.sti`` and ``.mas`` of CalculiX with its ``.dof`` beside them
        (the defaults), ``.mtx`` of Abaqus, formatted ``.op4`` of Nastran (one file may hold both).
    units : of length, mass and time in the files, such as ``("mm", "t", "s")``.
    points : extra nodes by name [m], which links tie to the body.
    frames : attachment frames by name; those of the file if not given. A node of a solid has no rotations:
        put a frame on a point of its own, linked to a face.
    links : ``RigidLink(point, set)`` ties the nodes of a set rigidly (RBE2), ``AverageLink(point, set)`` lets
        the point follow their mean motion (RBE3). Node sets of the file are known by name.
    masses : rigid masses on nodes.
    damping : ``Rayleigh(…)`` or ``ModalDamping(…)`` besides what the file holds.

    Raises
    ------
    FileFormatError
        If a file is missing, damaged, or its parts do not fit each other; file and line or dataset are named.

    Notes
    -----
    The matrices must be those of the free body: a rigid motion has to cost nothing, which also finds nodes or
    units that are not those of the matrices. Inertia integrals follow from the mass matrix
    (docs/theory/imported.md). Geometric stiffness is not known: a flexible body made from it has none.
    """
    model = _read(Path(path), stiffness, mass)
    try:
        model = model.scaled(units)
        part, mesh = model.substructure(), model.mesh()
    except FlexnetError as error:
        raise FileFormatError(f"{path}: {error}") from error
    logger.info("%s: %d nodes, %.6g kg", path, len(model.nodes), part.scalar_mass().sum())
    if part.silent:
        logger.warning("%s: no stresses of some elements (%s)", path, "; ".join(part.silent))
    for name, point in (points or {}).items():
        mesh = mesh.with_nodes(point, name)
    placed = model.frames if frames is None else frames
    damped = damping or Rayleigh()
    return Body(mesh, [], links=links, masses=masses, frames=placed, damping=damped, parts=[part])


def _read(path: Path, stiffness: str | Path | None, mass: str | Path | None) -> ForeignModel:
    suffix = path.suffix.lower()
    try:
        if suffix == ".h5":
            return read_plain_body(path)
        K = Path(stiffness) if stiffness is not None else path.with_suffix(".sti")
        M = Path(mass) if mass is not None else path.with_suffix(".mas") if stiffness is None else K
        reader = READERS.get((suffix, K.suffix.lower()))
        if reader is None:
            known = ", ".join(f"{deck} with {matrices}" for deck, matrices in READERS)
            raise FileFormatError(f"{path} with {K.suffix or 'no'} matrices: known are .h5, {known}")
        return reader(path, K, M)
    except FileFormatError:
        raise
    except FlexnetError as error:
        raise FileFormatError(f"{path}: {error}") from error
