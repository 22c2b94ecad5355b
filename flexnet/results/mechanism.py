"""Enough of a mechanism to draw it again: graph, trees, bodies with their shapes and mode shapes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import numpy as np

from flexnet.errors import FileFormatError, FlexnetError, ModelError
from flexnet.store import Tree, parse_json
from flexnet.typing import AnyArray, Array, IntArray

Direction = tuple[float, float, float]

#: what may be drawn between the two frames of an edge
LOOKS = (
    "",
    "spring",
    "damper",
    "spring_damper",
    "actuator",
    "bushing",
    "condenser",
    "load",
    "beam",
    "contact",
    "tie",
    "path",
)
#: shapes that a contact has at its tail, and how many numbers say each
SHAPES = {"": 0, "plane": 3, "sphere": 1, "cylinder": 5, "box": 9}
ROLES = ("body", "arm", "joint", "driver", "force", "dependent", "network")


@dataclass(frozen=True, slots=True)
class EdgeRecord:
    """One edge of the graph.

    Parameters
    ----------
    name : unique name.
    role : one of :data:`ROLES`.
    kind : what it is, such as ``"revolute"`` or ``"rigid body"``.
    tail, head : frames it goes from and to.
    """

    name: str
    role: str
    kind: str
    tail: str
    head: str

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ModelError(f"edge {self.name!r}: role {self.role!r} is not one of {', '.join(ROLES)}")

    @property
    def is_virtual(self) -> bool:
        """Whether it is a joint that holds nothing, of an indirect formulation."""
        return self.kind in ("virtual joint", "VirtualJoint")  # the latter in files of earlier versions


@dataclass(frozen=True, slots=True)
class Symbol:
    """How an edge is drawn.

    Parameters
    ----------
    graphs : graphs it is in: ``"T"``, ``"R"`` or ``"TR"``; ``"N"`` for that of a scalar network.
    is_rigid : a rigid arm, contracted in the R-graph.
    look : one of :data:`LOOKS`: what is drawn between its two frames; empty for most joints.
    turns : axes its head turns about: none, one, two (the second in the head frame) or three for a ball.
    slides : directions its head slides along; of the plates of a condenser their normal, where it is not
        the line between its frames.
    told : parameters, in words.
    shape : what a contact touches: a plane (its normal), a sphere (its radius), a cylinder (its axis, its
        radius, its length or 0 where it has no end) or a box (three vectors from its middle to its faces), m.
    sizes : the numbers of the shape.
    radius : of the ball of a contact, m.

    Notes
    -----
    Axes and directions are components in the tail frame, in ground axes where the tail is on the ground.
    """

    graphs: str = "TR"
    is_rigid: bool = False
    look: str = ""
    turns: tuple[Direction, ...] = ()
    slides: tuple[Direction, ...] = ()
    told: str = ""
    shape: str = ""
    sizes: tuple[float, ...] = ()
    radius: float = 0.0

    def __post_init__(self) -> None:
        if self.graphs not in ("T", "R", "TR", "N"):
            raise ModelError(f"an edge is in graph T, R, TR or N, not {self.graphs!r}")
        if len(self.sizes) != SHAPES.get(self.shape, -1) or not np.all(
            np.isfinite([*self.sizes, self.radius])
        ):
            raise ModelError(f"{self.sizes} are not the sizes of a shape {self.shape!r}")
        if self.look not in LOOKS:
            raise ModelError(f"{self.look!r} is not one of the looks {', '.join(LOOKS[1:])}")
        for vector in (*self.turns, *self.slides):
            if len(vector) != 3 or not np.all(np.isfinite(vector)):
                raise ModelError(f"{vector} is not a direction of three finite numbers")


@dataclass(frozen=True, slots=True, eq=False)
class BodyRecord:
    """One body and its shape.

    Parameters
    ----------
    name : unique name.
    frame : frame that carries the shape; the ground frame for the ground.
    frames : frames fixed to the body, in the order in which a line should be drawn through them.
    is_ground : whether the body is the ground, which does not move.
    points : (n, 3) array, points of the shape in the body's frame, m; for the ground, places of ``frames``.
    lines : (m, 2) array, pairs of points joined by a line.
    triangles : (k, 3) array, triples of points that form a surface.
    modes : (n, 3, n_modes) array, displacement of the points per unit elastic coordinate.
    """

    name: str
    frame: str
    frames: tuple[str, ...] = ()
    is_ground: bool = False
    points: Array = field(default_factory=lambda: np.zeros((0, 3)))
    lines: IntArray = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    triangles: IntArray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    modes: Array = field(default_factory=lambda: np.zeros((0, 3, 0)))

    def __post_init__(self) -> None:
        n = len(self.points)
        shapes = {"points": (n, 3), "lines": (len(self.lines), 2), "triangles": (len(self.triangles), 3)}
        for key, shape in shapes.items():
            found = getattr(self, key).shape
            if found != shape:
                raise ModelError(f"body {self.name!r}: {key} has shape {found}, expected {shape}")
        for key in ("lines", "triangles"):
            corners = getattr(self, key)
            if corners.dtype.kind not in "iu":
                raise ModelError(f"body {self.name!r}: {key} are not whole numbers")
            if corners.size and not 0 <= corners.min() <= corners.max() < n:
                raise ModelError(f"body {self.name!r}: {key} names point {corners.max()} of {n}")
        if self.modes.size and self.modes.shape[:2] != (n, 3):
            raise ModelError(
                f"body {self.name!r}: modes has shape {self.modes.shape}, expected ({n}, 3, modes)"
            )
        if self.is_ground and len(self.frames) != n:
            raise ModelError(f"ground body {self.name!r}: {len(self.frames)} frames but {n} places")


@dataclass(frozen=True, slots=True)
class PlaneRecord:
    """A plane of the ground that a frame is thrown back from by an event: n · r = offset.

    Parameters
    ----------
    name : of the event.
    frame : that hits it.
    normal : three components, a unit vector in ground axes.
    offset : m.
    """

    name: str
    frame: str
    normal: Direction
    offset: float

    def __post_init__(self) -> None:
        if len(self.normal) != 3 or not np.all(np.isfinite([*self.normal, self.offset])):
            raise ModelError(f"plane {self.name!r}: {self.normal}, {self.offset} are not four finite numbers")


@dataclass(frozen=True, slots=True, eq=False)
class Mechanism:
    """The mechanism of a result file.

    Parameters
    ----------
    name : name of the system.
    nodes : frames of the graph.
    edges : edges of the graph.
    trees : names of the edges of each spanning tree, by ``"translation"`` and ``"rotation"``.
    bodies : bodies with their shapes.
    is_planar : whether it moves in the x-y plane.
    parameters : numbers and texts the case was built with.
    symbols : how edges are drawn, by their names; none in files of earlier versions.
    planes : what events throw frames back from; none in files of earlier versions.
    """

    name: str
    nodes: tuple[str, ...] = ()
    edges: tuple[EdgeRecord, ...] = ()
    trees: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bodies: tuple[BodyRecord, ...] = ()
    is_planar: bool = False
    parameters: Mapping[str, str | int | float] = field(default_factory=dict)
    symbols: Mapping[str, Symbol] = field(default_factory=dict)
    planes: tuple[PlaneRecord, ...] = ()

    def to_tree(self) -> Tree:
        """Return the mechanism as one JSON text and the arrays of the bodies."""
        return {
            "description": json.dumps(self._description()),
            "bodies": {b.name: _arrays(b) for b in self.bodies},
        }

    def fingerprint(self) -> str:
        """Return a hash of everything in the description: equal mechanisms, equal hashes."""
        digest = hashlib.sha256(json.dumps(self._description(), sort_keys=True).encode())
        for body in self.bodies:
            for key, array in _arrays(body).items():
                digest.update(
                    f"{body.name}/{key}{array.shape}".encode() + np.ascontiguousarray(array).tobytes()
                )
        return digest.hexdigest()

    def _description(self) -> dict[str, object]:
        return {
            "name": self.name,
            "nodes": list(self.nodes),
            "edges": [
                {"name": e.name, "role": e.role, "kind": e.kind, "tail": e.tail, "head": e.head}
                for e in self.edges
            ],
            "trees": {key: list(edges) for key, edges in self.trees.items()},
            "bodies": [
                {"name": b.name, "frame": b.frame, "frames": list(b.frames), "is_ground": b.is_ground}
                for b in self.bodies
            ],
            "is_planar": self.is_planar,
            "parameters": dict(self.parameters),
            "symbols": {
                name: {key: getattr(symbol, key) for key in Symbol.__dataclass_fields__}
                for name, symbol in self.symbols.items()
            },
            # not in the fingerprint of what has none: runs of earlier versions go on
            **({"planes": [asdict(plane) for plane in self.planes]} if self.planes else {}),
        }


def mechanism_from_tree(tree: Tree) -> Mechanism:
    """Read back what :meth:`Mechanism.to_tree` gave.

    Raises
    ------
    FileFormatError
        If the description is not the documented JSON text.
    """
    try:
        told = parse_json(str(tree["description"]))
        arrays = tree.get("bodies", {})
        assert isinstance(arrays, Mapping)
        return Mechanism(
            name=_text(told["name"]),
            nodes=_texts(told["nodes"]),
            edges=tuple(EdgeRecord(**{k: _text(x) for k, x in edge.items()}) for edge in told["edges"]),
            trees={key: _texts(edges) for key, edges in told["trees"].items()},
            bodies=tuple(_body(body, arrays.get(body["name"], {})) for body in told["bodies"]),
            is_planar=bool(told["is_planar"]),
            parameters={key: _scalar(x) for key, x in told["parameters"].items()},
            symbols={name: _symbol(symbol) for name, symbol in told.get("symbols", {}).items()},
            planes=tuple(_plane(plane) for plane in told.get("planes", [])),
        )
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError, FlexnetError) as error:
        raise FileFormatError(f"/model is not a mechanism ({type(error).__name__}: {error})") from error


def _arrays(body: BodyRecord) -> dict[str, AnyArray]:
    arrays: dict[str, AnyArray] = {
        "points": body.points,
        "lines": body.lines,
        "triangles": body.triangles,
        "modes": body.modes,
    }
    return {key: array for key, array in arrays.items() if array.size}


def _body(told: Mapping[str, object], arrays: object) -> BodyRecord:
    assert isinstance(arrays, Mapping)
    name, frame = _text(told["name"]), _text(told["frame"])
    return BodyRecord(name, frame, _texts(told["frames"]), bool(told["is_ground"]), **arrays)


def _symbol(told: Mapping[str, object]) -> Symbol:
    return Symbol(
        _text(told["graphs"]),
        bool(told["is_rigid"]),
        _text(told["look"]),
        _directions(told["turns"]),
        _directions(told["slides"]),
        _text(told["told"]),
        _text(told.get("shape", "")),
        _numbers(told.get("sizes", [])),
        *_numbers([told.get("radius", 0.0)]),
    )


def _plane(told: Mapping[str, object]) -> PlaneRecord:
    (normal,) = _directions([told["normal"]])
    return PlaneRecord(_text(told["name"]), _text(told["frame"]), normal, *_numbers([told["offset"]]))


def _directions(values: object) -> tuple[Direction, ...]:
    if not isinstance(values, list):
        raise TypeError(f"{values!r:.40} is not a list of directions")
    return tuple((float(x), float(y), float(z)) for x, y, z in values)


def _numbers(values: object) -> tuple[float, ...]:
    if not isinstance(values, list) or not all(isinstance(x, int | float) for x in values):
        raise TypeError(f"{values!r:.40} is not a list of numbers")
    return tuple(float(x) for x in values)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is not a text")
    return value


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError(f"{values!r:.40} is not a list of texts")
    return tuple(_text(value) for value in values)


def _scalar(value: object) -> str | int | float:
    if not isinstance(value, str | int | float):
        raise TypeError(f"{value!r:.40} is neither a text nor a number")
    return value
