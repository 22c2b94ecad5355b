"""Units: exact factors, one grammar for SI and for what Adams writes."""

import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flexnet.errors import ResultError
from flexnet.units import TABLE, conversion, parse_unit


@pytest.mark.parametrize(
    ("source", "target", "factor"),
    [
        ("inch", "mm", 25.4),
        ("inch/sec**2", "m/s^2", 0.0254),
        ("rad/sec", "deg/s", 180.0 / math.pi),
        ("rpm", "rad/s", math.pi / 30.0),
        ("Hz", "rev/s", 1.0),
        ("newton-mm", "N*m", 1e-3),
        ("newton-sec/mm", "N s/m", 1e3),
        ("pound_force", "newton", 4.4482216152605),
        ("kg-mm**2", "kg*m²", 1e-6),
        ("N/mm^2", "MPa", 1.0),
        ("m s-1", "m/s", 1.0),
        ("m·s⁻²", "m/s2", 1.0),
        ("N/(m s)", "N/m/s", 1.0),
        ("NEWTON", "N", 1.0),
        ("no_units", "1", 1.0),
        ("1/s", "rad/s", 1.0),
        ("Nm", "joule", 1.0),
        ("kg*m^2/s^2", "J", 1.0),
    ],
)
def test_units_convert(source, target, factor):
    assert conversion(source, target) == pytest.approx(factor, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["", "parsec", "m//", "m^", "(m", "m)", "*m", "m^x", "mm2m", "n", "MM", "m" * 200]
)
def test_what_is_not_a_unit_is_refused(text):
    with pytest.raises(ResultError, match="unit"):
        parse_unit(text)


def test_unlike_units_do_not_convert():
    with pytest.raises(ResultError, match="'mm' cannot be converted to 'rad'"):
        conversion("mm", "rad")


@pytest.mark.parametrize("name", [name for _, _, names in TABLE for name in names.split()])
def test_every_unit_of_the_table_is_read_and_equals_itself(name):
    assert conversion(name, name) == 1.0
    assert parse_unit(f"{name}*{name}").factor == pytest.approx(parse_unit(name).factor ** 2)


@given(st.text(max_size=20))
def test_any_text_is_a_unit_or_one_clear_error(text):
    with suppress(ResultError):
        assert parse_unit(text).factor > 0.0
