"""Functions the equations need that have a removable singularity or a branch, each with its code.

======================  =====================================================================
``wrap(x)``             x less the whole turns in it, in [-π, π]
``inverse(x)``          1/x, 0 where x vanishes: direction of a spring of no length
``turn_factor(s, w)``   φ/s of the rotation φ with quaternion (w, s), s ≥ 0
``turn_f1(x)``          (1 - cos φ)/φ², x = φ²
``turn_f2(x)``          (φ - sin φ)/φ³
``turn_g1(x)``          f₁'/φ
``turn_g2(x)``          f₂'/φ
``turn_c(x)``           (1 - φ/2 cot φ/2)/φ²
======================  =====================================================================
"""

from typing import Any

import sympy as sp


class wrap(sp.Function):  # type: ignore[misc]
    """x less the whole turns in it."""

    nargs = 1


class inverse(sp.Function):  # type: ignore[misc]
    """1/x, and 0 at x = 0."""

    nargs = 1


class turn_factor(sp.Function):  # type: ignore[misc]
    """2 atan2(s, w)/s, in the half turn where it is continuous; 2 at s = 0."""

    nargs = 2


class turn_f1(sp.Function):  # type: ignore[misc]
    """(1 - cos φ)/φ²."""

    nargs = 1


class turn_f2(sp.Function):  # type: ignore[misc]
    """(φ - sin φ)/φ³."""

    nargs = 1


class turn_g1(sp.Function):  # type: ignore[misc]
    """Derivative of f₁ over φ."""

    nargs = 1


class turn_g2(sp.Function):  # type: ignore[misc]
    """Derivative of f₂ over φ."""

    nargs = 1


class turn_c(sp.Function):  # type: ignore[misc]
    """(1 - φ/2 cot φ/2)/φ²."""

    nargs = 1


class law(sp.Function):  # type: ignore[misc]
    """A user's Python law: number of the element, stretch, rate, time."""

    nargs = 4


SPECIAL: dict[str, Any] = {
    f.__name__: f for f in (wrap, inverse, turn_factor, turn_f1, turn_f2, turn_g1, turn_g2, turn_c)
}

PYTHON = """
def wrap(x):
    return x - 2.0 * pi * round(x / (2.0 * pi))


def inverse(x):
    return 1.0 / x if x > 0.0 else 0.0


def turn_factor(s, w):
    sign = 1.0 if w >= 0.0 else -1.0
    return 2.0 * sign * atan2(s, sign * w) / s if s > 1e-12 else 2.0 * sign


def turn_f1(x):
    if x < 1e-4:
        return 0.5 - x / 24.0 + x * x / 720.0
    return (1.0 - cos(sqrt(x))) / x


def turn_f2(x):
    if x < 1e-4:
        return 1.0 / 6.0 - x / 120.0 + x * x / 5040.0
    return (sqrt(x) - sin(sqrt(x))) / (x * sqrt(x))


def turn_g1(x):
    if x < 1e-4:
        return -1.0 / 12.0 + x / 180.0
    return (sqrt(x) * sin(sqrt(x)) - 2.0 * (1.0 - cos(sqrt(x)))) / (x * x)


def turn_g2(x):
    if x < 1e-4:
        return -1.0 / 60.0 + x / 1260.0
    return (3.0 * sin(sqrt(x)) - 2.0 * sqrt(x) - sqrt(x) * cos(sqrt(x))) / (x * x * sqrt(x))


def turn_c(x):
    if x < 1e-3:
        return 1.0 / 12.0 + x / 720.0 + x * x / 30240.0
    return (1.0 - 0.5 * sqrt(x) * cos(0.5 * sqrt(x)) / sin(0.5 * sqrt(x))) / x
"""

