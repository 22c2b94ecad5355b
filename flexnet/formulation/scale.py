"""Length, mass and time of a model, found from the model itself: what tolerances are measured by.

A threshold in metres judges a mechanism of a micrometre as it should judge one of a metre. So every default
tolerance, difference and threshold is a pure number times a *size*:

    length   the largest distance between two frames of one body, or of two nodes of a flexible one
    mass     that of the heaviest body
    time     the shortest in which gravity, a load, a start rate or a driver moves something by that length

Under other units of length, mass and time all three change as such quantities do; under powers of two they do
so to the last bit, because nothing but products, quotients, roots and maxima is formed.
"""

from collections.abc import Iterable
from math import cbrt, factorial, isfinite, sqrt
from typing import TYPE_CHECKING

import numpy as np

from flexnet.components import (
    Component,
    FlexibleBody,
    ForceElement,
    Frame,
    RigidBody,
    RotationDriver,
    TimeFunction,
    TranslationDriver,
)
from flexnet.dae import Scale
from flexnet.formulation.sparse_rows import Jacobian, least_sparse_change, scaled
from flexnet.kernels.model import C_ELASTIC, C_ROTATION, C_TRANSLATION
from flexnet.signals import ANGLES
from flexnet.system import System
from flexnet.typing import Array

if TYPE_CHECKING:
    from flexnet.formulation.equations import Equations

#: terms of an expression of time that are looked at
_ORDERS = 5


def model_scale(system: System) -> Scale:
    """Find length, mass and time of a system; 1 where nothing in it tells one."""
    mass = max(_masses(system), default=0.0) or 1.0
    length = _length(system)
    return Scale(length, mass, _time(system, length, mass))


def coordinate_sizes(equations: "Equations") -> Array:
    """Size of every coordinate, (n_v,): the length, 1 rad, or what moves or turns a node so."""
    out = np.ones(equations.n_v)
    columns = equations.model.columns["kind"]
    out[columns == C_TRANSLATION] = equations.scale.length
    for part in equations.parts:
        if isinstance(part, FlexibleBody):
            start = equations.coordinates.elastic[part.name].v
            out[start : start + part.table.m] = _elastic_sizes(part, equations.scale.length)
    assert np.all(out[columns == C_ELASTIC] > 0.0)
    return out


def coordinate_units(equations: "Equations") -> dict[str, tuple[str, ...]]:
    """Units of q, v, a and z, entry by entry; empty for elastic coordinates.

    What one of those measures is a matter of how its shape was scaled.
    """
    c = equations.coordinates
    v = [""] * len(c.v_names)
    for k, kind in enumerate(equations.model.columns["kind"]):
        v[k] = {C_TRANSLATION: "m/s", C_ROTATION: "rad/s"}.get(int(kind), "")
    q = ["1"] * len(c.q_names)  # of a quaternion
    for i, k in c.scalars:
        q[i] = v[k].removesuffix("/s")
    for i in c.counted.values():
        q[i] = "rad"
    units = {"q": tuple(q), "v": tuple(v), "a": tuple(unit and f"{unit}^2" for unit in v)}
    states = tuple(s.unit or "1" for b in equations.states.blocks for s in b.states)
    return units | ({"z": states} if states else {})


def row_sizes(equations: "Equations") -> Array:
    """Size of every constraint row, (m,): the length for translations, 1 for rotations."""
    length = equations.scale.length
    return np.array([length if row.is_translation else 1.0 for row in equations.rows])


def least_change(G: Jacobian, phi: Array, sizes: Array, row_sizes: Array, rcond: float = 1e-10) -> Array:
    """Smallest dq, in sizes, with G dq = -Φ in the sense of least squares, in sizes of the rows.

    Of a sparse G the rows that depend on others are left out; where they can be met, they are met with these.

    Parameters
    ----------
    G : (m, n) Jacobian.
    phi : (m,) what is to be taken away.
    sizes, row_sizes : (n,) and (m,).
    """
    A = scaled(G, sizes, row_sizes)
    if not isinstance(A, np.ndarray):
        return sizes * least_sparse_change(A, phi / row_sizes, rcond)
    out: Array = -sizes * np.linalg.lstsq(A, phi / row_sizes, rcond=rcond)[0]
    return out


