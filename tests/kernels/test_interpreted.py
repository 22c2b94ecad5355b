"""Kernels mean the same interpreted as compiled: a debugger and coverage can go through them."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import flexnet as fx
from flexnet.fem import Clamped, Material, Reduction, ShellSection, build_table, panel_body
from flexnet.kernels import model as km
from tests.catalogue import build

ROOT = Path(__file__).parents[2]
SCRIPT = """
from flexnet.kernels.compile import is_interpreted
assert is_interpreted()
from tests.kernels.test_interpreted import answers
print(*answers())
"""


def sprung():
    """A pendulum under a law in Python."""
    s = fx.System("sprung", planar=True)
    bob = s.rigid_body("bob", 1.0, 0.1, {"O": [0, 1.0]})
    s.revolute("O", s.ground, bob["O"])
    s.start("O", angle=1.0)
    s.torsional_spring("spring", joint="O", law=lambda x, v, t: -7.0 * x**3)
    return s


def answers():
    """A shell table, accelerations of mechanisms with loops, a few steps of a spatial run, a user's law."""
    section = ShellSection.uniform(0.01, Material(E=2e11, nu=0.3, rho=7800.0))
    table = build_table(panel_body((1.0, 1.0), (2, 2), section), Reduction(Clamped("left"), 2))
    equations = fx.formulate(build("squeezer"), "joint")
    run = fx.simulate(build("heavy_top"), 3e-3, 1e-3)
    generated = fx.simulate(build("heavy_top"), 3e-3, 1e-3, engine="symbolic")
    motion = equations.motion(equations.initial)
    flexible = fx.formulate(build("slider_crank_flexible"), "joint")
    q = np.array(flexible.initial.q)
    for place in flexible.coordinates.elastic.values():
        q[place.q] += 0.01  # deflected, so that what stiffens counts
    return [
        *table.modes.frequency,
        *motion.a,
        *motion.lam,
        *flexible.motion(replace(flexible.initial, q=q)).a,
        run.channel("x_x")[-1],
        run.channel("reaction_z")[-1],
        generated.channel("x_x")[-1],
        *(fx.simulate(sprung(), 3e-3, 1e-3, engine=e)["state/v"][-1, 0] for e in ("numeric", "symbolic")),
    ]


def test_interpreted_kernels_give_the_compiled_answers():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=ROOT,
        env=os.environ | {"FLEXNET_INTERPRETED": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    expected = answers()
    found = [float(word) for word in done.stdout.split()]
    scale = max(abs(float(x)) for x in expected)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12 * scale)


def test_no_field_of_a_record_is_hidden_by_what_numpy_calls_so():
    """Interpreted, ``row.size`` would be the number of entries of a numpy scalar."""
    records = [x for x in vars(km).values() if isinstance(x, np.dtype) and x.names]
    assert records
    assert not [name for record in records for name in record.names if hasattr(np.record, name)]
