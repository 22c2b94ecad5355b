"""Beams in pieces: the system a run is of, where its author said into how many bodies a beam is cut.

Joints, forces, events and measures keep meaning the beam; here each is moved to the piece on which its frame
or node lies. The author's system stays as it is, so that another number of pieces can be taken.
"""

import logging
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from flexnet.components import Component, FlexibleBody, Frame
from flexnet.components.weld import Weld
from flexnet.errors import ModelError
from flexnet.signals import Measure, Signal, where
from flexnet.signals.block import Block, StateOf
from flexnet.system.body import Body
from flexnet.typing import Array
from flexnet.validation import shown

if TYPE_CHECKING:
    from flexnet.fem.cut import Piece
    from flexnet.system.system import System

log = logging.getLogger("flexnet.pieces")

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Cut:
    """How a beam is cut.

    Attributes
    ----------
    pieces : bodies in a row, or ``"auto"``.
    modes : eigenmodes of each piece, besides the static shapes of its frames.
    most : pieces at most, the number of its elements.
    """

    pieces: int | Literal["auto"]
    modes: int
    most: int

    def number(self, auto: int) -> int:
        """Pieces, if ``auto`` are taken where that is left open."""
        return min(auto, self.most) if isinstance(self.pieces, str) else self.pieces


class Whole(NamedTuple):
    """What a system in pieces was cut from.

    Attributes
    ----------
    system : the same with every beam whole: where it is put together, its pieces are.
    pieces : of every piece, the beam and where its frame is in that of the beam, (3,) m.
    """

    system: "System"
    pieces: dict[str, tuple[str, Array]]


def as_cut(name: str, pieces: Any, modes: Any, part: Component, is_planar: bool) -> Cut:
    """What an author asks for; refused where the body is no beam that can be cut."""
    from flexnet.fem.cut import cut_beam  # here: a system of rigid bodies needs no finite elements

    what = f"flexible body {name!r}"
    if pieces != AUTO and (isinstance(pieces, bool) or not isinstance(pieces, int | np.integer)):
        raise ModelError(f"{what}: pieces is {shown(pieces)}; expected a whole number from 1, or 'auto'")
    assert isinstance(part, FlexibleBody)
    if part.body is None:
        raise ModelError(
            f"{what} came as a table, or as matrices without sections; only beams are cut into pieces"
        )
    if not isinstance(modes, int | np.integer | None) and modes != AUTO:
        raise ModelError(
            f"{what} is cut into pieces; expected one number of modes for all, not {shown(modes)}"
        )
    cut_beam(part.body, 1 if pieces == AUTO else int(pieces), what)
    # the first two bending waves in each plane, where nobody says how many
    each = (2 if is_planar else 4) if modes is None or modes == AUTO else int(modes)
    return Cut(pieces if pieces == AUTO else int(pieces), each, len(part.body.mesh.lines))


def in_pieces(system: "System", auto: int | None = None) -> "System":
    """Return the system with its beams in pieces; itself where none is cut.

    Parameters
    ----------
    auto : bodies for a beam with ``pieces="auto"``, or as many as it has elements if these are fewer.

    Raises
    ------
    ModelError
        If something is fastened to, or measured in, the frame of a beam as a whole, which pieces do not have.
    """
    if not system.cuts:
        return system
    if auto is None and (open_ := [name for name, cut in system.cuts.items() if cut.pieces == AUTO]):
        raise ModelError(
            f"flexible body {open_[0]!r} has pieces='auto', which fx.simulate chooses; give a number here"
        )
    wanted = {name: n for name, cut in system.cuts.items() if (n := cut.number(auto or 1)) > 1}
    out = copy(system)
    out.cuts, out.parameters = {}, dict(system.parameters)
    if not wanted:
        return out
    out.bodies, out.components = {}, {}
    out._floating, out._unstiffened, out._network = set(system._floating), [], None
    moving = _Moving(system)
    for name, body in system.bodies.items():
        if name in wanted:
            _add_pieces(out, system, moving, name, wanted[name])
        else:
            out.bodies[name] = body
            out.components[name] = system.components[name]
    for name, part in system.components.items():
        if name not in system.bodies:
            moving.what = f"{part.noun} {name!r}"
            out.components[name] = moving(part)
    moving.what = "a signal"
    out.whole = Whole(_uncut(system), moving.pieces)
    out._unstiffened += [name for name in system._unstiffened if name not in wanted]
    out.asked, out.events = moving(system.asked), moving(system.events)
    out.elements = moving(system.elements)
    return out


def _uncut(system: "System") -> "System":
    out = copy(system)
    out.cuts = {}
    return out


def _add_pieces(out: "System", system: "System", moving: "_Moving", name: str, n: int) -> None:
    """The pieces of one beam, each held at its start, and the welds between them."""
    from flexnet.fem import Clamped
    from flexnet.fem.cut import cut_beam

    whole, part, cut = system.bodies[name], system.components[name], system.cuts[name]
    assert isinstance(part, FlexibleBody)
    assert part.body is not None
    log.info("%r in %d pieces, each clamped at its start; Craig-Bampton, up to %d modes", name, n, cut.modes)
    row: list[Body] = []
    for i, piece in enumerate(cut_beam(part.body, n, f"flexible body {name!r}")):
        away = whole.rotation @ piece.origin
        # nodes that neither a frame nor the clamp holds, and their translations, which have mass
        inner = len(piece.nodes) - len({0, *piece.body.frames.values()})
        modes = min(cut.modes, (2 if out.is_planar else 3) * inner)
        made = out.flexible_body(
            f"{name}_{i + 1}", piece.body, support=Clamped(0), modes=modes, method="craig_bampton",
            stiffening=part.is_stiffened, inertia=part.inertia, position=whole.position + away,
            rotation=whole.rotation, velocity=whole.velocity + np.cross(whole.angular_velocity, away),
            angular_velocity=whole.angular_velocity,
        )  # fmt: skip
        if row:
            label = f"{name}_cut_{i}"
            weld = Weld(label, row[-1][f"cut_{i}"], made[f"cut_{i}"])
            out._add(weld)
        moving.add(whole, made, piece)
        row.append(made)
    if name in out._floating:
        out._floating = out._floating - {name} | {piece.name for piece in row}


