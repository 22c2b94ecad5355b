from math import pi

import pytest

from flexnet.errors import ModelError
from flexnet.fem.beam import BeamSection, box, circle, i_section, rectangle, tube
from flexnet.fem.material import Material, Rayleigh


def test_shear_modulus():
    assert pytest.approx(1.0) == Material(E=2.6, nu=0.3, rho=1.0).G


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"E": 0.0, "nu": 0.3, "rho": 1.0}, "E = 0.0 must be positive"),
        ({"E": 1.0, "nu": 0.5, "rho": 1.0}, "nu = 0.5 must lie between"),
        ({"E": 1.0, "nu": -1.0, "rho": 1.0}, "nu = -1.0 must lie between"),
        ({"E": 1.0, "nu": 0.3, "rho": -1.0}, "rho = -1.0 must not be negative"),
        ({"E": 1.0, "nu": 0.3, "rho": 1.0, "eta": -1.0}, "eta = -1.0 must not be negative"),
        ({"E": float("nan"), "nu": 0.3, "rho": 1.0}, "E (=|is) nan"),
    ],
)
def test_an_impossible_material_is_refused(arguments, message):
    with pytest.raises(ModelError, match=message):
        Material(**arguments)


def test_negative_rayleigh_factors_are_refused():
    with pytest.raises(ModelError, match="Rayleigh"):
        Rayleigh(alpha=-1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BeamSection(A=0.0, Iy=1.0, Iz=1.0), "A = 0.0 must be positive"),
        (lambda: BeamSection(A=1.0, Iy=1.0, Iz=-1.0), "Iz = -1.0"),
        (lambda: BeamSection(A=1.0, Iy=1.0, Iz=1.0, J=0.0), "J = 0.0"),
        (lambda: BeamSection(A=1.0, Iy=1.0, Iz=1.0, ky=0.0), "ky = 0.0"),
        (lambda: rectangle(0.0, 1.0), "width = 0.0"),
        (lambda: tube(1.0, 1.0), "wall = 0.0"),
        (lambda: box(1.0, 1.0, 0.5), "inner_width"),
        (lambda: i_section(0.1, 0.2, 0.01, 0.1), "clear_height"),
        (lambda: circle(-1.0), "radius"),
    ],
)
def test_an_impossible_section_is_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_torsion_of_rectangles_follows_saint_venant():
    # Timoshenko & Goodier, table of art. 109: J = k₁ a b³
    for ratio, k1 in ((1.0, 0.1406), (2.0, 0.229), (10.0, 0.312)):
        assert pytest.approx(k1 * ratio, rel=3e-3) == rectangle(ratio, 1.0).J
        assert rectangle(1.0, ratio).J == rectangle(ratio, 1.0).J
    assert rectangle(2.0, 1.0).Iz == pytest.approx(8.0 / 12.0)


def test_cowper_coefficients_at_poissons_ratio_0_3():
    assert rectangle(1.0, 2.0, nu=0.3).ky == pytest.approx(0.850, abs=5e-4)
    assert rectangle(1.0, 2.0, nu=0.0).ky == pytest.approx(5.0 / 6.0)
    assert circle(1.0, nu=0.3).ky == pytest.approx(0.886, abs=5e-4)
    assert tube(1.0, 0.999999, nu=0.3).ky == pytest.approx(2 * 1.3 / (4 + 3 * 0.3), rel=1e-5)


def test_a_tube_without_bore_is_a_circle():
    thin, solid = tube(0.5, 1e-9), circle(0.5)
    assert (thin.A, thin.Iy, thin.J, thin.ky) == pytest.approx((solid.A, solid.Iy, solid.J, solid.ky))
    assert pytest.approx(pi * 0.5**4 / 2) == solid.J


def test_a_square_box_has_equal_axes_and_a_plausible_shear_area():
    section = box(0.1, 0.1, 0.002)
    assert section.Iy == pytest.approx(section.Iz)
    assert section.ky == section.kz
    assert 0.4 < section.ky < 0.5  # two of four walls carry the shear
    assert pytest.approx(4 * 0.098 * 0.002) == section.A
    assert pytest.approx(0.098**3 * 0.002) == section.J


def test_the_web_of_an_i_section_carries_the_shear():
    section = i_section(width=0.1, height=0.2, web=0.006, flange=0.01)
    web = 0.18 * 0.006
    assert section.kz * section.A == pytest.approx(web, rel=0.1)
    assert section.Iy > 10 * section.Iz
