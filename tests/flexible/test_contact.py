"""Contact of flexible bodies: a cantilever against a stop, beside finite elements written here."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

import flexnet as fx

E, RHO, WIDTH, HEIGHT, LENGTH, ELEMENTS, MODES = 7e10, 2700.0, 0.02, 0.01, 1.0, 8, 4
STIFFNESS, GAP, SPEED = 2e4, 0.005, 1.0


def beam_matrices(clamped=True):
    """Mass and stiffness of Euler-Bernoulli beams: w and w' of all nodes, but the first one if clamped."""
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
    free = slice(2 if clamped else 0, None)
    return M[free, free], K[free, free]


def swinging_tip(t, modes):
    """Deflection of the tip, which starts with the first mode at the speed SPEED towards the stop."""
    M, K = beam_matrices()
    squares, shapes = eigh(K, M)
    squares, tip = squares[:modes], shapes[-2, :modes]

    def rate(_, y):
        depth = max(-GAP - tip @ y[:modes], 0.0)
        return np.concatenate([y[modes:], -squares * y[:modes] + tip * STIFFNESS * depth])

    start = np.zeros(2 * modes)
    start[modes] = -SPEED / tip[0]
    found = solve_ivp(rate, (0.0, t[-1]), start, "DOP853", t, rtol=1e-9, atol=1e-12, max_step=1e-3)
    return tip @ found.y[:modes]


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
    bends = np.flatnonzero(np.abs(up) > 1e-6 * np.abs(up).max())  # those that bend that way
    first = bends[0]
    v[places[first]] = -SPEED / up[first]
    run = fx.simulate(equations, 0.12, step=2e-5, method=method, interval=1e-3)
    exact = swinging_tip(run.t, len(bends))
    assert exact.min() < -1.1 * GAP  # it touches
    # with as many shapes it is the same motion; what is left falls with the square of the step
    assert np.abs(run.channel("tip") - exact).max() < 3e-4 * np.abs(exact).max()
    assert run.energy_error < 1e-4


MIDDLE, DROPPED = ELEMENTS // 2, 0.06


def dropped_middle(t):
    """Height of the middle of a free beam that falls at SPEED on a stop there; all its bending shapes."""
    M, K = beam_matrices(clamped=False)
    n, place = len(M), 2 * MIDDLE
    lift = np.zeros(n)
    lift[0::2] = 1.0
    squares, shapes = eigh(K, M)
    squares, at = squares[: 2 + 2 * MODES], shapes[place, : 2 + 2 * MODES]
    start = shapes[:, : len(at)].T @ M @ lift

    def rate(_, y):
        depth = max(-GAP - at @ y[: len(at)], 0.0)
        return np.concatenate([y[len(at) :], -squares * y[: len(at)] + at * STIFFNESS * depth])

    y = np.concatenate([np.zeros(len(at)), -SPEED * start])
    found = solve_ivp(rate, (0.0, t[-1]), y, "DOP853", t, rtol=1e-9, atol=1e-12, max_step=1e-3)
    return at @ found.y[: len(at)]


def dropped(kind: str) -> fx.System:
    """The beam as a floating frame with shapes, or geometrically exact; no weight, it has its speed."""
    s = fx.System("dropped")
    I_y, I_z = WIDTH * HEIGHT**3 / 12, HEIGHT * WIDTH**3 / 12
    if kind == "floating":
        section = fx.BeamSection(A=WIDTH * HEIGHT, Iy=I_y, Iz=I_z)
        material = fx.Material(E=E, nu=0.3, rho=RHO)
        body = fx.beam_body(LENGTH, ELEMENTS, material, section, frames={"middle": MIDDLE}, shear=False)
        beam = s.flexible_body("beam", body, modes=16, stiffening=False, velocity=[0, 0, -SPEED])
        s.floats(beam)
    else:
        line = RHO * WIDTH * HEIGHT
        rod = fx.RodSection(
            E * np.array([WIDTH * HEIGHT, 1.0, 1.0, I_y, I_y, I_z]), line, 1e-9 * np.array([2.0, 1.0, 1.0])
        )
        beam = s.exact_beam("beam", LENGTH, 2 * ELEMENTS, None, rod, shear=False)
        for part in beam.sections:
            part.velocity[2] = -SPEED
        s.floats(beam.sections[0])
    s.plane_contact("stop", s.ground.frame("S", [LENGTH / 2, 0, -GAP]), beam["middle"], STIFFNESS, axis="z")
    s.channel("middle", fx.position(beam["middle"], "z"))
    return s


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        ("floating", fx.hht()),
        ("floating", fx.energy_decaying()),
        pytest.param("exact", fx.energy_decaying(), marks=pytest.mark.slow),
        pytest.param("exact", fx.generalised_alpha(0.8), marks=pytest.mark.slow),
    ],
    ids=lambda x: x if isinstance(x, str) else x.name,
)
def test_a_beam_dropped_on_a_stop_moves_as_its_finite_elements_do(kind, method):
    run = fx.simulate(dropped(kind), DROPPED, step=5e-5, method=method, interval=5e-4)
    exact, found = dropped_middle(run.t), run.channel("middle")
    assert exact.min() < -1.5 * GAP  # it touches
    assert exact[-1] > -GAP  # and comes back
    assert np.abs(found - exact).max() < 2e-3 * np.ptp(exact)
    if method.name == "energy_decaying":
        E = run["energy/total"]
        assert np.diff(E).max() < 1e-12 * E[0]
