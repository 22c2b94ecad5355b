"""Friction of a joint, of a given level or from the load of the joint itself."""

from math import isfinite

from flexnet.components.joint import one_coordinate
from flexnet.components.joint_friction import SlideFriction, TurnFriction
from flexnet.components.registry import Mechanism, builder
from flexnet.components.time_function import as_time_function
from flexnet.errors import ModelError
from flexnet.signals.block import StateOf
from flexnet.signals.dynamic import mode
from flexnet.signals.event import Slip, Stick
from flexnet.signals.measure import Measure
from flexnet.signals.signal import Number, Signal, SignalLike, as_signal


@builder
def joint_friction(
    system: Mechanism,
    name: str,
    joint: str,
    force: SignalLike = 0.0,
    slip: float = 0.0,
    static: float = 1.0,
    stribeck: float | None = None,
    damping: float = 0.0,
    coefficient: float = 0.0,
    radius: float = 0.0,
    sticks: bool = False,
) -> SlideFriction | TurnFriction:
    """Let the one coordinate of a joint rub: Coulomb and Stribeck, sticking by events or as good as.

    The level of sliding is ``force`` plus ``coefficient`` times the force of the joint itself, |F| across a
    slide and r |F| in a pin, whatever the trees. With ``sticks`` a joint that comes to rest is locked, and
    let go where its lock carries ``static`` times that level; without, it creeps at about ``slip``.

    Parameters
    ----------
    force : of sliding, N, or torque, N m: a number, a function of time or a signal, such as of a brake.
    slip : rate about which sticking creeps, m/s or rad/s; none where it sticks.
    static : force of sticking over that of sliding, at least 1.
    stribeck : rate at which their difference has gone, m/s or rad/s; ten times ``slip`` if left out, and at
        once where it sticks.
    damping : viscous part, N s/m or N m s/rad.
    coefficient : μ of the joint's own load.
    radius : r of a pin, m.
    sticks : whether it sticks by events, named ``<name>_sticks`` and ``<name>_slips``.
    """
    what = f"friction {name!r}"
    carrier, axis, is_pin = one_coordinate(system, joint, what, "rub")
    if (slip > 0.0) == sticks:
        raise ModelError(f"{what} has the slip {slip:g}; it sticks, or creeps at a positive rate")
    level = _level(what, joint, force, coefficient, radius, is_pin)
    excess = float(static) - 1.0
    if sticks and excess >= 0.0:
        level = _sticking(system, name, joint, level, float(static), is_pin)
        excess = excess if stribeck else 0.0
    given = (
        as_time_function(level, f"force of {what}"),
        excess, float(stribeck or 10.0 * slip or 1.0), float(slip), float(damping),
    )  # fmt: skip
    return (TurnFriction if is_pin else SlideFriction)(name, carrier.tail, carrier.head, *given, axis, joint)


def _sticking(
    system: Mechanism, name: str, joint: str, level: SignalLike, static: float, is_pin: bool
) -> Signal:
    """The level with the sign of the rate, and the events at which the joint sticks and slips."""
    coordinate = "angle" if is_pin else "displacement"
    unit = Number(1.0, (2, 1, -2) if is_pin else (1, 1, -2))
    own = as_signal(level)
    own = own * unit if own.dimension is None else own
    sense = mode(name=f"{name}_sense")
    assert isinstance(sense, StateOf)
    rate, limit = Measure("rate", joint, coordinate=coordinate), static * own
    system.event(f"{name}_sticks", rate, Stick(joint, coordinate, sense, limit))
    slips = Slip(joint, coordinate, sense, limit, 0.0 * unit)
    system.event(f"{name}_slips", limit, slips, "falling")
    return sense * own


def _level(
    what: str, joint: str, force: SignalLike, coefficient: float, radius: float, is_pin: bool
) -> SignalLike:
    """Force or torque of sliding."""
    if not (coefficient >= 0.0 and isfinite(coefficient)):
        raise ModelError(f"{what} has the coefficient {coefficient}; expected one that is not negative")
    if coefficient == 0.0:
        return force
    if is_pin and not (radius > 0.0 and isfinite(radius)):
        raise ModelError(f"{what} has a coefficient and the radius {radius} m; a pin has a positive one")
    arm = Number(radius, (1, 0, 0)) if is_pin else Number(1.0)
    own = coefficient * arm * Measure("force", joint)
    return own if isinstance(force, float | int) and force == 0.0 else as_signal(force) + own
