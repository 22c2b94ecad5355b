"""The stress whose cycles are counted: normal to one plane, the largest there at the moment of the peak."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.fem.beam.recovery import BeamForces
from flexnet.fem.imported.recovery import NodalStress
from flexnet.fem.shell.recovery import ShellStress
from flexnet.fem.solid.recovery import SolidStress

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
TAPE = fx.Orthotropic(E1=140e9, E2=10e9, nu12=0.3, G12=5e9, rho=1600.0)
LINES, FACETS = np.array([[0, 1], [1, 2]]), np.array([[0, 1, 2], [1, 2, 3]])


def beam(section, random):
    return BeamForces(LINES, section, random.normal(size=(4, 2, 2, 6)), STEEL.E)


def shell(section, random):
    strains, none = random.normal(size=(4, 2, 6)), np.zeros((4, 0, 3))
    return ShellStress(FACETS, section, strains, np.arange(4), np.zeros((4, 4, 3)), none)


#: element, and the place that is looked at
KINDS = {
    "round beam": lambda r: beam(fx.circle(0.02), r),
    "rectangle": lambda r: beam(fx.rectangle(0.02, 0.01), r),
    "sheet": lambda r: shell(fx.ShellSection.uniform(2.0, STEEL), r),
    "laminate": lambda r: shell(fx.ShellSection.laminate(TAPE, 1.0, [0.0, 0.7]), r),
    "solid": lambda r: SolidStress(np.arange(20).reshape(2, 10), STEEL, r.normal(size=(4, 2, 4, 6))),
    "imported": lambda r: NodalStress(np.array([[0], [1]]), r.normal(size=(4, 2, 6))),
}


def largest(one, row, element, place):
    """Largest magnitude of a normal stress at a place, by the quantities that peaks are told of."""
    found = {name: values[row, element, place] for name, _, values in one.quantities()}
    return max(abs(found[name]) for name in ("sigma", "s1", "s2", "s3") if name in found)


@pytest.mark.parametrize("kind", KINDS)
def test_at_its_own_row_it_is_the_largest_principal_stress_and_it_is_linear(kind):
    random = np.random.default_rng(3)
    one = KINDS[kind](random)
    weights = random.normal(size=(3, 4))
    places = len(next(iter(one.quantities()))[2][0, 0])
    for row in range(4):
        for place in range(places):
            history = one.critical_stress(one.chosen(np.array([row])), 1, place)
            assert abs(history[row]) == pytest.approx(largest(one, row, 1, place), rel=1e-12)
            bound = [largest(one, k, 1, place) for k in range(4)]
            assert np.all(np.abs(history) <= np.array(bound) * (1 + 1e-12))
            mixed = one.combined(weights).critical_stress(one.chosen(np.array([row])), 1, place)
            assert mixed == pytest.approx(weights @ history, rel=1e-9)
