"""Simple solids as points and triangles, for drawings: a body may look as its author wants."""

from collections.abc import Callable

import numpy as np

from flexnet.errors import ModelError
from flexnet.typing import Array, IntArray, Vector
from flexnet.validation import nearest

#: corners round a cylinder, and rings of a sphere
_ROUND, _RINGS = 24, 9
_BOX = np.array([
    [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4],
    [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5],
])  # fmt: skip

Surface = tuple[Array, IntArray]


def solid(body: str, kind: str, size: Vector | float) -> Surface:
    """Points (n, 3) and triangles (k, 3) of a solid about the origin; ``body`` is named in errors.

    Raises
    ------
    ModelError
        If there is no such solid, or its sizes are not positive.
    """
    if kind not in SOLIDS:
        hint = nearest(kind, SOLIDS) or f"; there are {', '.join(SOLIDS)}"
        raise ModelError(f"shape of body {body!r}: there is no {kind!r}{hint}")
    make, sizes = SOLIDS[kind]
    given = np.atleast_1d(np.asarray(size, dtype=float))
    if given.shape != (len(sizes),) or not np.all(np.isfinite(given)) or given.min() <= 0:
        raise ModelError(f"shape of body {body!r}: a {kind} needs positive {', '.join(sizes)}, got {size!r}")
    return make(*given)


def box(a: float, b: float, c: float) -> Surface:
    """Box with sides a, b and c along x, y and z."""
    corners = np.array([[x, y, z] for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)])
    return corners * [a, b, c], _BOX.astype(np.int64)


def cylinder(radius: float, length: float) -> Surface:
    """Cylinder about z."""
    angle = 2 * np.pi * np.arange(_ROUND) / _ROUND
    ring = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    ends = [np.column_stack([ring, np.full(_ROUND, z)]) for z in (-length / 2, length / 2)]
    points = np.concatenate([*ends, [[0, 0, -length / 2], [0, 0, length / 2]]])
    k, n = np.arange(_ROUND), (np.arange(_ROUND) + 1) % _ROUND
    low, high = np.full(_ROUND, 2 * _ROUND), np.full(_ROUND, 2 * _ROUND + 1)
    sides = [np.column_stack([k, n, k + _ROUND]), np.column_stack([n, n + _ROUND, k + _ROUND])]
    caps = [np.column_stack([low, n, k]), np.column_stack([high, k + _ROUND, n + _ROUND])]
    return points, np.concatenate([*sides, *caps]).astype(np.int64)


def sphere(radius: float) -> Surface:
    """Ball."""
    height = np.pi * (np.arange(_RINGS) + 1) / (_RINGS + 1)
    angle = 2 * np.pi * np.arange(_ROUND) / _ROUND
    points = [[np.sin(h) * np.cos(a), np.sin(h) * np.sin(a), np.cos(h)] for h in height for a in angle]
    k, n = np.arange(_ROUND), (np.arange(_ROUND) + 1) % _ROUND
    top, bottom = _RINGS * _ROUND, _RINGS * _ROUND + 1
    corners = [np.column_stack([np.full(_ROUND, top), k, n])]
    for ring in range(_RINGS - 1):
        i, j = ring * _ROUND, (ring + 1) * _ROUND
        corners += [np.column_stack([k + i, k + j, n + i]), np.column_stack([n + i, k + j, n + j])]
    last = (_RINGS - 1) * _ROUND
    corners.append(np.column_stack([np.full(_ROUND, bottom), n + last, k + last]))
    return radius * np.array([*points, [0, 0, 1], [0, 0, -1]]), np.concatenate(corners).astype(np.int64)


#: maker and names of the sizes of every solid
SOLIDS: dict[str, tuple[Callable[..., Surface], tuple[str, ...]]] = {
    "box": (box, ("a", "b", "c")),
    "cylinder": (cylinder, ("radius", "length")),
    "sphere": (sphere, ("radius",)),
}