def largest(values: Array, sizes: Array) -> float:
    """Largest of some values in their sizes; 0 of none."""
    return float(np.abs(values / sizes).max(initial=0.0))


def _elastic_sizes(body: FlexibleBody, length: float) -> Array:
    """Values of the elastic coordinates that move a node by the length or turn one by 1 rad, the less."""
    rows = (body.table.frames, body.table.output)
    moved = _largest([r.translation for r in rows])
    turned = _largest([r.rotation for r in rows])
    per = np.maximum(moved / length, turned)
    out: Array = np.divide(1.0, per, out=np.full(body.table.m, length), where=per > 0.0)
    return out


def _largest(shapes: list[Array]) -> Array:
    """Largest component of each shape, (m,)."""
    parts = [abs(s).max(axis=(0, 1), initial=0.0) for s in shapes]
    out: Array = np.max(parts, axis=0)
    return out


def _masses(system: System) -> Iterable[float]:
    return (c.mass for c in system.components.values() if isinstance(c, RigidBody | FlexibleBody))


# -- length ------------------------------------------------------------------------------------------


def _length(system: System) -> float:
    """The first of these that is not zero: bodies, ground, rough start, springs, inertia, gravity's fall."""
    for lengths in (_in_bodies, _in_ground, _at_start, _at_rest, _gyration):
        found = max(lengths(system), default=0.0)
        if found > 0.0:
            return float(found)
    return 1.0


def _in_bodies(system: System) -> Iterable[float]:
    for name, body in system.bodies.items():
        part = system.components[name]
        if isinstance(part, FlexibleBody):
            yield float(np.linalg.norm(np.ptp(part.table.mesh.nodes, axis=0)))
        yield _extent([np.zeros(3), *(f.position for f in body.frames.values())])


def _in_ground(system: System) -> Iterable[float]:
    used = [f for c in system.components.values() for f in (c.tail, c.head) if f.body == "ground"]
    loads = {c.tail.name for c in system.components.values() if _is_applied(c)}
    yield _extent([f.position for f in used if f.name not in loads - {"ground"}])


def _at_start(system: System) -> Iterable[float]:
    """Distances that joints and springs have in the rough initial poses, and start values."""
    for part in system.components.values():
        if not isinstance(part, RigidBody | FlexibleBody) and not _is_applied(part):
            yield float(np.linalg.norm(_place(system, part.head) - _place(system, part.tail)))
    for start in system.starts:
        if start.value is not None and start.coordinate not in ANGLES:
            yield abs(start.value)


def _is_applied(part: Component) -> bool:
    """Whether a component is a load from the ground, whose length means nothing."""
    return isinstance(part, ForceElement) and part.acts_from_datum


def _at_rest(system: System) -> Iterable[float]:
    return (x for c in system.components.values() if isinstance(c, ForceElement) for x in c.lengths)


def _gyration(system: System) -> Iterable[float]:
    for part in system.components.values():
        if isinstance(part, RigidBody) and part.mass > 0.0:
            yield sqrt(float(np.abs(part.inertia).max()) / part.mass)


def _extent(points: list[Array]) -> float:
    """Largest distance between two of some points."""
    p = np.array(points).reshape(-1, 3)
    return float(np.linalg.norm(p[:, None] - p, axis=2).max(initial=0.0))


def _place(system: System, frame: Frame) -> Array:
    if frame.body == "ground":
        return frame.position
    body = system.bodies[frame.body]
    out: Array = body.position + body.rotation @ frame.position
    return out


# -- time --------------------------------------------------------------------------------------------


def _time(system: System, length: float, mass: float) -> float:
    """One over the fastest rate of what moves the mechanism; of its springs where nothing else does."""
    for rates in (_driving_rates, _elastic_rates):
        found = max(rates(system, length, mass), default=0.0)
        if found > 0.0:
            return float(1.0 / found)
    return 1.0


