"""Every method is of second order in q, v and λ at every output time; the reference route tells."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import catalogue
import numpy as np
import pytest
from pendulums import slider_crank
from plain_pendulum import plain_pendulum
from scipy.special import ellipj, ellipk

import flexnet as fx
from flexnet.integrators import Settings, begin

METHODS = {
    "hht": fx.hht(-0.1),
    "strong hht": fx.hht(-1 / 3),
    "generalised_alpha": fx.generalised_alpha(0.8),
    "asymptotic": fx.generalised_alpha(0.0),
    "acceleration_level": fx.acceleration_level(-0.1),
}
PROBLEMS = {
    # mass matrix depends on the configuration; one loop
    "slider_crank": (slider_crank, "joint", 0.5, (4e-3, 2e-3, 1e-3)),
    # on the rotation group
    "heavy_top": (lambda: catalogue.build("heavy_top"), "absolute", 0.1, (4e-4, 2e-4, 1e-4)),
}
COLUMNS = ("state/q", "state/v", "state/lambda")


@cache
def equations(problem: str) -> fx.Equations:
    build, tree, _, _ = PROBLEMS[problem]
    return fx.formulate(build(), tree)


@cache
def exact(problem: str) -> dict[str, np.ndarray]:
    _, _, end, _ = PROBLEMS[problem]
    run = fx.simulate(equations(problem), end, 1e-4, fx.reference(1e-12), interval=end / 5)
    return {column: run[column] for column in COLUMNS}


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("project", [False, True], ids=["free", "projected"])
@pytest.mark.parametrize("method", METHODS)
def test_order_two_in_q_v_and_lambda(problem, method, project):
    _, _, end, steps = PROBLEMS[problem]
    errors = []
    for h in steps:
        run = fx.simulate(
            equations(problem), end, h, METHODS[method], interval=end / 5, project=project, newton=1e-14
        )
        errors.append([np.abs(run[c] - exact(problem)[c]).max() for c in COLUMNS])
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert orders[-1].min() > 1.8, (orders, errors)
    assert orders[-1].max() < 2.5, (orders, errors)


def swing(t: np.ndarray, angle: float = 1.0) -> np.ndarray:
    """Exact angle of a pendulum of length 1 released at rest."""
    k, w = np.sin(angle / 2), np.sqrt(9.81)
    return 2 * np.arcsin(k * ellipj(ellipk(k**2) - w * t, k**2)[0])


@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_without_a_system_swings_as_it_should(method):
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        march = begin(plain_pendulum(), METHODS[method], Settings(h, 1.0, 0.2, newton=1e-14))
        rows = list(march.blocks())
        t, q, lam = (np.concatenate([getattr(b, key) for b in rows]) for key in ("t", "q", "lam"))
        angle = swing(t)
        wanted = np.stack([np.sin(angle), -np.cos(angle)], axis=1)
        # tension 2 l λ = m g cos φ + m l φ̇², φ̇² = 2 g (cos φ - cos φ₀)
        tension = 9.81 * (3 * np.cos(angle) - 2 * np.cos(1.0))
        errors.append([np.abs(q - wanted).max(), np.abs(2 * lam[:, 0] - tension).max()])
        assert march.status.is_done
    orders = np.log2(np.array(errors[-2]) / np.array(errors[-1]))
    assert orders.min() > 1.8, errors


def test_the_reference_route_gives_eleven_digits_of_a_pendulum():
    march = begin(plain_pendulum(), fx.reference(1e-13), Settings(1e-3, 1.0, 0.1))
    rows = list(march.blocks())
    t, q = (np.concatenate([getattr(b, key) for b in rows]) for key in ("t", "q"))
    np.testing.assert_allclose(q[:, 0], np.sin(swing(t)), atol=2e-12)


def test_an_integrator_runs_without_a_system_in_memory():
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from plain_pendulum import plain_pendulum\n"
        "from flexnet.integrators import Settings, begin, hht\n"
        "march = begin(plain_pendulum(), hht(), Settings(1e-3, 0.1))\n"
        "assert sum(len(b.t) for b in march.blocks()) == 100\n"
        "rooms = ('system', 'formulation', 'graph', 'components')\n"
        "assert not any(f'flexnet.{room}' in sys.modules for room in rooms)\n"
    )
    here = Path(__file__).parent
    subprocess.run([sys.executable, "-c", code, str(here), str(here.parents[1])], check=True)
