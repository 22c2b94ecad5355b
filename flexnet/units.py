"""Units as factors to SI with dimensions of length, mass and time.

Angles are pure numbers, and so are electric charge and temperature: a current is measured in 1/s, a voltage
in N m, a product of both in watts. What is computed of them keeps its meaning; only what a unit is called
where it is derived does not tell them.
"""

import math
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from flexnet.errors import ResultError

Dimension = tuple[int, int, int]

#: one degree, in radians: ``30 * fx.deg``
deg = math.pi / 180.0


def unit(text: str) -> float:
    """What one of a unit is in SI, the factor that flexnet's numbers need: ``210 * fx.unit("GPa")``.

    Numbers of a drawing or of a model elsewhere are multiplied where they are handed over, lengths in
    millimetres by ``mm = fx.unit("mm")``, inertias by ``fx.unit("t*mm^2")``. Every number that flexnet takes
    or gives is in SI; there is no setting that changes it. Quantities of pint are taken as what they are in
    SI, in lists and dictionaries, too; a System keeps the units it was handed among its parameters.

    Parameters
    ----------
    text : product of units such as ``"mm"``, ``"N/mm"``, ``"kg*mm^2"``, ``"deg/s"`` or ``"rpm"``. Angles are
        in radians: one ``"Hz"`` is 2π rad/s.

    Raises
    ------
    ResultError
        If the text is not a product of known units.
    """
    return parse_unit(text).factor


#: pint's dimensions in SI
_PINT = {
    "[length]": "m", "[mass]": "kg", "[time]": "s", "[current]": "A", "[temperature]": "K",
    "[substance]": "mol", "[luminosity]": "cd",
}  # fmt: skip


