"""Actuated joints in one line: an effort by signal, a servo."""

from flexnet.components import Translation
from flexnet.components.component import Component
from flexnet.components.registry import BUILDERS, Mechanism, builder
from flexnet.components.spring_damper import known_as
from flexnet.errors import ModelError
from flexnet.signals.controllers import pid
from flexnet.signals.measure import Measure
from flexnet.signals.signal import SignalLike, as_signal
from flexnet.typing import Array


@builder
def actuator(system: Mechanism, name: str, joint: str, effort: SignalLike) -> Component:
    """Let a torque [N m] or force [N] act along the one freedom of a joint, on its head and back on its tail.

    Parameters
    ----------
    joint : a joint with one angle, or one displacement.
    effort : signal, function of time or number; positive along the coordinate of the joint.
    """
    what = f"actuator {name!r}"
    if coordinate_of(system, joint, what) == "angle":
        return known_as("actuator", BUILDERS["torsional_spring"](system, name, joint=joint, torque=effort))
    part = system.joint(joint, what)
    made = BUILDERS["spring"](name, part.tail, part.head, force=effort, axis=_sliding(part))
    return known_as("actuator", made)


@builder
def servo(
    system: Mechanism,
    name: str,
    joint: str,
    wanted: SignalLike,
    kp: float,
    ki: float = 0.0,
    kd: float = 0.0,
    wanted_rate: SignalLike = 0.0,
    limit: float | None = None,
) -> Component:
    """Hold the one coordinate of a joint at a wanted value by a PID controller and an actuator.

    Parameters
    ----------
    wanted, wanted_rate : of the coordinate [rad or m] and of its rate.
    kp, ki, kd : N m or N, over rad or m, over that and s, times s over that; kd acts on the measured rate.
    limit : largest effort, N m or N; none if left out.
    """
    coordinate = coordinate_of(system, joint, f"servo {name!r}")
    place, rate = (Measure(kind, joint, coordinate=coordinate) for kind in ("coordinate", "rate"))
    effort = pid(
        as_signal(wanted) - place, kp, ki, kd, rate=as_signal(wanted_rate) - rate, name=name,
        low=None if limit is None else -limit, high=limit, unit="N*m" if coordinate == "angle" else "N",
    )  # fmt: skip
    return known_as("servo", actuator(system, name, joint, effort))


def coordinate_of(system: Mechanism, joint: str, what: str) -> str:
    """``"angle"`` or ``"displacement"``: the one coordinate of a joint; ``what`` asks for it.

    Raises
    ------
    ModelError
        If the joint has several, or none.
    """
    part = system.joint(joint, what)
    if part.terminal.single_axis is not None:
        return "angle"
    if _sliding(part) is None:
        raise ModelError(f"{what}: joint {joint!r} has no single angle or displacement")
    return "displacement"


def _sliding(part: Component) -> Array | None:
    """Direction of the one displacement of a joint."""
    t: Translation | None = part.terminal.translation
    r = part.terminal.rotation
    if t is None or len(t.free) != 1 or (r is not None and r.kind != "fixed"):
        return None
    return t.free[0].vector