C = """
static double sgn(double x) { return (x > 0.0) - (x < 0.0); }
static double step(double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? 0.0 : 0.5); }
static double wrap(double x) { return x - 6.283185307179586 * rint(x / 6.283185307179586); }
static double inverse(double x) { return x > 0.0 ? 1.0 / x : 0.0; }
static double turn_factor(double s, double w) {
    double sign = w >= 0.0 ? 1.0 : -1.0;
    return s > 1e-12 ? 2.0 * sign * atan2(s, sign * w) / s : 2.0 * sign;
}
static double turn_f1(double x) {
    return x < 1e-4 ? 0.5 - x / 24.0 + x * x / 720.0 : (1.0 - cos(sqrt(x))) / x;
}
static double turn_f2(double x) {
    return x < 1e-4 ? 1.0 / 6.0 - x / 120.0 + x * x / 5040.0 : (sqrt(x) - sin(sqrt(x))) / (x * sqrt(x));
}
static double turn_g1(double x) {
    double p = sqrt(x);
    return x < 1e-4 ? -1.0 / 12.0 + x / 180.0 : (p * sin(p) - 2.0 * (1.0 - cos(p))) / (x * x);
}
static double turn_g2(double x) {
    double p = sqrt(x);
    return x < 1e-4 ? -1.0 / 60.0 + x / 1260.0 : (3.0 * sin(p) - 2.0 * p - p * cos(p)) / (x * x * p);
}
static double turn_c(double x) {
    double p = 0.5 * sqrt(x);
    return x < 1e-3 ? 1.0 / 12.0 + x / 720.0 + x * x / 30240.0 : (1.0 - p * cos(p) / sin(p)) / x;
}
"""

FORTRAN = """
  pure double precision function sgn(x)
    double precision, intent(in) :: x
    sgn = merge(1d0, merge(-1d0, 0d0, x < 0d0), x > 0d0)
  end function
  pure double precision function step(x)
    double precision, intent(in) :: x
    step = merge(1d0, merge(0d0, 0.5d0, x < 0d0), x > 0d0)
  end function
  pure double precision function wrap(x)
    double precision, intent(in) :: x
    wrap = x - 6.283185307179586d0 * anint(x / 6.283185307179586d0)
  end function
  pure double precision function inverse(x)
    double precision, intent(in) :: x
    inverse = 0d0
    if (x > 0d0) inverse = 1d0 / x
  end function
  pure double precision function turn_factor(s, w)
    double precision, intent(in) :: s, w
    double precision :: side
    side = merge(1d0, -1d0, w >= 0d0)
    turn_factor = 2d0 * side
    if (s > 1d-12) turn_factor = 2d0 * side * atan2(s, side * w) / s
  end function
  pure double precision function turn_f1(x)
    double precision, intent(in) :: x
    if (x < 1d-4) then
      turn_f1 = 0.5d0 - x / 24d0 + x * x / 720d0
    else
      turn_f1 = (1d0 - cos(sqrt(x))) / x
    end if
  end function
  pure double precision function turn_f2(x)
    double precision, intent(in) :: x
    if (x < 1d-4) then
      turn_f2 = 1d0 / 6d0 - x / 120d0 + x * x / 5040d0
    else
      turn_f2 = (sqrt(x) - sin(sqrt(x))) / (x * sqrt(x))
    end if
  end function
  pure double precision function turn_g1(x)
    double precision, intent(in) :: x
    if (x < 1d-4) then
      turn_g1 = -1d0 / 12d0 + x / 180d0
    else
      turn_g1 = (sqrt(x) * sin(sqrt(x)) - 2d0 * (1d0 - cos(sqrt(x)))) / (x * x)
    end if
  end function
  pure double precision function turn_g2(x)
    double precision, intent(in) :: x
    if (x < 1d-4) then
      turn_g2 = -1d0 / 60d0 + x / 1260d0
    else
      turn_g2 = (3d0 * sin(sqrt(x)) - 2d0 * sqrt(x) - sqrt(x) * cos(sqrt(x))) / (x * x * sqrt(x))
    end if
  end function
  pure double precision function turn_c(x)
    double precision, intent(in) :: x
    if (x < 1d-3) then
      turn_c = 1d0 / 12d0 + x / 720d0 + x * x / 30240d0
    else
      turn_c = (1d0 - 0.5d0 * sqrt(x) * cos(0.5d0 * sqrt(x)) / sin(0.5d0 * sqrt(x))) / x
    end if
  end function
"""
