"""Counted angles: which there are, how the configuration knows their turns, and where they begin.

Where all branches of the R-tree between two frames turn about one axis, the angle between the frames is the
sum of theirs and counts whole turns with them. Everywhere else q has an entry of its own for it, the angle at
the last step (docs/theory/turns.md).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import atan2, floor, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.components import Component, FlexibleArm, ForceElement, Frame, Terminal, spoken
from flexnet.components.frame import normals
from flexnet.errors import ModelError
from flexnet.formulation.foretold import foretold, joint_of_angle
from flexnet.formulation.rows import ConstraintRow
from flexnet.formulation.state import Poses, State
from flexnet.graph import Tree
from flexnet.kernels import entry
from flexnet.signals import Measure, Signal, states_of
from flexnet.typing import Array

if TYPE_CHECKING:
    from flexnet.formulation.equations import Equations

#: share of a turn within which half a turn forwards and half a turn backwards are the same place
_TIE = 1e-9
#: cosine of a rotation of half a turn, as near as makes its direction uncertain
_HALF_TURN = -1.0 + 1e-9
#: angle between two axes that counts as none, rad
_ALIGNED = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class CountedAngle:
    """Angle of a component's head about an axis as seen from its tail.

    Attributes
    ----------
    owner : torsional spring, bushing or joint.
    tail, head : frames it is seen from and of; those of its owner, or of the other joint of a gear pair.
    label : name of the angle, ``owner.angle``.
    joint : name of the joint of which it is the angle; empty if it is of none.
    axis : (3,) in the tail frame; None where a bushing has none: it is then only watched.
    branches : index in the R-tree and sense (+1, -1) of every branch that turns, from tail to head; None if
        one turns about another axis.
    offset : angle of the head when those of all branches are zero, rad.
    """

    owner: Component
    tail: Frame
    head: Frame
    label: str
    axis: Array | None
    joint: str = ""
    branches: tuple[tuple[int, float], ...] | None = None
    offset: float = 0.0

    @property
    def name(self) -> str:
        """Name of its entry in q, where it has one."""
        return f"{self.label.removesuffix('.angle')}.counted"

    @property
    def is_followed(self) -> bool:
        """Whether q has an entry for it."""
        return self.axis is not None and self.branches is None


def counted_angles(
    parts: Sequence[Component], terminals: Mapping[str, Terminal], R: Tree, signals: Sequence[Signal],
    extra: Sequence[ConstraintRow] = (),
) -> tuple[CountedAngle, ...]:  # fmt: skip
    """Angles of all force elements and rows that ask for one, and joints a signal measures.

    The angle of a joint in the R-tree needs no counting to be measured.
    """
    by_name = {part.name: part for part in parts}
    measured = [leaf for leaf in states_of(signals)[1] if isinstance(leaf, Measure)]
    wanted = {m.target for m in measured if m.kind == "coordinate"} - set(R.names)
    index = {branch.child: i for i, branch in enumerate(R.branches)}
    further: dict[str, list[Array]] = {}
    for r in extra:
        if r.row.counts is not None:
            further.setdefault(r.component.name, []).append(r.row.counts)
    out = []
    for part in parts:
        rotation = terminals[part.name].rotation
        joint = getattr(part, "joint", None) or ""
        own = partial(CountedAngle, part, part.tail, part.head, f"{part.name}.angle", joint=joint)
        rows = terminals[part.name].rows
        asked = [row.counts for row in rows if row.counts is not None]
        asked += further.get(part.name, [])
        if isinstance(part, ForceElement) and part.turns:
            out.append(own(getattr(part, "axis", None)))
        elif asked:
            out.append(own(asked[0]))
        elif part.name in wanted and rotation is not None and rotation.kind == "axis":
            out.append(own(rotation.axes[0]))
        for tail, head, axis in (row.other for row in rows if row.other is not None):
            if axis is not None:
                joint = joint_of_angle(parts, tail, head, axis)
                out.append(CountedAngle(part, tail, head, other_angle(part), axis, joint))
    return tuple(
        angle if angle.axis is None else _summed(angle, by_name, terminals, R, index) for angle in out
    )


def row_angles(parts: Sequence[Component], terminals: Mapping[str, Terminal]) -> set[str]:
    """Names of the counted angles that constraint rows rest on."""
    rows = [(part, row) for part in parts for row in terminals[part.name].rows]
    own = {f"{part.name}.angle" for part, row in rows if row.counts is not None}
    return own | {other_angle(part) for part, row in rows if row.other is not None}


def other_angle(part: Component) -> str:
    """Name of the angle of the other joint that a row of a component asks for."""
    return f"{part.name}.other.angle"


def _summed(
    angle: CountedAngle,
    parts: Mapping[str, Component],
    terminals: Mapping[str, Terminal],
    R: Tree,
    index: Mapping[str, int],
) -> CountedAngle:
    """Sum of the angles of the branches between two frames, if all turn about the axis.

    Where all axes on the way are parallel with every angle at zero, they stay so: nothing turns about
    another.
    """
    tail, head, axis = angle.tail, angle.head, angle.axis
    assert axis is not None
    up, down = R.path(head.rotation_node), R.path(tail.rotation_node)
    while up and down and up[-1] == down[-1]:
        up.pop()
        down.pop()
    u = tail.rotation @ axis
    so_far, branches = np.eye(3), list[tuple[int, float]]()
    for branch, is_outward in [*((b, False) for b in down), *((b, True) for b in reversed(up))]:
        part = parts[branch.edge.name]
        rotation = terminals[part.name].rotation
        assert rotation is not None
        is_along = (branch.sign == 1) == is_outward
        enter, leave = (part.tail, part.head) if is_along else (part.head, part.tail)
        if rotation.kind in ("axis", "driven"):
            direction = so_far @ enter.rotation @ rotation.axes[0]
            if np.linalg.norm(np.cross(direction, u)) > 1e-9:
                return angle
            sense = float(np.sign(direction @ u)) * (1.0 if is_along else -1.0)
            branches.append((index[branch.child], sense))
        elif rotation.kind != "fixed" or isinstance(part, FlexibleArm):
            return angle
        so_far = so_far @ enter.rotation @ leave.rotation.T
    A = np.array([*normals(axis), axis])
    B = A @ (tail.rotation.T @ so_far @ head.rotation).T
    if not _has_swing(angle):
        B = _turned_with(A[2], B)
    offset = atan2(A[1] @ B[0] - A[0] @ B[1], A[0] @ B[0] + A[1] @ B[1])
    return replace(angle, branches=tuple(branches), offset=0.0 if abs(offset) < 1e-12 else offset)


def _has_swing(angle: CountedAngle) -> bool:
    """Whether its head has an axis of its own, as of a bushing; else it takes the tail's at the start."""
    return isinstance(angle.owner, ForceElement) and angle.owner.turns == "rotation"


