"""Signals: what can be measured, computed of it and fed back, as one kind of thing.

A :class:`Signal` is a frozen expression of measures, time, numbers and states of blocks, with a unit that is
carried and checked. Channels record signals; forces, torques and actuators apply them.
"""

from flexnet.signals.actuators import actuator, coordinate_of, servo
from flexnet.signals.block import Block, StateOf, algebraic, states_of
from flexnet.signals.controllers import pid
from flexnet.signals.dynamic import (
    derivative,
    integral,
    lag,
    mode,
    rate_limit,
    state_space,
    transfer_function,
)
from flexnet.signals.evaluation import evaluate, leaves
from flexnet.signals.event import (
    DIRECTIONS,
    Attach,
    Detach,
    Event,
    Impact,
    Lock,
    Record,
    Release,
    Reset,
    Sample,
    Slip,
    Stick,
    Stop,
    attach,
    clocks,
    detach,
    first_samples,
    impact,
    listed_events,
    lock,
    lockable,
    place_of,
    record,
    release,
    reset,
    stop,
    watched,
)
from flexnet.signals.friction import joint_friction
from flexnet.signals.measure import (
    ANGLES,
    BEAM_STRAIN,
    BEAM_STRESS,
    ENERGIES,
    OF_FRAMES,
    SHELL_STRAIN,
    SHELL_STRESS,
    SOLID_STRESS,
    Measure,
    si_unit,
)
from flexnet.signals.sampled import delay_of, sampler
from flexnet.signals.signal import (
    Applied,
    Known,
    Number,
    Signal,
    Time,
    as_signal,
    known,
    quantity,
    time,
    where,
)
from flexnet.signals.static import dead_zone, function, limit, lookup
from flexnet.signals.stress import StressRow, stress_signal

__all__ = [
    "ANGLES", "BEAM_STRAIN", "BEAM_STRESS", "DIRECTIONS", "ENERGIES", "OF_FRAMES", "SHELL_STRAIN",
    "SHELL_STRESS", "SOLID_STRESS", "Applied", "Attach", "Block", "Detach", "Event",
    "Impact", "Known", "Lock", "Measure", "Number", "Record", "Release", "Reset", "Sample", "Signal",
    "Slip", "StateOf", "Stick", "Stop", "Time", "StressRow", "actuator", "stress_signal",
    "algebraic", "as_signal", "attach", "coordinate_of", "dead_zone", "delay_of", "derivative", "detach",
    "evaluate",
    "clocks", "first_samples", "function",
    "impact", "integral", "joint_friction", "known", "lag", "leaves", "limit", "listed_events", "lock",
    "lockable", "lookup", "mode", "pid", "place_of", "quantity", "rate_limit", "record", "release", "reset",
    "sampler", "servo", "si_unit", "state_space", "states_of", "stop", "time", "transfer_function",
    "watched", "where",
]  # fmt: skip
