"""What a planar system refuses: whatever would act or move out of the xy plane."""

import numpy as np

from flexnet.components import Component, ForceElement, Frame, TranslationDriver, as_vector
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.typing import Array, IntArray, Vector

_SMALL = 1e-9


def check_gravity(g: Array) -> None:
    """Refuse gravity across the plane."""
    if abs(g[2]) > _SMALL * max(float(np.linalg.norm(g)), 1e-300):
        raise ModelError(f"gravity is {g.tolist()} m/s²; in a planar system it has x and y only")


def check_rotation(R: Array, what: str) -> None:
    """Refuse an orientation that is not a turn about z."""
    if abs(abs(R[2, 2]) - 1.0) > _SMALL:
        raise ModelError(f"{what} tilts the z axis; a planar system turns about z only")


def turning(omega: Vector | float, what: str) -> Array:
    """Angular velocity of a body in the plane, (3,): one number about z, or three."""
    given = [0.0, 0.0, float(omega)] if isinstance(omega, int | float) else omega
    found = np.zeros(3) if np.shape(given) == (2,) else as_vector(given, what)
    if np.shape(given) == (2,) or found[:2].any():
        raise ModelError(f"{what} is {given!r}; a planar body turns about z: give one number")
    return found


def check_velocity(v: Array, what: str) -> None:
    """Refuse a velocity across the plane."""
    if abs(v[2]) > _SMALL * float(np.linalg.norm(v)):
        raise ModelError(f"{what} is {v.tolist()} m/s; in a planar system it has x and y only")


def check_part(part: Component) -> None:
    """Refuse a component that has an effect across the plane, or none in it."""
    what = f"{part.kind.value} {part.name!r}"
    part.terminal.in_plane(what)
    for end in (part.tail, part.head):
        _check_frame(end)
    if part.kind is Kind.JOINT:
        _check_sliding(part, what)
    elif isinstance(part, ForceElement):
        part.check_plane(what)
    elif isinstance(part, TranslationDriver):
        for direction, function in zip(part.directions, part.displacements, strict=True):
            if not function.is_zero:
                _check_direction(direction, f"{what} moves")


def _check_frame(frame: Frame) -> None:
    check_rotation(frame.rotation, f"frame {frame.name!r}")


def _check_sliding(part: Component, what: str) -> None:
    """Refuse a joint that slides along z alone and has nothing else to do in the plane."""
    t, r = part.terminal.translation, part.terminal.rotation
    if t is None or not t.free or (r is not None and r.kind != "fixed"):
        return
    if all(abs(d.vector[2]) > 1.0 - _SMALL for d in t.free):
        raise ModelError(f"{what} slides along z; a planar system slides in x and y only")


def _check_direction(u: Array, what: str) -> None:
    if abs(u[2]) > _SMALL:
        raise ModelError(f"{what} along {u.tolist()}; a planar system moves in x and y only")


def check_mesh(name: str, nodes: Array, triangles: IntArray) -> None:
    """Refuse a flexible body that is more than beams in the plane."""
    if len(triangles):
        raise ModelError(
            f"flexible body {name!r} has shells, which bend out of the plane; a planar system takes beams"
        )
    height, size = float(np.abs(nodes[:, 2]).max()), float(np.abs(nodes).max())
    if height > _SMALL * size:
        raise ModelError(
            f"flexible body {name!r} leaves the plane: its nodes reach z = {height:g} m; in a planar"
            " system they lie at z = 0"
        )