def in_si(value: Any, seen: set[str]) -> Any:
    """What is handed over, quantities of pint in it as numbers in SI; their units join those seen.

    Called where pint is imported. Whether a unit suits its argument is not known here: 5 mm of mass are 5 g.
    """
    if isinstance(value, sys.modules["pint"].Quantity):
        seen.add(f"{value.units:~}" or "1")
        of = value.dimensionality
        return value.to("*".join(f"{_PINT[key]}**({power})" for key, power in of.items()) or "radian").m
    if type(value) in (list, tuple):
        return type(value)(in_si(one, seen) for one in value)
    return {key: in_si(one, seen) for key, one in value.items()} if type(value) is dict else value


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit.

    Parameters
    ----------
    factor : what one of it is in SI units.
    dimension : powers of length, mass and time.
    """

    factor: float
    dimension: Dimension


NUMBER, LENGTH, MASS, TIME = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)
SPEED_OF_TURNING, FORCE, ENERGY = (0, 0, -1), (1, 1, -2), (2, 1, -2)
POWER, PRESSURE = (2, 1, -3), (-1, 1, -2)
CURRENT, VOLTAGE = SPEED_OF_TURNING, ENERGY
INCH, FOOT, POUND, GRAVITY = 0.0254, 0.3048, 0.45359237, 9.80665

# names and abbreviations, SI and those Adams writes: (factor to SI, dimension, names)
TABLE: tuple[tuple[float, Dimension, str], ...] = (
    (1.0, NUMBER, "1 rad radian radians no_units none unitless dimensionless"),
    (0.01, NUMBER, "% percent"),
    (math.pi / 180.0, NUMBER, "deg degree degrees °"),
    (2.0 * math.pi, NUMBER, "rev revolution revolutions cycle cycles"),
    (1.0, LENGTH, "m meter meters metre metres"),
    (1e-2, LENGTH, "cm centimeter centimetre"),
    (1e-3, LENGTH, "mm millimeter millimetre"),
    (1e-6, LENGTH, "um µm μm micrometer micrometre micron"),
    (1e3, LENGTH, "km kilometer kilometre"),
    (INCH, LENGTH, "in inch inches"),
    (FOOT, LENGTH, "ft foot feet"),
    (1609.344, LENGTH, "mile"),
    (1.0, MASS, "kg kilogram"),
    (1e-3, MASS, "g gram"),
    (1e3, MASS, "t tonne megagram"),
    (POUND, MASS, "lb lbm pound_mass"),
    (POUND / 16.0, MASS, "ounce_mass"),
    (POUND * GRAVITY / FOOT, MASS, "slug"),
    (POUND * GRAVITY / INCH, MASS, "slinch"),
    (1.0, TIME, "s sec second seconds"),
    (1e-3, TIME, "ms millisecond"),
    (1e-6, TIME, "us µs μs microsecond"),
    (60.0, TIME, "min minute"),
    (3600.0, TIME, "h hour"),
    (2.0 * math.pi, SPEED_OF_TURNING, "Hz hertz"),
    (2e3 * math.pi, SPEED_OF_TURNING, "kHz"),
    (2.0 * math.pi / 60.0, SPEED_OF_TURNING, "rpm"),
    (1.0, FORCE, "N newton newtons"),
    (1e-3, FORCE, "mN millinewton"),
    (1e3, FORCE, "kN kilonewton knewton"),
    (1e6, FORCE, "MN meganewton"),
    (GRAVITY, FORCE, "kgf kg_force kilogram_force"),
    (1e-5, FORCE, "dyne"),
    (POUND * GRAVITY, FORCE, "lbf pound_force"),
    (POUND * GRAVITY / 16.0, FORCE, "ounce_force"),
    (1e3 * POUND * GRAVITY, FORCE, "kpound_force"),
    (1.0, ENERGY, "J joule Nm"),
    (1e-3, ENERGY, "mJ Nmm"),
    (1e3, ENERGY, "kJ kilojoule kNm"),
    (1.0, POWER, "W watt"),
    (1e3, POWER, "kW kilowatt"),
    (1.0, PRESSURE, "Pa pascal"),
    (1e3, PRESSURE, "kPa kilopascal"),
    (1e6, PRESSURE, "MPa megapascal"),
    (1e9, PRESSURE, "GPa gigapascal"),
    (1e5, PRESSURE, "bar"),
    (POUND * GRAVITY / INCH**2, PRESSURE, "psi"),
    (1.0, CURRENT, "A ampere"),
    (1e-3, CURRENT, "mA milliampere"),
    (1.0, VOLTAGE, "V volt"),
    (1e-3, VOLTAGE, "mV millivolt"),
    (1e3, VOLTAGE, "kV kilovolt"),
    (1.0, (2, 1, -1), "ohm Ω"),
    (1.0, (-2, -1, 2), "F farad"),
    (1.0, (2, 1, 0), "H henry"),
    (1.0, NUMBER, "coulomb K kelvin"),
)
UNITS = {name: Unit(factor, dimension) for factor, dimension, names in TABLE for name in names.split()}

LONGEST = 100  # characters of a unit
POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
TOKEN = re.compile(
    r"\s*(?:(?P<times>\*(?!\*)|·|\.)|(?P<over>/)|(?P<open>\()|(?P<close>\))|(?P<one>1)"
    r"|(?P<name>[^\W\d]\w*?|%|°)(?:(?:\^|\*\*)?(?P<power>-?\d))?(?=$|[\s*·./()-])-?)"
)


@lru_cache(maxsize=1024)
def parse_unit(text: str) -> Unit:
    """Read a unit such as ``"inch/sec**2"``, ``"newton-mm"``, ``"kg*m^2"`` or ``"1"``.

    Raises
    ------
    ResultError
        If the text is not a product of known units.
    """
    if len(text) > LONGEST:
        raise ResultError(f"unknown unit {text[:LONGEST]!r}…")
    plain = re.sub(r"([⁻⁰¹²³⁴-⁹]+)", r"^\1", text.strip()).translate(POWERS)
    tokens = list(_tokens(plain, text))
    unit, rest = _product(tokens, text)
    if rest:
        raise ResultError(f"unit {text!r} has a parenthesis too many")
    return unit


def conversion(source: str, target: str) -> float:
    """Return the factor that turns numbers in ``source`` into numbers in ``target``.

    Raises
    ------
    ResultError
        If one is unknown, or they do not measure the same thing.
    """
    one, other = parse_unit(source), parse_unit(target)
    if one.dimension != other.dimension:
        raise ResultError(f"unit {source!r} cannot be converted to {target!r}")
    return 1.0 if one == other else one.factor / other.factor


#: how a dimension is called where one unit has a name
_NAMES = {
    NUMBER: "1", LENGTH: "m", MASS: "kg", TIME: "s", FORCE: "N", ENERGY: "N*m", POWER: "W", PRESSURE: "Pa",
    (1, 0, -1): "m/s", (1, 0, -2): "m/s^2", (0, 1, -2): "N/m", (0, 1, -1): "N*s/m", (2, 1, -1): "N*m*s",
}  # fmt: skip


def unit_name(dimension: Dimension) -> str:
    """SI unit of a dimension, as :func:`parse_unit` reads it."""
    if dimension in _NAMES:
        return _NAMES[dimension]
    powers = [(name, n) for name, n in zip(("m", "kg", "s"), dimension, strict=True) if n]
    above = "*".join(name + (f"^{n}" if n > 1 else "") for name, n in powers if n > 0)
    below = "".join(f"/{name}" + (f"^{-n}" if n < -1 else "") for name, n in powers if n < 0)
    return (above or "1") + below


def _tokens(plain: str, text: str) -> Iterator[tuple[str, str, int]]:
    """Yield kind, name and power of each token."""
    at = 0
    while at < len(plain):
        found = TOKEN.match(plain, at)
        if not found:
            raise ResultError(f"unknown unit {text!r}")
        kind = str(found.lastgroup) if found["name"] is None else "name"
        yield kind, found["name"] or "1", int(found["power"] or 1)
        at = found.end()


def _product(tokens: list[tuple[str, str, int]], text: str) -> tuple[Unit, list[tuple[str, str, int]]]:
    """Multiply factors up to the end or a closing parenthesis; return the unit and what is left."""
    factor, powers, operator = 1.0, [0, 0, 0], ""
    is_open = True  # a factor must follow
    while tokens and tokens[0][0] != "close":
        kind, name, power = tokens.pop(0)
        if kind in ("times", "over"):
            if is_open:
                raise ResultError(f"unknown unit {text!r}")
            operator, is_open = kind, True
            continue
        if kind == "open":
            unit, tokens = _product(tokens, text)
            if not tokens:
                raise ResultError(f"unit {text!r} lacks a closing parenthesis")
            tokens.pop(0)
        else:
            unit = _named(name, text)
        power = -power if operator == "over" else power
        factor *= unit.factor**power
        powers = [d + power * e for d, e in zip(powers, unit.dimension, strict=True)]
        operator, is_open = "", False
    if is_open or not 0.0 < factor < math.inf:
        raise ResultError(f"unknown unit {text!r}")
    return Unit(factor, (powers[0], powers[1], powers[2])), tokens


def _named(name: str, text: str) -> Unit:
    """Look a unit up as it is written; words, but not abbreviations, also in capitals."""
    unit = UNITS.get(name) or (UNITS.get(name.lower()) if len(name) > 2 else None)
    if unit is None:
        raise ResultError(f"unknown unit {name!r}" + (f" in {text!r}" if name != text else ""))
    return unit
