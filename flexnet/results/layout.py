"""What a result file will hold: the names and widths of everything that is written at each output time."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from flexnet.errors import ResultError
from flexnet.store import Column
from flexnet.typing import Array

SCHEMA = ("flexnet-results", 2)
#: energies whose sum is the total, and works that change it; a file has those of its model
STORES = ("kinetic", "potential", "strain", "network")
WORKS = ("drivers", "forces", "damping", "sources", "ports", "losses", "scheme")
#: those that a file with networks has besides
OF_NETWORKS = ("network", "sources", "ports", "losses")
#: energies, their sum, the work since the start (drivers, forces and damping together), and its parts:
#: drivers, forces without a potential, damping, constraints, and what the scheme added itself
ENERGIES = (
    "kinetic", "strain", "potential", "total", "work",
    "drivers", "forces", "damping", "constraints", "scheme",
)  # fmt: skip
XYZ = ("x", "y", "z")
#: what a load that is not a number means
NAN = "not determined"
WXYZ = ("w", "x", "y", "z")


#: times of one event that a row lists: those since the row before, the first ones
LISTED = 8
#: what is listed of an event; an impulse is in N s, or N m s where its signal is an angle
EVENT_UNITS = {"time": "s", "impulse": "", "energy": "J"}
NO_EVENT = "not so many since the row before"


def happened(
    names: Iterable[str], read: Callable[[str], Array]
) -> tuple[tuple[float, str, float, float], ...]:
    """Events in the order of their times: time (s), name, impulse (N s, N m s) and change of energy (J).

    Parameters
    ----------
    names : of events.
    read : column of a path.
    """
    found = []
    for name in names:
        t, impulse, energy = (read(f"events/{name}/{key}") for key in EVENT_UNITS)
        here = ~np.isnan(t)
        values = zip(t[here], impulse[here], energy[here], strict=True)
        found += [(float(a), name, float(b), float(c)) for a, b, c in values]
    return tuple(sorted(found, key=lambda one: one[0]))


@dataclass(frozen=True, slots=True)
class ChannelSpec:
    """A quantity the case asked for.

    Parameters
    ----------
    name : unique name, without ``/``.
    unit : unit of the stored numbers, such as ``"m"``; ``"1"`` for a ratio.
    description : one line for the reader of plots and tables.
    rate : name of the channel that is its time derivative, used to interpolate; empty if there is none.
    """

    name: str
    unit: str = "1"
    description: str = ""
    rate: str = ""


@dataclass(frozen=True, slots=True)
class ResultLayout:
    """Names of all that a result file records at each output time, SI units throughout.

    Parameters
    ----------
    q, v, lam : names of coordinates, velocities (and accelerations) and multipliers.
    units : units of the coordinates by ``"q"``, ``"v"``, ``"a"``, ``"lambda"``, one text per name.
    is_vector_space : whether the time derivative of ``q`` is ``v``, entry by entry.
    frames : frames whose motion is recorded.
    joints : joints and drivers whose reactions are recorded.
    elastic : names of the elastic coordinates of each flexible body.
    channels : quantities the case asked for.
    energies : energies recorded, usually :data:`ENERGIES`.
    memory : further numbers the integrator needs to go on after a stop: name and how many.
    events : names of events, of each of which the last :data:`LISTED` since the row before are listed.
    """

    q: tuple[str, ...] = ()
    v: tuple[str, ...] = ()
    lam: tuple[str, ...] = ()
    units: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_vector_space: bool = False
    frames: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    elastic: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    channels: tuple[ChannelSpec, ...] = ()
    energies: tuple[str, ...] = ENERGIES
    memory: Mapping[str, int] = field(default_factory=dict)
    z: tuple[str, ...] = ()
    events: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        channels = tuple(c.name for c in self.channels)
        named = {
            "frame": self.frames,
            "joint": self.joints,
            "flexible body": tuple(self.elastic),
            "channel": channels,
            "energy": self.energies,
            "memory": tuple(self.memory),
            "event": self.events,
        }
        for kind, names in named.items():
            _check_names(kind, names)
        for channel in self.channels:
            if channel.rate and channel.rate not in channels:
                raise ResultError(f"channel {channel.name!r}: its rate {channel.rate!r} is not a channel")
        widths = {
            "q": len(self.q),
            "v": len(self.v),
            "a": len(self.v),
            "lambda": len(self.lam),
            "z": len(self.z),
        }
        for key, texts in self.units.items():
            if len(texts) != widths.get(key, -1):
                raise ResultError(f"{len(texts)} units for {key!r}, which has {widths.get(key, 0)} entries")
        if self.is_vector_space and len(self.q) != len(self.v):
            raise ResultError(
                f"{len(self.q)} coordinates cannot be a vector space with {len(self.v)} velocities"
            )

    def columns(self) -> tuple[Column, ...]:
        """Every growing dataset of the file; quantities without entries have none."""
        return tuple(self._columns())

    def _columns(self) -> Iterator[Column]:
        yield Column("time", attributes={"unit": "s"})
        yield from self._state()
        for name in self.frames:
            yield from _frame(f"frames/{name}")
        for name, entries in self.elastic.items():
            if entries:
                yield Column(f"bodies/{name}/elastic", (len(entries),), attributes={"names": entries})
        for name in self.joints:
            for key, unit in (("force", "N"), ("torque", "N*m")):
                said: dict[str, str | tuple[str, ...]] = {"unit": unit, "names": XYZ, "nan": NAN}
                yield Column(f"joints/{name}/{key}", (3,), attributes=said)
        for channel in self.channels:
            attributes = {"unit": channel.unit, "description": channel.description}
            if channel.rate:
                attributes["rate"] = f"channels/{channel.rate}"
            yield Column(f"channels/{channel.name}", attributes=attributes)
        for name in self.events:
            for key, unit in EVENT_UNITS.items():
                names = tuple(f"{key}_{k + 1}" for k in range(LISTED))
                told: dict[str, str | tuple[str, ...]] = {"unit": unit, "names": names, "nan": NO_EVENT}
                yield Column(f"events/{name}/{key}", (LISTED,), attributes=told)
        for name in self.energies:
            yield Column(f"energy/{name}", attributes={"unit": "J"})
        yield Column("constraints/position", attributes={"description": "norm of the position constraints"})
        yield Column("constraints/velocity", attributes={"description": "norm of the velocity constraints"})
        yield Column("solver/step", attributes={"unit": "s"})
        yield Column("solver/iterations", dtype="i8")

    def _state(self) -> Iterator[Column]:
        names = {"q": self.q, "v": self.v, "a": self.v, "lambda": self.lam, "z": self.z}
        rates = {"q": "state/v" if self.is_vector_space else "", "v": "state/a"}
        for key, entries in names.items():
            if entries:
                attributes: dict[str, str | tuple[str, ...]] = {"names": entries}
                if key in self.units:
                    attributes["units"] = self.units[key]
                if rates.get(key):
                    attributes["rate"] = rates[key]
                yield Column(f"state/{key}", (len(entries),), attributes=attributes)


def _frame(path: str) -> Iterator[Column]:
    """Motion of one frame; vectors in global components, quaternions from frame to global."""
    rate = f"{path}/velocity"
    yield Column(f"{path}/position", (3,), attributes={"unit": "m", "names": XYZ, "rate": rate})
    rate = f"{path}/angular_velocity"
    yield Column(f"{path}/quaternion", (4,), attributes={"unit": "1", "names": WXYZ, "rate": rate})
    yield Column(f"{path}/velocity", (3,), attributes={"unit": "m/s", "names": XYZ})
    yield Column(f"{path}/angular_velocity", (3,), attributes={"unit": "rad/s", "names": XYZ})


def _check_names(kind: str, names: tuple[str, ...]) -> None:
    """Names become places in a file: not empty, no slash, no dots alone, each once."""
    for name in names:
        if name in ("", ".", "..") or "/" in name:
            raise ResultError(f"{kind} {name!r} cannot be stored: a name is not empty and has no '/'")
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise ResultError(f"{kind} {twice!r} is named twice")
