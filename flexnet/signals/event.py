"""Events: a zero of a signal and what happens there, as data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, ulp
from typing import Literal, TypeAlias

from flexnet.errors import ModelError
from flexnet.signals.block import StateOf
from flexnet.signals.measure import Measure
from flexnet.signals.signal import Signal, SignalLike, alike, as_signal

Direction: TypeAlias = Literal["rising", "falling", "either"]
#: sign of the rate with which a signal passes zero
DIRECTIONS: dict[str, float] = {"rising": 1.0, "falling": -1.0, "either": 0.0}

#: part of its period from a beat of a clock within which that beats
_MEETING = 1e-9


@dataclass(frozen=True, slots=True)
class Stop:
    """The run ends."""


@dataclass(frozen=True, slots=True)
class Record:
    """The event is listed, nothing else."""


@dataclass(frozen=True, slots=True)
class Impact:
    """A blow along the signal, which is thrown back with ``restitution`` times its rate."""

    restitution: float


@dataclass(frozen=True, slots=True)
class Lock:
    """The coordinate of a joint is held, or goes on at ``rate``; a blow takes what speed it had besides."""

    joint: str
    rate: float
    impact: bool
    coordinate: str = "angle"


@dataclass(frozen=True, slots=True)
class Release:
    """The coordinate of a joint that was locked, or that a motion driver moves, is let go."""

    joint: str


@dataclass(frozen=True, slots=True)
class Attach:
    """An attachment holds its bodies as they are; a blow takes what speed it does not allow."""

    attachment: str


@dataclass(frozen=True, slots=True)
class Detach:
    """An attachment holds no longer."""

    attachment: str


@dataclass(frozen=True, slots=True, eq=False)
class Reset:
    """A state of a block, such as a mode, takes another value."""

    state: StateOf
    value: Signal


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """States take the values that signals have just before, all at once; it is not listed among events.

    Attributes
    ----------
    period : s, of the clock whose zero it is.
    """

    period: float
    states: tuple[StateOf, ...]
    values: tuple[Signal, ...]

    def is_due(self, t: float, number: float) -> bool:
        """Whether t is the time of the sample of a number, but for round-off and what a zero may be off."""
        return abs(t - number * self.period) <= _MEETING * self.period + 8.0 * ulp(t)


@dataclass(frozen=True, slots=True, eq=False)
class Stick:
    """A joint that rubs has come to rest: it sticks if friction can hold it, and goes on or back else.

    Attributes
    ----------
    sense : mode that holds the sign of the rate while it slides, 0 while it sticks.
    level : largest load with which it sticks.
    """

    joint: str
    coordinate: str
    sense: StateOf
    level: Signal


@dataclass(frozen=True, slots=True, eq=False)
class Slip:
    """A joint that sticks is let go: its load, ``effort``, has reached what friction can hold."""

    joint: str
    coordinate: str
    sense: StateOf
    level: Signal
    effort: Signal


Action: TypeAlias = Stop | Record | Impact | Lock | Release | Attach | Detach | Reset | Sample | Stick | Slip


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """A zero of a signal with what happens there.

    Attributes
    ----------
    direction : ``"rising"``, ``"falling"`` or ``"either"``.
    """

    name: str
    signal: Signal
    action: Action
    direction: Direction = "either"

    def __post_init__(self) -> None:
        if not isinstance(self.action, Action):
            raise ModelError(
                f"event {self.name!r} does {self.action!r}; expected stop(), record(), impact(), lock(),"
                " release(), attach(), detach() or reset()"
            )
        if self.direction not in DIRECTIONS:
            raise ModelError(
                f"event {self.name!r} has the direction {self.direction!r}; expected one of"
                f" {', '.join(DIRECTIONS)}"
            )


def lockable(events: Sequence[Event]) -> dict[str, Measure]:
    """Coordinates of the joints that events lock, by joint."""
    locks = [event.action for event in events if isinstance(event.action, Lock | Stick)]
    return {a.joint: Measure("coordinate", a.joint, coordinate=a.coordinate) for a in locks}


def watched(events: Sequence[Event]) -> list[Signal]:
    """What is evaluated for events: their signals, coordinates to lock, values to set, loads that stick."""
    return [
        *(event.signal for event in events),
        *lockable(events).values(),
        *(event.action.value for event in events if isinstance(event.action, Reset)),
        *(event.action.effort for event in events if isinstance(event.action, Slip)),
        *(value for event in events if isinstance(event.action, Sample) for value in event.action.values),
    ]


def listed_events(events: Sequence[Event]) -> list[str]:
    """Names of the events that results list."""
    return [event.name for event in events if not isinstance(event.action, Sample)]


def clocks(events: Sequence[Event]) -> list[StateOf]:
    """States that count the samples of every clock."""
    return [event.action.states[0] for event in events if isinstance(event.action, Sample)]


def first_samples(events: Sequence[Event], t: float, given: Mapping[StateOf, float]) -> dict[StateOf, float]:
    """Numbers of the samples that are taken first after a start at t, by the state that counts them.

    Parameters
    ----------
    given : numbers that a run before had reached: one that is due at t is taken at once. Those of other
        periods are none.
    """
    out = {}
    for sample in [event.action for event in events if isinstance(event.action, Sample)]:
        counter, p = sample.states[0], sample.period
        following = floor(t / p * (1 + 1e-12) + 1e-9) + 1.0
        reached = given.get(counter, following)
        out[counter] = reached if reached == following - 1.0 and sample.is_due(t, reached) else following
    return out


def place_of(events: Sequence[Event], signal: Signal) -> int:
    """Place of a value to set, or of a load that sticks, among what is evaluated."""
    return next(i for i, other in enumerate(watched(events)) if other is signal)


def stop() -> Stop:
    """End the run at an event."""
    return Stop()


def record() -> Record:
    """List an event, with its time, and go on."""
    return Record()


def impact(restitution: float = 0.0) -> Impact:
    """Throw the signal of an event back: rigid impact by the balance of momentum.

    Parameters
    ----------
    restitution : part of its rate that the signal has afterwards, backwards: 0 to 1.
    """
    if not 0.0 <= restitution <= 1.0:
        raise ModelError(f"an impact has the restitution {restitution}; it is between 0 and 1")
    return Impact(float(restitution))


def lock(joint: str, rate: float = 0.0, impact: bool = False, coordinate: str = "angle") -> Lock:
    """Hold the one coordinate of a joint from an event on, until it is released.

    Parameters
    ----------
    rate : at which it goes on, rad/s or m/s, such as that of a belt; 0 is a latch.
    impact : whether a joint that moves at another rate may be stopped by a blow.
    coordinate : of the joint: ``"angle"`` or ``"displacement"``.
    """
    return Lock(joint, float(rate), bool(impact), coordinate)


def release(joint: str) -> Release:
    """Let go of a joint that an event locked, or of what a motion driver moves.

    Parameters
    ----------
    joint : its name, or that of the driver.
    """
    return Release(joint)


def attach(attachment: str) -> Attach:
    """Let an attachment hold from an event on: its two bodies as they are, its frames where the tail's is.

    Speeds that it does not allow are taken by a blow: momentum is kept, the impulse is listed.

    Parameters
    ----------
    attachment : made by ``System.attachment``.
    """
    return Attach(attachment)


def detach(attachment: str) -> Detach:
    """Let an attachment go: its bodies move on with the speeds they have."""
    return Detach(attachment)


def reset(state: Signal, value: SignalLike) -> Reset:
    """Set a state at an event: a mode that switches a law, an integral that begins anew.

    Parameters
    ----------
    state : made by ``mode``, ``integral``, ``lag`` and other blocks that are their state.
    value : what it becomes, SI: a number, or a signal taken just before.
    """
    if not isinstance(state, StateOf):
        raise ModelError(f"reset of {state!r}, which is no state of a block; expected a mode or an integral")
    given = as_signal(value)
    alike((state, given), "reset")
    return Reset(state, given)