def _turned_with(a: Array, B: Array) -> Array:
    """Axes (3, 3) about a that turn with the head: the first of its own not along a shows the way."""
    n = next(x - (x @ a) * a for x in B if abs(x @ a) < 0.9)
    n /= np.linalg.norm(n)
    return np.array([n, np.cross(a, n), a])


def nearest_turn(angle: float, target: float) -> float:
    """The angle plus the whole turns that bring it nearest the target; of two as near, the larger."""
    return angle + 2 * pi * floor((target - angle) / (2 * pi) + 0.5 + _TIE)


def angles_of(equations: "Equations", state: State) -> dict[str, float]:
    """All angles that count whole turns, rad: those of branches by their names, and counted ones."""
    out = {name: float(state.q[i]) for name, i in _branch_angles(equations)}
    for angle, value in zip(equations.angles, _values(equations, state), strict=True):
        if angle.axis is not None:
            out[angle.label] = float(value)
    return out


def with_turns(equations: "Equations", state: State, wanted: Mapping[str, float]) -> State:
    """Add whole turns to all angles that q holds: they lie nearest the wanted ones, else nearest zero.

    Where a displacement tells an angle, as of a screw, that is the wanted one; where an angle that is wanted
    is the sum of those of branches, the last of them that is not wanted itself makes it so.
    """
    q = np.array(state.q)
    wanted = {**wanted, **_told(equations)}
    own = dict(_branch_angles(equations))
    settled = {i for name, i in own.items() if name in wanted}
    for name, i in own.items():
        q[i] = nearest_turn(q[i], wanted.get(name, 0.0))
    _settle_sums(equations, q, settled, wanted)
    state = replace(state, q=q, v=np.asarray(state.v))
    for angle, record, off in _turns_off(equations, state, wanted):
        if angle.is_followed:
            q[record["place"]] += off
    return state


def _settle_sums(equations: "Equations", q: Array, settled: set[int], wanted: Mapping[str, float]) -> None:
    """Turn branches that nobody settled so that the angles they add up to lie nearest the wanted ones.

    Sums with one such branch come first; where there is none of these, a branch stays nearest zero.
    """
    open_sums = [
        (angle.branches, float(record["offset"]), target)
        for angle, record in zip(equations.angles, equations.model.angles, strict=True)
        if angle.branches is not None
        and (target := wanted.get(angle.label, wanted.get(f"{angle.joint}.angle"))) is not None
    ]
    most = 1
    while open_sums:
        left = []
        for branches, offset, target in open_sums:
            total, free = _sum(equations, q, branches, settled)
            if len(free) > most:
                left.append((branches, offset, target))
                continue
            if free:
                place, sense = free[-1]
                q[place] += sense * (nearest_turn(offset + total, target) - offset - total)
            settled |= {place for place, _ in free}
            most = 1
        most = most if len(left) < len(open_sums) else most + 1
        open_sums = left[::-1]