class _Moving:
    """Moves what lies on beams to their pieces; what does not stays the object it is."""

    def __init__(self, system: "System") -> None:
        self.system = system
        self.what = ""
        self.moved: dict[int, Any] = {}
        self.frames: dict[str, str] = {}  # of whole beams, their new names
        # of whole beams: piece, node there, and the frame on it, whose motion is known to second order
        self.nodes: dict[tuple[str, int], tuple[str, int, str | int]] = {}
        self.beyond: dict[tuple[str, int], tuple[str, int]] = {}  # of cuts, the piece after and its node
        self.bodies: set[str] = set()
        self.pieces: dict[str, tuple[str, Array]] = {}

    def add(self, whole: Body, made: Body, piece: "Piece") -> None:
        """Learn what lies on a piece."""
        self.pieces[made.name] = whole.name, piece.origin
        self.bodies.add(whole.name)
        known = {piece.body.frame_node(key): frame.name for key, frame in made.frames.items()}
        for k, node in enumerate(piece.nodes):
            place = whole.name, int(node)
            if place in self.nodes:
                self.beyond[place] = made.name, k
            self.nodes.setdefault(place, (made.name, k, known.get(k, k)))
        for key, frame in made.frames.items():
            if key in whole.frames:
                self.frames[whole.frames[key].name] = frame.name
                self.moved[id(whole.frames[key])] = frame

    def _block(self, block: Block) -> Block:
        """A block and its states, which know each other, before its rates."""
        new: Block = copy(block)
        self.moved[id(block)] = new
        object.__setattr__(new, "states", tuple(replace(z, block=new) for z in block.states))
        self.moved |= {id(z): y for z, y in zip(block.states, new.states, strict=True)}
        object.__setattr__(new, "rates", self(block.rates))
        return new

    def __call__(self, thing: Any) -> Any:
        if id(thing) in self.moved:
            return self.moved[id(thing)]
        self.moved[id(thing)] = out = self._new(thing)
        return out

    def _new(self, thing: Any) -> Any:
        match thing:
            case Measure():
                return self._measure(thing)
            case Frame():
                return self._refuse(thing.name) if thing.body in self.bodies else thing
            case list() | tuple():
                new = [self(one) for one in thing]
                if all(a is b for a, b in zip(new, thing, strict=True)):
                    return thing
                return type(thing)(*new) if hasattr(thing, "_fields") else type(thing)(new)
            case Mapping():
                return {key: self(one) for key, one in thing.items()}
            case Block():
                return self._block(thing)
            case StateOf():
                return self(thing.block).states[thing.index]
        if not is_dataclass(thing) or type(thing).__module__.startswith("flexnet.fem"):
            return thing
        old = {f.name: getattr(thing, f.name) for f in fields(thing)}
        changed = {name: new for name, one in old.items() if (new := self(one)) is not one}
        if not changed:
            return thing
        out = copy(thing)
        for name, one in changed.items():
            object.__setattr__(out, name, one)
        return out

    def _measure(self, m: Measure) -> Signal:
        """A measure of a point where that point now lies; of a stress on a cut, the larger of both sides."""
        if m.kind in ("node", "deflection", "stress") and m.target in self.bodies:
            if m.kind == "deflection" and not m.chord:
                raise ModelError(
                    f"{self.what} measures a deflection of {m.target!r} in its own frame, which pieces do not"
                    " share; give a chord"
                )
            part = self.system.components[m.target]
            assert isinstance(part, FlexibleBody)
            place = m.target, part.node(m.point)
            target, node, frame = self.nodes[place]
            point = node if m.kind == "node" else frame
            moved = replace(m, target=target, point=point, chord=self._chord(m))
            if m.kind == "deflection":
                return replace(moved, undeformed=self._undeformed(m, part))
            if m.kind == "stress" and place in self.beyond:
                after, first = self.beyond[place]
                other = replace(moved, target=after, point=first)
                return where(abs(moved) - abs(other), moved, other)
            return moved
        new = replace(m, target=self._name(m.target), chord=self._chord(m))
        return replace(new, seen_from=self._name(m.seen_from))

    def _undeformed(self, m: Measure, part: FlexibleBody) -> tuple[tuple[float, ...], ...]:
        """Point and ends of a chord in the whole beam; nothing where the chord ends on other bodies."""
        whole, frames = self.system.bodies[m.target], self.system.frames
        if any(frames[end].body != whole.name for end in m.chord):
            return ()
        assert part.body is not None
        at = part.body.mesh.nodes[part.node(m.point)]
        return tuple(tuple(map(float, x)) for x in (at, *(frames[end].position for end in m.chord)))

    def _chord(self, m: Measure) -> tuple[str, str] | tuple[()]:
        return (self._name(m.chord[0]), self._name(m.chord[1])) if m.chord else ()

    def _name(self, name: str) -> str:
        if name in self.frames:
            return self.frames[name]
        return self._refuse(name) if name.split(".")[0] in self.bodies else name

    def _refuse(self, frame: str) -> Any:
        raise ModelError(
            f"{self.what} is at {frame!r}, the frame of a beam as a whole, which pieces do not have; take one"
            " of its attachment frames"
        )
