r"""Beam sections from shapes: rectangle, circle, tube, box and I. Lengths in metres.

Shear coefficients are Cowper's [1]_; they depend on Poisson's ratio, so a shape takes it.

References
----------
.. [1] G. R. Cowper, The shear coefficient in Timoshenko's beam theory, J. Appl. Mech. 33 (1966) 335-340,
   table 1.
.. [2] S. P. Timoshenko, J. N. Goodier, Theory of Elasticity, 3rd ed. (1970), art. 109 (rectangle), 115
   (thin tubes).
"""

from math import pi, tanh

from flexnet.errors import ModelError
from flexnet.fem.beam.section import BeamSection


def rectangle(width: float, height: float, nu: float = 0.3) -> BeamSection:
    r"""Return the section of a solid rectangle, ``width`` along y and ``height`` along z [m].

    Notes
    -----
    With the longer side a, the shorter b and ten terms of the series ([2]_ eq. 170),

    .. math:: J = a b^3 \left[\tfrac13 - \frac{64}{\pi^5}\frac{b}{a}
              \sum_{n=1,3,5…} \frac{1}{n^5} \tanh\frac{n\pi a}{2b}\right]                \tag{1}

    and k = 10(1+ν)/(12+11ν) (Cowper).
    """
    _check("rectangle", nu, width=width, height=height)
    a, b = max(width, height), min(width, height)
    series = sum(tanh(n * pi * a / (2.0 * b)) / n**5 for n in range(1, 40, 2))
    k = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu)
    return BeamSection(
        A=width * height,
        Iy=width * height**3 / 12.0,
        Iz=height * width**3 / 12.0,
        J=a * b**3 * (1.0 / 3.0 - 64.0 / pi**5 * b / a * series),
        ky=k,
        kz=k,
        corners=_corners(width, height),
    )


def circle(radius: float, nu: float = 0.3) -> BeamSection:
    """Return the section of a solid circle; k = 6(1+ν)/(7+6ν) (Cowper)."""
    _check("circle", nu, radius=radius)
    I = pi * radius**4 / 4.0
    k = 6.0 * (1.0 + nu) / (7.0 + 6.0 * nu)
    return BeamSection(A=pi * radius**2, Iy=I, Iz=I, J=2.0 * I, ky=k, kz=k, radius=radius)


def tube(outer: float, inner: float, nu: float = 0.3) -> BeamSection:
    """Return the section of a tube of radii ``outer`` > ``inner`` [m].

    With m = inner/outer, k = 6(1+ν)(1+m²)² / [(7+6ν)(1+m²)² + (20+12ν)m²] (Cowper).
    """
    _check("tube", nu, outer=outer, inner=inner, wall=outer - inner)
    I = pi * (outer**4 - inner**4) / 4.0
    m2 = (inner / outer) ** 2
    k = 6.0 * (1 + nu) * (1 + m2) ** 2 / ((7 + 6 * nu) * (1 + m2) ** 2 + (20 + 12 * nu) * m2)
    return BeamSection(A=pi * (outer**2 - inner**2), Iy=I, Iz=I, J=2.0 * I, ky=k, kz=k, radius=outer)


def box(width: float, height: float, thickness: float, nu: float = 0.3) -> BeamSection:
    r"""Return the section of a thin-walled box, outer ``width`` along y, outer ``height`` along z [m].

    Notes
    -----
    Torsion by Bredt on the mid-line of sides b, h, :math:`J = 2 t b^2 h^2/(b+h)`; shear by Cowper's
    thin-walled box, with n = b/h of the flanges across the shear direction and equal thickness (m = n).
    """
    _check("box", nu, width=width, height=height, thickness=thickness)
    inner_w, inner_h = width - 2.0 * thickness, height - 2.0 * thickness
    _check("box", nu, inner_width=inner_w, inner_height=inner_h)
    b, h = width - thickness, height - thickness
    return BeamSection(
        A=width * height - inner_w * inner_h,
        Iy=(width * height**3 - inner_w * inner_h**3) / 12.0,
        Iz=(height * width**3 - inner_h * inner_w**3) / 12.0,
        J=2.0 * thickness * (b * h) ** 2 / (b + h),
        ky=_cowper_box(h / b, nu),
        kz=_cowper_box(b / h, nu),
        corners=_corners(width, height),
    )


def i_section(width: float, height: float, web: float, flange: float, nu: float = 0.3) -> BeamSection:
    r"""Return the section of a doubly symmetric I: flanges along y, web along z [m].

    Parameters
    ----------
    width : breadth of the flanges.
    height : overall height.
    web, flange : thicknesses.
    nu : Poisson's ratio.

    Notes
    -----
    Open thin wall: :math:`J = \tfrac13 \sum b t^3`. Shear along z by Cowper's thin-walled I-section with
    n = b/h, m = 2 b t_f/(h t_w); shear along y is carried by the two flanges, rectangles of area share
    2 b t_f / A.
    """
    _check("I section", nu, width=width, height=height, web=web, flange=flange)
    clear = height - 2.0 * flange
    _check("I section", nu, clear_height=clear, overhang=width - web)
    A = 2.0 * width * flange + clear * web
    h = height - flange
    m, n = 2.0 * width * flange / (h * web), width / h
    plane = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu)
    return BeamSection(
        A=A,
        Iy=(width * height**3 - (width - web) * clear**3) / 12.0,
        Iz=(2.0 * flange * width**3 + clear * web**3) / 12.0,
        J=(2.0 * width * flange**3 + clear * web**3) / 3.0,
        ky=plane * 2.0 * width * flange / A,
        kz=_cowper_thin_walled(m, nu, 30.0 * n**2 * (m + m**2) + 5.0 * nu * n**2 * (8.0 * m + 9.0 * m**2)),
        corners=_corners(width, height),
    )


def _corners(width: float, height: float) -> tuple[tuple[float, float], ...]:
    return tuple((i * width / 2.0, j * height / 2.0) for i in (-1, 1) for j in (-1, 1))


def _cowper_box(n: float, nu: float) -> float:
    """Shear coefficient of a thin-walled box of equal walls, flanges n times as long as the webs (m = n)."""
    return _cowper_thin_walled(n, nu, 10.0 * n**2 * ((3.0 + nu) * n + 3.0 * n**2))


def _cowper_thin_walled(m: float, nu: float, flanges: float) -> float:
    """Cowper's table 1 for thin-walled profiles, which differ in the term of the flanges only."""
    bending = 12.0 + 72.0 * m + 150.0 * m**2 + 90.0 * m**3
    poisson = 11.0 + 66.0 * m + 135.0 * m**2 + 90.0 * m**3
    return 10.0 * (1.0 + nu) * (1.0 + 3.0 * m) ** 2 / (bending + nu * poisson + flanges)


def _check(shape: str, nu: float, **sizes: float) -> None:
    if not -1.0 < nu < 0.5:
        raise ModelError(f"{shape}: nu = {nu} must lie between -1 and 0.5 (both excluded)")
    for name, value in sizes.items():
        if not value > 0.0:
            raise ModelError(f"{shape}: {name} = {value} must be positive")