def _driving_rates(system: System, length: float, mass: float) -> Iterable[float]:
    """Rates of gravity, starts, drivers and loads, 1/s."""
    yield sqrt(float(np.linalg.norm(system.g)) / length)
    for body in system.bodies.values():
        yield float(np.linalg.norm(body.velocity)) / length
        yield float(np.linalg.norm(body.angular_velocity))
    for start in system.starts:
        yield abs(start.rate or 0.0) / (1.0 if start.coordinate in ANGLES else length)
    force, torque = mass * length, mass * length * length
    for part in system.components.values():
        match part:
            case RotationDriver():
                yield from _motion_rates(part.angle, 1.0)
            case TranslationDriver():
                for f in part.displacements:
                    yield from _motion_rates(f, length)
            case ForceElement():
                for f, is_torque in part.functions:
                    yield from _load_rates(f, torque if is_torque else force)


def _elastic_rates(system: System, length: float, mass: float) -> Iterable[float]:
    """Rates of springs, bushings and the lowest mode of flexible bodies, 1/s."""
    per_turn = mass * length * length
    for part in system.components.values():
        match part:
            case ForceElement():
                along, about = part.stiffnesses
                yield sqrt(max(along / mass, about / per_turn))
            case FlexibleBody() if part.table.m:
                K, M = part.table.K.diagonal(), part.table.M.diagonal()
                yield sqrt(float(np.divide(K, M, out=np.full(len(K), np.inf), where=M > 0.0).min()))


def _motion_rates(f: TimeFunction, size: float) -> Iterable[float]:
    """Rates with which a known motion passes its size, 1/s; none for a callable."""
    p = f.parameters
    match f.kind:
        case "harmonic":
            yield abs(p[1]) if p[0] else 0.0
        case "cycloidal" | "smooth_step":
            yield 1.0 / p[2] if p[0] != p[1] else 0.0
        case "spline":
            yield 1.0 / (p[_rows(f) - 1] - p[0])
        case _:
            for k, c in enumerate(_coefficients(f)[1:], start=1):
                yield _root(abs(c) / size, k)


def _load_rates(f: TimeFunction, size: float) -> Iterable[float]:
    """Rates with which a known load moves its size (kg m or kg m²), 1/s; none for a callable."""
    p = f.parameters
    match f.kind:
        case "harmonic":
            yield sqrt((abs(p[0]) + abs(p[3])) / size)
        case "cycloidal" | "smooth_step":
            yield sqrt(max(abs(p[0]), abs(p[1])) / size)
        case "spline":
            yield sqrt(max(abs(x) for x in p[_rows(f) + 3 :: 4]) / size)
        case _:
            for k, c in enumerate(_coefficients(f)):
                yield _root(abs(c) / size, k + 2)


def _rows(f: TimeFunction) -> int:
    """Rows of a table: n times, then four coefficients for each of the n - 1 pieces."""
    return (len(f.parameters) + 4) // 5


def _coefficients(f: TimeFunction) -> tuple[float, ...]:
    """Coefficients of a polynomial, or of an expression about t = 0; none where there are not any."""
    if f.kind != "expression":
        return f.parameters
    found, g = list[float](), f.expression
    t = next(iter(g.free_symbols), None)
    for k in range(_ORDERS):
        try:
            found.append(float(g.subs(t, 0)) / factorial(k) if t is not None else float(g))
        except TypeError:  # a corner or a pole at the start
            break
        g = g.diff(t) if t is not None else 0 * g
    return tuple(c for c in found if isfinite(c))


def _root(x: float, k: int) -> float:
    """The k-th root, exact of powers of two wherever k ≤ 4."""
    match k:
        case 1:
            return x
        case 2:
            return sqrt(x)
        case 3:
            return cbrt(x)
        case 4:
            return sqrt(sqrt(x))
    return float(x ** (1.0 / k))
