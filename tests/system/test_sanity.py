"""What is rarely meant is asked about, and no case is."""

import re

import numpy as np
import pytest

import flexnet as fx
from flexnet.cli.case import build_case
from flexnet.examples import examples, templates


def pendulum(g=-9.81, scale=1.0, inertia=1 / 12, angle=1.0):
    s = fx.System("pendulum", planar=True)
    s.gravity([0, g])
    rod = s.rigid_body("rod", mass=1.0, inertia=inertia, frames={"top": [0, 0.5 * scale]})
    s.revolute("pin", s.ground, rod["top"])
    s.start("pin", angle=angle)
    return s


@pytest.mark.sweep(20)
@pytest.mark.parametrize("example", [*examples(), *templates()], ids=lambda each: each.name)
def test_nothing_is_asked_about_a_case_that_is_meant(example, tmp_path):
    if example.name == "shell":
        pytest.skip("reads a mesh that flexnet new puts beside it")
    assert build_case(example.path).doubts == ()


@pytest.mark.parametrize(
    ("wrong", "asked"),
    [
        ({"g": 9.81}, r"gravity points along \+y: if y is up, write -9.81"),
        ({"g": -9810.0}, "is that mm/s²"),
        ({"angle": 45.0}, r"angle is 45 rad, 7.2 turns; of degrees write 45\*fx.deg"),
        (
            {"scale": 1000.0},
            "'rod' has frames 500 m from its centre of mass and a radius of gyration of 0.289",
        ),
        ({"inertia": 1e6 / 12}, "are lengths in m and moments of inertia in kg m²"),
    ],
    ids=str,
)
def test_a_beginners_mistake_is_asked_about(wrong, asked):
    (said,) = pendulum(**wrong).doubts
    assert re.search(asked, said)
    assert "is this meant?" in str(fx.report(fx.formulate(pendulum(**wrong))))


@pytest.mark.parametrize(
    ("add", "asked"),
    [
        (lambda s, tip: s.spring("k", s.ground.frame("w", [1, 0]), tip), "spring 'k' does nothing"),
        (lambda s, tip: s.spring("k", s.ground.frame("w", [1, 0]), tip, -100.0), "pushes away from its rest"),
        (lambda s, _: hang(s, E=210), r"E = 210 Pa: is that GPa or MPa"),
        (lambda s, _: hang(s, rho=7.8), r"rho = 7.8 kg/m³ .* sound of 1.64e\+05 m/s: is that g/cm³"),
        (lambda s, _: hang(s, radius=10), r"mass of 2.45e\+06 kg, more than a cube round it"),
    ],
    ids=("idle spring", "negative spring", "GPa", "g/cm³", "section in mm"),
)
def test_a_mistake_in_what_is_added_is_asked_about(add, asked):
    s = pendulum()
    add(s, s.bodies["rod"]["top"])
    (said,) = s.doubts
    assert re.search(asked, said)


def hang(s, E=2.1e11, rho=7800.0, radius=0.01):
    beam = fx.beam_body(1.0, 4, fx.Material(E=E, nu=0.3, rho=rho), fx.circle(radius))
    hung = s.flexible_body("beam", beam, support=fx.Clamped("start"), modes=1)
    s.weld("glue", s.bodies["rod"], hung["start"])


@pytest.mark.parametrize(
    "motion", [fx.smooth_step(0, 90, 1.0), fx.cycloidal(-45, 45, 1.0)], ids=lambda m: m.kind
)
def test_a_turn_by_a_whole_number_of_radians_is_asked_about(motion):
    s = fx.System("arm", planar=True)
    s.revolute("pin", s.ground, s.rigid_body("arm", 1.0, 0.1))
    s.motion("drive", joint="pin", angle=motion)
    (said,) = s.doubts
    assert re.search(r"14\.3 turns; of degrees write (90|45)\*fx\.deg", said)


def test_gravity_of_one_number_is_told_how_to_point():
    s = fx.System("plane", planar=True)
    with pytest.raises(
        fx.ModelError, match=r"gravity is 9.81; it has a direction: write s.gravity\(\[0, -9.81\]\)"
    ):
        s.gravity(9.81)


def test_a_name_of_another_case_is_suggested():
    with pytest.raises(AttributeError, match="flexnet has no 'PID'; did you mean 'pid'"):
        _ = fx.PID


def test_a_degree_is_a_number_of_radians():
    assert np.isclose(180 * fx.deg, np.pi, rtol=1e-15)


def test_a_point_mass_in_space_has_the_inertia_zero():
    s = fx.System("point")
    s.rigid_body("bob", mass=1.0, inertia=0.0)
    with pytest.raises(fx.ModelError, match="three moments"):
        s.rigid_body("other", mass=1.0, inertia=0.1)


def test_a_mechanism_that_nothing_moves_is_asked_about_and_one_that_moves_is_not():
    def pendulum(**start):
        s = fx.System("pendulum", planar=True)
        rod = s.rigid_body("rod", 1.0, 1 / 12, {"top": [0, 0.5]})
        s.revolute("pin", s.ground, rod["top"])
        s.start("pin", **start)
        return s

    (asked,) = pendulum(angle=1.0).doubts
    assert "no gravity, no force and no driver" in asked
    assert not pendulum(angle=1.0, rate=2.0).doubts
    driven = pendulum(angle=0.0)
    driven.motion("turn", joint="pin", angle=fx.ramp(rate=1.0))
    assert not driven.doubts


def test_a_body_of_hundreds_of_metres_is_asked_about():
    s = fx.System("arm", planar=True)
    s.gravity([0, -9.81])
    arm = s.rigid_body("arm", 2.0, 2.0 * 600.0**2 / 12, {"pin": [-300.0, 0.0]})  # all of it in millimetres
    s.revolute("pin", s.ground, arm["pin"])
    (asked,) = s.doubts
    assert "body 'arm' reaches 300 m" in asked
    assert "mm" in asked
