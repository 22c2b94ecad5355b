"""What may not be meant: millimetres for metres, degrees for radians, GPa for Pa, gravity that points up.

flexnet takes SI units. Nothing here is an error, and nothing is changed: a sentence asks.
"""

from collections.abc import Iterable, Mapping

import numpy as np

from flexnet.components import Component, FlexibleBody, RigidBody, RotationDriver, TranslationalSpring
from flexnet.graph import Kind
from flexnet.system.body import Body
from flexnet.system.start import Start
from flexnet.typing import Array

_STRONG = 500.0  # m/s²; fifty times the earth's, and 9810 mm/s² is beyond
_LARGE = 100.0  # m; few bodies are that long, and many are so many millimetres
_TURN = 2 * np.pi
#: how far the radius of gyration of a body may be from the distance of its frames
_RATIO = 30.0
_SOFT = 5e5  # Pa; rubber is stiffer, and moduli in GPa or MPa are smaller numbers
_FULL = 2.0  # how many times its box a body may fill: offsets and short thick beams are allowed for
_FAST = 2.5e4  # m/s; sound in diamond is slower, and in steel of 7.8 g/cm³ it would be six times as fast


def doubts(
    gravity: Array,
    starts: Iterable[Start],
    bodies: Mapping[str, Body],
    components: Iterable[Component],
    is_moved: bool = True,
) -> tuple[str, ...]:
    """A question for each thing that is rarely meant.

    Parameters
    ----------
    gravity : (3,) m/s².
    starts : wanted initial values.
    bodies : by name, with their frames.
    components : the edges that are the bodies among them.
    is_moved : whether a network, an event or a speed at the start may move it.
    """
    components = tuple(components)
    solid = [part for part in components if isinstance(part, RigidBody)]
    acting = [part for part in components if part.kind in (Kind.FORCE, Kind.DRIVER)]
    if bodies and not (is_moved or gravity.any() or acting):
        return ("nothing moves it: there is no gravity, no force and no driver; s.gravity([0, -9.81])?",)
    asked = [*_of_gravity(gravity), *_of_angles(starts)]
    odd = {part.head.body: text for part in solid if (text := _of_size(part, bodies[part.head.body]))}
    asked += odd.values()
    for part in components:
        asked += _of_driver(part) + _of_spring(part) + _of_materials(part)
    asked += [
        f"body {name!r} reaches {_reach(body):.4g} m from its own frame: is that mm? flexnet takes metres"
        for name, body in bodies.items()
        if name not in odd and _reach(body) > _LARGE
    ]
    return tuple(asked)


def _reach(body: Body) -> float:
    """Distance of the farthest frame from the body's own, m."""
    return max((float(np.linalg.norm(frame.position)) for frame in body.frames.values()), default=0.0)


def _of_gravity(g: Array) -> list[str]:
    size, k = float(np.linalg.norm(g)), int(np.argmax(np.abs(g)))
    if size > _STRONG:
        return [f"gravity is {size:g} m/s²: is that mm/s²? flexnet takes metres"]
    if k > 0 and g[k] > 0:
        return [f"gravity points along +{'xyz'[k]}: if {'xyz'[k]} is up, write {-g[k]:g}"]
    return []


def _of_angles(starts: Iterable[Start]) -> list[str]:
    return [
        f"start of joint {start.joint!r}: {start.coordinate} is {start.value:g} rad,"
        f" {start.value / _TURN:.1f} turns; of degrees write {start.value:g}*fx.deg"
        for start in starts
        if "angle" in start.coordinate and start.value is not None and abs(start.value) > _TURN
    ]


def _of_driver(part: Component) -> list[str]:
    """Ask about a rotation by several turns that ends at a whole number of radians."""
    if not isinstance(part, RotationDriver) or part.angle.kind not in ("cycloidal", "smooth_step"):
        return []
    start, end = part.angle.parameters[:2]
    if abs(end - start) <= _TURN or not (start.is_integer() and end.is_integer()):
        return []
    return [
        f"motion {part.name!r} goes from {start:g} to {end:g} rad, {(end - start) / _TURN:.1f} turns;"
        f" of degrees write {end:g}*fx.deg"
    ]


def _of_spring(part: Component) -> list[str]:
    """Ask about a spring that does nothing, or pushes the way it is moved."""
    if not isinstance(part, TranslationalSpring) or part.formula is not None:
        return []
    if not (part.stiffness or part.damping) and part.actuator.is_zero:
        return [f"spring {part.name!r} does nothing: give stiffness=, damping=, force= or law="]
    return [
        f"spring {part.name!r} has a {what} of {value:g}: it pushes away from its rest; is the sign meant?"
        for what, value in (("stiffness", part.stiffness), ("damping", part.damping))
        if value < 0
    ]


def _of_materials(part: Component) -> list[str]:
    """Ask about a modulus or a density that no solid has, and a body larger than the box round its mesh."""
    if not isinstance(part, FlexibleBody) or part.body is None:
        return []
    made_of = dict.fromkeys(pair for region in part.body.regions for pair in region.materials)
    whose = f"body {part.name!r} has"
    said = [f"{whose} E = {E:g} Pa: is that GPa or MPa? flexnet takes N/m²" for E, _ in made_of if E < _SOFT]
    said += [
        f"{whose} rho = {rho:g} kg/m³ and E = {E:g} Pa, sound of {(E / rho) ** 0.5:.3g} m/s: is that g/cm³?"
        for E, rho in made_of
        if E > _FAST**2 * rho > 0
    ]
    box = float(np.ptp(part.body.mesh.nodes, axis=0).max(initial=0.0)) ** 3
    mass = part.mass - sum(point.mass for point in part.body.masses)
    dense = max((rho for _, rho in made_of), default=0.0)
    if dense and mass > _FULL * dense * box:
        said.append(
            f"{whose} a mass of {mass:.3g} kg, more than a cube round it: are sections and thicknesses in m?"
        )
    return list(dict.fromkeys(said))


def _of_size(part: RigidBody, body: Body) -> str:
    """Compare where the mass is, by the moments of inertia, with where the joints are."""
    reach = _reach(body)
    radius = float(np.sqrt(np.linalg.eigvalsh(part.inertia)[-1] / part.mass)) if part.mass > 0 else 0.0
    if not (reach and radius) or 1 / _RATIO < radius / reach < _RATIO:
        return ""
    return (
        f"body {part.head.body!r} has frames {reach:.3g} m from its centre of mass and a radius of gyration"
        f" of {radius:.3g} m: are lengths in m and moments of inertia in kg m²?"
    )
