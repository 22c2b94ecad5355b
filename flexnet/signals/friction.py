"""Friction of a joint, of a given level or from the load of the joint itself."""

from math import isfinite

from flexnet.components.joint_friction import SlideFriction, TurnFriction
from flexnet.components.registry import Mechanism, builder
from flexnet.components.time_function import as_time_function
from flexnet.errors import ModelError
from flexnet.signals.measure import Measure
from flexnet.signals.signal import Number, SignalLike, as_signal


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
) -> SlideFriction | TurnFriction:
    """Let the one coordinate of a joint rub: Coulomb and Stribeck, creeping where it would stick.

    The level of sliding is ``force`` plus ``coefficient`` times the force of the joint itself, |F| across a
    slide and r |F| in a pin, whatever the trees.

    Parameters
    ----------
    force : of sliding, N, or torque, N m: a number, a function of time or a signal, such as of a brake.
    slip : rate about which sticking creeps, m/s or rad/s.
    static : force of sticking over that of sliding, at least 1.
    stribeck : rate at which their difference has gone, m/s or rad/s; ten times ``slip`` if left out.
    damping : viscous part, N s/m or N m s/rad.
    coefficient : μ of the joint's own load.
    radius : r of a pin, m.
    """
    what = f"friction {name!r}"
    carrier = system.joint(joint, what)
    translation, about = carrier.terminal.translation, carrier.terminal.single_axis
    slides = () if translation is None else translation.free
    is_pin = about is not None and not slides
    level = _level(what, joint, force, coefficient, radius, is_pin)
    given = (
        as_time_function(level, f"force of {what}"),
        float(static) - 1.0, float(stribeck or 10.0 * slip), float(slip), float(damping),
    )  # fmt: skip
    if about is not None and is_pin:
        return TurnFriction(name, carrier.tail, carrier.head, *given, about, joint)
    if len(slides) == 1 and about is None:
        return SlideFriction(name, carrier.tail, carrier.head, *given, slides[0].vector, joint)
    raise ModelError(f"{what}: joint {joint!r} has no single coordinate to rub")


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