def _sum(
    equations: "Equations", q: Array, branches: tuple[tuple[int, float], ...], settled: set[int]
) -> tuple[float, list[tuple[int, float]]]:
    """Sum of the angles of branches, rad, and the places in q, with their senses, of those not settled."""
    total, free, edges = 0.0, list[tuple[int, float]](), equations.model.r_edges
    for k, sense in branches:
        if edges[k]["function"] >= 0:
            total += sense * float(equations.work.f[edges[k]["function"], 0])
            continue
        place = int(edges[k]["q"])
        total += sense * float(q[place])
        if place not in settled:
            free.append((place, sense))
    return total, free


def start_turns(equations: "Equations", state: State, poses: Poses) -> State:
    """Begin all angles nearest those of the poses, of gears, their start value or driver, else nearest zero.

    Raises
    ------
    ModelError
        If a bushing begins half a turn apart, where its rotation has no direction.
    """
    _align(equations, state)
    # rows that rest on the angle of a joint have counted it
    rows = {a.joint: poses.angles[a.label] for a in equations.angles if a.joint and a.label in poses.angles}
    told = {f"{joint}.angle": angle for joint, angle in rows.items()}
    wanted = foretold(equations, state.t) | told | poses.angles
    state = with_turns(equations, state, wanted)
    wanted |= _told(equations)
    for angle, record, off in _turns_off(equations, state, wanted):
        if angle.branches is not None:
            record["offset"] += off
    return state


def _align(equations: "Equations", state: State) -> None:
    """Fix the axis of every torsional spring in its head as it lies at the start."""
    equations.constraints(state.q, state.t)
    for angle, record in zip(equations.angles, equations.model.angles, strict=True):
        R_A, R_B = (equations.work.R[record[end]] for end in ("tail_r", "head_r"))
        A, B = record["tail"] @ R_A.T, record["head"] @ R_B.T
        turns = angle.owner.turns if isinstance(angle.owner, ForceElement) else ""
        if turns == "twist" and np.linalg.norm(A[2] - B[2]) > _ALIGNED:
            record["head"] = _turned_with(A[2], B) @ R_B
        elif turns == "rotation":
            swing = A[2] @ B[2] if angle.axis is not None else 0.5 * (np.sum(A * B) - 1.0)
            if swing < _HALF_TURN:
                what = f"{spoken(angle.owner)} {angle.owner.name!r}"
                raise ModelError(
                    f"{what} begins with its frames half a turn apart, where its"
                    " rotation has no direction; turn one of them, or give it the axis about which they turn"
                )


def _turns_off(
    equations: "Equations", state: State, wanted: Mapping[str, float]
) -> Iterator[tuple[CountedAngle, Any, float]]:
    """What q or the offset of every counted angle lacks of the one nearest to what is wanted, rad."""
    values = _values(equations, state)
    for angle, record, value in zip(equations.angles, equations.model.angles, values, strict=True):
        if angle.axis is not None:
            own, on = angle.label, f"{angle.joint}.angle"
            held = value if record["place"] < 0 else state.q[record["place"]]
            yield angle, record, nearest_turn(value, wanted.get(own, wanted.get(on, 0.0))) - held


def _told(equations: "Equations") -> dict[str, float]:
    """Angles that displacements tell, in the configuration now in the workspace, rad."""
    out, packer, work = {}, equations.packer, equations.work
    for part in equations.parts:
        t = equations.terminals[part.name].translation
        if t is not None and t.pitch is not None:
            d = work.p[packer.node[part.head.name]] - work.p[packer.node[part.tail.name]]
            u = work.R[packer.body_index(part.tail)] @ part.tail.rotation @ t.free[0].vector
            out[f"{part.name}.angle"] = float(u @ d) / t.pitch
    return out


def _branch_angles(equations: "Equations") -> list[tuple[str, int]]:
    """Name and place in q of every angle that is a coordinate."""
    rotations = [(name, equations.terminals[name].rotation) for name in equations.coordinates.rotation]
    return [
        (f"{name}.{coordinate}", equations.coordinates.rotation[name].q + k)
        for name, rotation in rotations
        if rotation is not None and rotation.kind in ("axis", "universal")
        for k, coordinate in enumerate(rotation.names)
    ]


def _values(equations: "Equations", state: State) -> Array:
    """Counted angles of a state, (angles,) rad."""
    watch = equations.work.watch
    before = watch.copy()
    entry.count(equations.handle, float(state.t), np.array(state.q, dtype=float))
    values = watch[:, 0].copy()
    watch[:] = before
    return values
