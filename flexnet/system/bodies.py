"""Bodies as a System adds them: rigid, massless, flexible in a floating frame."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from flexnet.components import (
    FlexibleBody,
    Frame,
    RigidBody,
    as_inertia,
    as_rotation,
    as_vector,
    check_mass,
)
from flexnet.errors import ModelError
from flexnet.system import plane
from flexnet.system.body import Body, FrameLike
from flexnet.system.pieces import as_cut
from flexnet.typing import Array, Vector
from flexnet.validation import shown

if TYPE_CHECKING:
    from flexnet.fem import Body as FiniteElementBody
    from flexnet.fem import FlexTable
    from flexnet.fem.supports import Support
    from flexnet.system.system import System

log = logging.getLogger("flexnet.modes")


def rigid_body(
    self: "System",
    name: str,
    mass: float,
    inertia: Vector | Array | float,
    frames: Mapping[str, FrameLike] | None = None,
    position: Vector = (0.0, 0.0, 0.0),
    rotation: Array | None = None,
    velocity: Vector = (0.0, 0.0, 0.0),
    angular_velocity: Vector | float = (0.0, 0.0, 0.0),
) -> Body:
    """Add a rigid body with its frame at the centre of mass.

    Parameters
    ----------
    mass : kg, positive.
    inertia : about the centre of mass in the body frame, kg m²: a (3, 3) matrix, three principal
        moments, or in a planar system the one moment about z.
    frames : further frames by name: position [m] in the body frame, or (position, rotation).
    position, rotation : rough initial pose in ground; assembly makes it exact.
    velocity, angular_velocity : rough initial rates in ground axes, m/s and rad/s; in a planar system
        one number about z is enough.
    """
    check_mass(name, mass)
    J = as_inertia(name, inertia, self.is_planar)
    return _body(self, name, float(mass), J, frames, (position, rotation, velocity, angular_velocity))


def massless_body(
    self: "System",
    name: str,
    frames: Mapping[str, FrameLike] | None = None,
    position: Vector = (0.0, 0.0, 0.0),
    rotation: Array | None = None,
) -> Body:
    """Add a rigid body without mass or inertia, such as a light shaft between two joints."""
    return _body(self, name, 0.0, np.zeros((3, 3)), frames, (position, rotation, np.zeros(3), np.zeros(3)))


def _body(
    self: "System",
    name: str,
    mass: float,
    inertia: Array,
    frames: Mapping[str, FrameLike] | None,
    start: tuple[Vector, Array | None, Vector, Vector | float],
) -> Body:
    body = _posed(self, name, *start)
    self._add(RigidBody(name, self.ground.origin, body.origin, mass, inertia))
    self.bodies[name] = body
    body.add_frames(frames or {})
    return body


def _posed(
    self: "System",
    name: str,
    position: Vector,
    rotation: Array | None,
    velocity: Vector,
    omega: Vector | float,
) -> Body:
    """A body where a user says it begins, without frames."""
    of = f"of body {name!r}"
    place, R = as_vector(position, f"position {of}"), as_rotation(rotation, f"rotation {of}")
    v = as_vector(velocity, f"velocity {of}")
    if not self.is_planar:
        return Body(name, place, R, v, as_vector(omega, f"angular velocity {of}"))
    plane.check_rotation(R, f"rotation {of}")
    plane.check_velocity(v, f"velocity {of}")
    return Body(name, place, R, v, plane.turning(omega, f"angular velocity {of}"))


def flexible_body(
    self: "System",
    name: str,
    body: "FiniteElementBody | FlexTable",
    support: "Support | None" = None,
    modes: int | Sequence[int] | Literal["auto"] | None = None,
    method: str = "eigenmodes",
    stiffening: bool = True,
    inertia: str = "consistent",
    position: Vector = (0.0, 0.0, 0.0),
    rotation: Array | None = None,
    velocity: Vector = (0.0, 0.0, 0.0),
    angular_velocity: Vector | float = (0.0, 0.0, 0.0),
    pieces: int | Literal["auto"] = 1,
) -> Body:
    """Add a flexible body: a finite-element body reduced to a few shapes, in a floating frame.

    Parameters
    ----------
    body : mesh, sections and attachment frames, such as ``beam_body(...)``; or a ready table.
    support : the frame deformation is measured from: ``Clamped(node)``, ``Pinned(a, b)`` for the
        chord, ``Free()`` for mean axes (the default; a planar system needs one of the others).
    modes : number of eigenmodes, or a list of their numbers from 1; ``"auto"``, which is taken where
        neither modes nor a method are given, takes at most ten shapes that answer every load on the
        frames, and logs which.
    method : which shapes, the name of a basis: ``"eigenmodes"``, ``"attachment"``, ``"craig_bampton"``,
        ``"craig_chang"``, ``"inertia_relief"``, ``"ritz"``, ``"derivatives"`` or ``"full"``; or
        ``"unreduced"``, every freedom of the mesh with sparse tensors, for thousands of them: runs by hht and
        generalised_alpha in the numeric engine.
    stiffening : include geometric stiffening and foreshortening.
    inertia : ``"consistent"``, ``"linear"`` or ``"lumped"``.
    position, rotation, velocity, angular_velocity : rough initial pose and rates of the body frame.
    pieces : welded bodies a beam is cut into at its nodes, which may then bend far; ``"auto"`` lets
        :func:`~flexnet.simulate` double them until cutting again changes lengths and angles that are
        recorded by less than a per cent. Each is clamped at its start and reduced by Craig–Bampton with
        ``modes`` (two in each plane for ``"auto"``). Joints, loads and measures stay on the one body.
    """
    # here: a system of rigid bodies needs no finite elements
    from flexnet.fem import FlexTable, Free

    if self.is_planar:
        plane.check_mesh(name, body.mesh.nodes, body.mesh.surface)
    if modes is None and method == "eigenmodes":
        modes = "auto"
    held = None if isinstance(body, FlexTable) else _held(self, name, body, support)
    table = body if isinstance(body, FlexTable) else _reduced(body, held or Free(), modes, method, inertia)
    made = _posed(self, name, position, rotation, velocity, angular_velocity)
    source = None if isinstance(body, FlexTable) or not body.has_stresses else body
    is_foreign = not isinstance(body, FlexTable) and bool(body.parts)
    if stiffening and table.m and (is_foreign or not table.geometric.is_known):
        self._unstiffened.append(name)
    if modes == "auto" and source is not None:
        log.info("flexible body %r: %s", name, table.modes.summary())
    how = (table, stiffening, source, held, inertia)
    self._add(FlexibleBody(name, self.ground.origin, made.origin, *how))
    self.bodies[name] = made
    for key, place in zip(table.frames.names, table.frames.position, strict=True):
        made.frames[key] = Frame(f"{name}.{key}", name, np.array(place), np.eye(3), is_flexible=True)
    if source is not None:
        self._bare |= {made.frames[key].name for key in source.frames if source.is_bare_shell(key)}
    if pieces != 1:
        self.cuts[name] = as_cut(name, pieces, modes, self.components[name], self.is_planar)
    return made


def _held(self: "System", name: str, body: "FiniteElementBody", support: "Support | None") -> "Support":
    """What holds the shapes of a flexible body: in a planar system, the plane too."""
    from flexnet.fem import Clamped, Free, Held, Pinned, Tripod

    held = Free() if support is None else support
    for one in held if isinstance(held, list | tuple) else [held]:
        if not isinstance(one, Clamped | Free | Held | Pinned | Tripod):
            raise ModelError(
                f"flexible body {name!r}: support is {shown(one)}; expected Clamped(node), Pinned(a, b),"
                " Free() or a list of them and Held(…)"
            )
    if self.is_planar:
        everywhere = np.arange(len(body.mesh.nodes))
        in_plane = Held(everywhere, "z rx ry")
        if isinstance(held, Free):
            raise ModelError(
                f"flexible body {name!r} of a planar system needs support=Clamped(…) or Pinned(…)"
            )
        held = [*(held if isinstance(held, Sequence) else [held]), in_plane]
    return held


def _reduced(
    body: "FiniteElementBody",
    support: "Support",
    modes: int | Sequence[int] | Literal["auto"] | None,
    method: str,
    inertia: str,
) -> "FlexTable":
    """The table of a body; how many modes where nobody has said."""
    from flexnet.fem import Reduction, TableOptions, flex_table

    if modes is None and method not in ("full", "unreduced"):
        modes = 0 if method == "craig_bampton" else 6
    keeps = modes if method != "full" or modes == "auto" else None
    reduction = Reduction(support, keeps, method=method)
    return flex_table(body, reduction, TableOptions(inertia=inertia))
