"""Events as a System adds them, and signals that are held or late by events."""

from typing import TYPE_CHECKING

from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.signals import (
    Attach,
    Detach,
    Event,
    Lock,
    Release,
    Signal,
    delay_of,
    sampler,
)
from flexnet.signals.event import Action, Direction
from flexnet.signals.signal import SignalLike
from flexnet.system.holding import check_attachment, check_lock
from flexnet.system.slots import check_measures
from flexnet.validation import plain_name

if TYPE_CHECKING:
    from flexnet.system.system import System


def event(
    self: "System", name: str, signal: Signal, action: Action, direction: Direction = "either"
) -> Event:
    """Let something happen where a signal passes zero.

    Parameters
    ----------
    signal : made by ``position``, ``joint_coordinate``, ``time``, …, or computed of such.
    action : ``stop()``, ``record()``, ``impact(restitution)``, ``lock(joint)``, ``release(joint)``,
        ``attach(attachment)``, ``detach(attachment)`` or ``reset(state, value)``.
    direction : in which it passes zero: ``"rising"``, ``"falling"`` or ``"either"``.
    """
    plain_name(name, "the name of an event")
    if not isinstance(signal, Signal):
        raise ModelError(f"event {name!r} watches {signal!r}; expected a signal")
    if any(e.name == name for e in self.events):
        raise ModelError(f"event {name!r} is defined twice")
    check_measures(f"event {name!r}", [signal], self.frames, self.components)
    made = Event(name, signal, action, direction)
    is_driver = isinstance(action, Release) and _is_driver(self, action.joint)
    if isinstance(action, Lock | Release) and not is_driver:
        check_lock(f"event {name!r}", self.joint(action.joint, f"event {name!r}"), action)
    if isinstance(action, Attach | Detach):
        check_attachment(f"event {name!r}", self.components, action)
    self.events.append(made)
    return made


def _is_driver(self: "System", name: str) -> bool:
    return name in self.components and self.components[name].kind is Kind.DRIVER


def sampled(self: "System", name: str, signal: SignalLike, period: float, start: float = 0.0) -> Signal:
    """A signal as it was at the last multiple of a period: sampled and held.

    Parameters
    ----------
    signal : that is sampled, first at t = ``period``.
    period : of sampling, s.
    start : value until then, SI.
    """
    states, clock, action = sampler(name, signal, period, 1, start)
    self.event(name, clock, action, "rising")
    return states[1]


def delayed(
    self: "System", name: str, signal: SignalLike, delay: float, samples: int = 20, start: float = 0.0
) -> Signal:
    """A signal as it was some time ago, linear between the samples of it that are kept.

    Parameters
    ----------
    delay : s; not shorter than a fixed step.
    samples : kept over the delay; steps end at each of them.
    start : value before the run, SI.
    """
    if samples < 1:
        raise ModelError(f"signal {name!r} is delayed by {samples} samples; expected one or more")
    period = delay / samples
    states, clock, action = sampler(name, signal, period, samples + 1, start)
    self.event(name, clock, action, "rising")
    self.delays[name] = float(delay)
    return delay_of(states, period)
