"""With E × 10⁶ every flexible case moves as if its bodies were rigid."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.fem import Material
from flexnet.system import in_pieces
from tests import catalogue

#: end and step of a run, s
RUNS = {
    "four_bar": (0.03, 2e-5),
    "panel_deployment": (14.0, 1e-2),
    "slider_crank_flexible": (0.04, 2e-5),
    "spatial_slider_crank": (0.04, 2e-5),
    "spin_up_beam": (2.0, 2e-3),
    "swing": (0.15, 2e-4),
}


def build(monkeypatch, name, stiffer=1.0, is_rigid=False):
    """Build a case with another modulus, or with flexible bodies that have no shapes."""
    flexible_body = fx.System.flexible_body

    def without_shapes(self, *args, **how):
        return flexible_body(self, *args, **{**how, "method": "eigenmodes", "modes": 0})

    with monkeypatch.context() as patch:
        patch.setattr(fx, "Material", lambda E, **of: Material(E=stiffer * E, **of), raising=False)
        if is_rigid:
            patch.setattr(fx.System, "flexible_body", without_shapes)
        return in_pieces(catalogue.load(name).build())


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", RUNS)
def test_a_stiff_case_moves_as_the_rigid_one(name, monkeypatch):
    end, step = RUNS[name]
    runs = [
        fx.simulate(build(monkeypatch, name, **how), end, step, method=fx.generalised_alpha(0.5))
        for how in ({}, {"stiffer": 1e6}, {"is_rigid": True})
    ]
    soft, _, rigid = runs
    assert len(rigid.equations.coordinates.elastic) == len(soft.equations.coordinates.elastic)
    assert not any(len(rigid[f"bodies/{b}/elastic"][0]) for b in rigid.equations.coordinates.elastic)
    # a start without deformation rings for a few steps; loads are compared after them
    late = rigid.t > 0.1 * end
    for channel in soft.equations.system.channels:
        values = [run.channel(channel.name)[late] for run in runs]
        size = max(np.abs(x).max() for x in values)
        assert np.abs(values[1] - values[2]).max() < 1e-4 * size, channel.name
