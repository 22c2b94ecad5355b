"""Contact of flexible bodies: a cantilever against a stop, beside finite elements written here."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

import flexnet as fx

E, RHO, WIDTH, HEIGHT, LENGTH, ELEMENTS, MODES = 7e10, 2700.0, 0.02, 0.01, 1.0, 8, 4
STIFFNESS, GAP, SPEED = 2e4, 0.005, 1.0


def beam_matrices():
    """Mass and stiffness of Euler-Bernoulli beams, the first node clamped, w and w' of the others."""
    h, A, I = LENGTH / ELEMENTS, WIDTH * HEIGHT, WIDTH * HEIGHT**3 / 12
    K_e = (E * I / h**3) * np.array(
        [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
         [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]
    )  # fmt: skip
    M_e = (RHO * A * h / 420) * np.array(
        [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
         [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]]
    )  # fmt: skip
    n = 2 * (ELEMENTS + 1)
    M, K = np.zeros((n, n)), np.zeros((n, n))
    for e in range(ELEMENTS):
        at = slice(2 * e, 2 * e + 4)
        M[at, at] += M_e
        K[at, at] += K_e
    return M[2:, 2:], K[2:, 2:]


def swinging_tip(t):
    """Deflection of the tip, which starts with the first mode at the speed SPEED towards the stop."""
    M, K = beam_matrices()
    squares, shapes = eigh(K, M)
    squares, tip = squares[:MODES], shapes[-2, :MODES]

    def rate(_, y):
        depth = max(-GAP - tip @ y[:MODES], 0.0)
        return np.concatenate([y[MODES:], -squares * y[:MODES] + tip * STIFFNESS * depth])

    start = np.zeros(2 * MODES)
    start[MODES] = -SPEED / tip[0]
    found = solve_ivp(rate, (0.0, t[-1]), start, "DOP853", t, rtol=1e-9, atol=1e-12, max_step=1e-3)
    return tip @ found.y[:MODES]


def cantilever() -> fx.System:
    material = fx.Material(E=E, nu=0.3, rho=RHO)
    body = fx.beam_body(
        LENGTH, ELEMENTS, material, fx.BeamSection(
            A=WIDTH * HEIGHT, Iy=WIDTH * HEIGHT**3 / 12, Iz=HEIGHT * WIDTH**3 / 12,
        ), shear=False, rotary_inertia=False,
    )  # fmt: skip
    s = fx.System("cantilever")
    beam = s.flexible_body("beam", body, support=fx.Clamped("start"), modes=2 * MODES, stiffening=False)
    s.weld("root", s.ground, beam["start"])
    s.plane_contact("stop", s.ground.frame("S", [LENGTH, 0.0, -GAP]), beam["end"], STIFFNESS, axis="z")
    s.channel("tip", fx.position(beam["end"], "z"))
    return s


@pytest.mark.parametrize("method", [fx.hht(), fx.energy_decaying()], ids=lambda m: m.name)
def test_a_cantilever_against_a_stop_moves_as_its_finite_elements_do(method):
    equations = fx.formulate(cantilever())
    v = equations.initial.v
    places = equations.packer.elastic_indices()[1]
    table = equations.system.components["beam"].table
    up = table.frames.translation[table.frames.names.index("end"), 2]
    first = int(np.argmax(np.abs(up) > 1e-6 * np.abs(up).max()))  # the lowest that bends that way
    v[places[first]] = -SPEED / up[first]
    run = fx.simulate(equations, 0.12, step=2e-5, method=method, interval=1e-3)
    exact = swinging_tip(run.t)
    assert exact.min() < -1.1 * GAP  # it touches
    assert np.abs(run.channel("tip") - exact).max() < 0.02 * np.abs(exact).max()
    assert run.energy_error < 1e-4
