"""Units: exact factors, one grammar for SI and for what Adams writes."""

import math
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import flexnet as fx
from flexnet.errors import ResultError
from flexnet.results import Results
from flexnet.units import TABLE, conversion, parse_unit, unit


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


def crank(length, mass, time):
    """What a slider-crank whose rod bends records, of numbers in units of length, mass and time."""
    L, M, T = (unit(name) for name in (length, mass, time))

    def number(value, *powers):  # of an SI number, what an author writes in these units
        l, m, t = powers
        return value / (L**l * M**m * T**t) * unit(f"{length}^{l}*{mass}^{m}*{time}^{t}")

    s = fx.System("crank", planar=True)
    s.gravity([0.0, number(-9.81, 1, 0, -2)])
    wheel = s.rigid_body(
        "wheel", mass=number(1.0, 0, 1, 0), inertia=number(1e-3, 2, 1, 0),
        frames={"O": [0, 0], "A": [number(0.15, 1, 0, 0), 0]},
    )  # fmt: skip
    steel = fx.Material(E=number(2e11, -1, 1, -2), nu=0.3, rho=number(7800.0, -3, 1, 0))
    beam = fx.beam_body(number(0.3, 1, 0, 0), 4, steel, fx.circle(number(0.003, 1, 0, 0)))
    rod = s.flexible_body(
        "rod", beam, support=fx.Pinned("start", "end"), modes=2, position=[number(0.15, 1, 0, 0), 0]
    )
    s.revolute("O", s.ground, wheel["O"])
    s.revolute("A", wheel["A"], rod["start"])
    s.motion("drive", joint="O", angle=fx.ramp(rate=number(150.0, 0, 0, -1)))
    s.channel("deflection", fx.deflection(rod, 2, "y"), "m")
    s.channel("torque", fx.torque("drive", "z"), "N*m")
    run = fx.simulate(s, end=number(2e-3, 0, 0, 1), step=number(2e-5, 0, 0, 1))
    return {name: run[f"channels/{name}"] for name in ("deflection", "torque")}


@pytest.mark.parametrize("units", [("mm", "t", "s"), ("inch", "slinch", "ms")], ids=" ".join)
def test_numbers_in_any_units_give_the_same_results_in_si(units):
    expected, found = crank("m", "kg", "s"), crank(*units)
    for name, values in expected.items():
        size = np.abs(values).max()
        assert size > 0.0
        assert np.abs(found[name] - values).max() < 1e-9 * size


def test_coherent_units_of_millimetre_tonne_and_second_are_newton_and_megapascal():
    assert unit("t*mm/s^2") == pytest.approx(unit("N"), rel=1e-15)
    assert unit("t/(mm*s^2)") == pytest.approx(unit("MPa"), rel=1e-15)
    assert fx.unit("deg") == fx.deg
    with pytest.raises(ResultError, match="unknown unit 'furlong'"):
        fx.unit("furlong")


def test_quantities_of_pint_are_what_they_are_in_si_and_files_name_their_units(tmp_path):
    pint = pytest.importorskip("pint", reason="pip install pint")
    one = pint.UnitRegistry(system="cgs")  # whatever the registry prefers

    def rod(mass, inertia, top, angle, rate, gravity):
        s = fx.System("rod", planar=True)
        s.gravity(gravity)
        s.revolute("pin", s.ground, s.rigid_body("rod", mass, inertia, frames={"top": top})["top"])
        s.start("pin", angle=angle, rate=rate)
        return s

    mm, g = one.mm, [0.0, -9810.0] * one.mm / one.s**2
    given = rod(2e-3 * one.t, 90.0 * one.t * mm**2, [0, 500.0 * mm], 30 * one.deg, 60 * one.rpm, g)
    plain = rod(2.0, 0.09, [0, 0.5], np.pi / 6, 2 * np.pi, [0, -9.81])
    runs = [
        fx.simulate(given, 0.1 * one.s, 1 * one.ms, out=tmp_path / "a.h5"),
        fx.simulate(plain, 0.1, 1e-3),
    ]
    np.testing.assert_allclose(*(run["state/q"] for run in runs), rtol=1e-12)
    told = Results.open(tmp_path / "a.h5").mechanism().parameters["units"]
    assert {"mm", "t", "deg", "rpm", "ms"} <= set(str(told).split(", "))
    beam = fx.beam_body(300 * mm, 2, fx.Material(E=210 * one.GPa, nu=0.3, rho=7800.0), fx.circle(3 * mm))
    assert beam.mesh.nodes[:, 0].max() == pytest.approx(0.3, rel=1e-15)
