"""What the symbolic engine takes for round-off does not depend on units: small bodies are as others."""

import numpy as np
import pytest

import flexnet as fx


def arm(l: float) -> fx.System:
    """A beam of the length l that hangs by a ball from the ground, reduced to displacements and rotations."""
    s = fx.System("arm")
    s.gravity([1.0 * l, -9.0 * l, 2.0 * l])
    material = fx.Material(E=2e9 / l, nu=0.3, rho=2700.0 / l**3)
    beam = fx.beam_body(l, 2, material, fx.rectangle(0.04 * l, 0.03 * l))
    body = s.flexible_body("beam", beam, support=fx.Clamped("start"), method="craig_bampton")
    s.spherical("O", s.ground, body["start"])
    s.spring("spring", s.ground.frame("G", [0.5 * l, 0.8 * l, 0.3 * l]), body["end"], stiffness=30.0)
    return s


@pytest.mark.parametrize("l", [1.0, 1e-3, 1e-8, 1e4])
def test_engines_agree_on_a_body_of_any_length(l):
    runs = [fx.simulate(arm(l), 0.04, 2e-3, tree="joint", engine=e) for e in ("numeric", "symbolic")]
    for path in ("frames/beam/angular_velocity", "frames/beam.end/position", "joints/O/force"):
        a, b = (run[path] for run in runs)
        assert np.abs(a - b).max() < 1e-10 * np.abs(a).max(), path
