"""``modes="auto"`` in the cases: at most ten coordinates a body, beside every freedom or forty and statics.

Forty eigenmodes alone are no yardstick: the axial load of a link and the hinge moment on the edge of a panel
are static ones, which eigenmodes answer slowly. Beside every freedom forty are 1.5 % off on the four-bar's
coupler and more on panels; with the static shapes of their frames they are not. Lumped masses of a panel of
32 triangles bear 12 beside its 12 static shapes, no more.
"""

from functools import cache

import numpy as np
import pytest

from flexnet.system import System
from tests.flexible.reference import run

LINKS = ("coupler_deflection", "follower_deflection")
PANELS = ("panel_1_centre", "panel_1_edge", "panel_2_centre", "panel_2_edge")
EVERY, FORTY, AUTO, OWN = ("full", None), ("attachment", 40), ("eigenmodes", "auto"), None
# case, end and step, channels, what it is measured by, further settings
CASES = {
    "four_bar": ("four_bar", 0.0598, 1e-5, LINKS, EVERY, {}),
    "four_bar, finer mesh": ("four_bar", 0.0598, 1e-5, LINKS, FORTY, {"elements": 16}),
    "motor_four_bar": ("motor_four_bar", 0.2, 1e-4, LINKS, EVERY, {}),
    "slider_crank_flexible": ("slider_crank_flexible", 0.1, 2e-5, ("deflection", "slider"), EVERY, {}),
    "its rod of 3 mm": (
        "slider_crank_flexible", 0.0667, 2e-5, ("deflection", "slider"), EVERY,
        {"diameter": 0.003, "modes": 3},
    ),
    "leger_a05": ("leger_a05_flexible_slider_crank", 10 / 150, 1e-5, ("slider",), EVERY, {}),
    "spatial_slider_crank": ("spatial_slider_crank", 0.0837, 2e-5, ("v", "w", "slider"), EVERY, {}),
    "panel_deployment": ("panel_deployment", 20.0, 1e-2, PANELS, ("attachment", 12), {}),
    "its consistent masses": ("panel_deployment", 20.0, 1e-2, PANELS, FORTY, {"inertia": "consistent"}),
}  # fmt: skip


@cache
def plain():
    return System.flexible_body


def answer(name, how, monkeypatch):
    """The motion of a case whose bodies are reduced by ``how``: a method and its modes."""
    case, end, step, _, _, settings = CASES[name]
    made = plain()
    counts = []

    def reduced(self, label, body, *arguments, **options):
        if how is not None:
            options |= {"method": how[0], "modes": how[1]}
        out = made(self, label, body, *arguments, **options)
        counts.append(self.components[label].table.m)
        return out

    monkeypatch.setattr(System, "flexible_body", reduced)
    return run(case, end, step, **settings), counts


def difference(found, exact, channels):
    """Largest difference of any channel over its peak."""
    pairs = [(found.channel(c), exact.channel(c)) for c in channels]
    return max(np.abs(a - b).max() / np.abs(b).max() for a, b in pairs)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_ten_coordinates_are_within_a_per_cent_and_no_worse_than_the_choice_of_the_case(name, monkeypatch):
    channels, yardstick = CASES[name][3:5]
    exact, _ = answer(name, yardstick, monkeypatch)
    auto, counts = answer(name, AUTO, monkeypatch)
    own, _ = answer(name, OWN, monkeypatch)
    assert max(counts) <= 10
    assert difference(auto, exact, channels) < 0.01
    assert difference(auto, exact, channels) <= difference(own, exact, channels)


@pytest.mark.slow
def test_forty_eigenmodes_alone_are_further_from_every_freedom_than_ten_chosen_coordinates(monkeypatch):
    """Why the yardstick has statics: panels, whose hinge moments eigenmodes do not answer.

    Forty with the statics of the frames by another basis, Craig–Bampton's, are the same motion to 0.1 %.
    """
    exact, _ = answer("its consistent masses", FORTY, monkeypatch)
    eigen, _ = answer("its consistent masses", ("eigenmodes", 40), monkeypatch)
    more, _ = answer("its consistent masses", ("attachment", 20), monkeypatch)
    other, _ = answer("its consistent masses", ("craig_bampton", 34), monkeypatch)
    assert difference(more, exact, PANELS) < 1e-4
    assert difference(other, exact, PANELS) < 1e-3
    assert difference(eigen, exact, PANELS) > 0.1
