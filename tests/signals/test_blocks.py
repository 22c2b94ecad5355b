"""Every block with states in closed form, tables in two variables, and play in a joint."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import RegularGridInterpolator
from scipy.linalg import expm

import flexnet as fx
from flexnet.signals import evaluate


def answers(signals: dict[str, fx.Signal], end: float = 2.0, engine: str = "numeric") -> fx.Run:
    """What signals do beside a body at rest."""
    s = fx.System("blocks", planar=True)
    s.floats(s.rigid_body("body", 1.0, 1.0))
    for name, signal in signals.items():
        s.channel(name, signal)
    return fx.simulate(s, end, 1e-2, fx.dop853(), interval=0.1, tolerance=1e-11, engine=engine)


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
def test_blocks_with_states_answer_a_ramp_and_a_wave_in_closed_form(engine):
    t, w, T = fx.time(), 3.0, 0.2
    wave = fx.known(fx.harmonic(1.0, w), "m")
    A, B = np.array([[0.0, 1.0], [-5.0, -2.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    C, D = np.array([[1.0, 0.0], [0.5, -1.0]]), np.array([[0.0, 0.0], [2.0, 0.0]])
    one, two = fx.state_space([t, 1.0], A, B, C, D, start=[0.1, -0.2], units=["m", "N"])
    run = answers(
        {
            "integral": fx.integral(t, start=0.3),
            "lag": fx.lag(t, T, start=1.0),
            "derivative": fx.derivative(wave, T),
            "limited": fx.rate_limit(t, 0.4, 0.05),
            "transfer": fx.transfer_function(wave, [1.0, 2.0], [0.5, 1.0, 4.0]),
            "one": one,
            "two": two,
        },
        engine=engine,
    )
    x = run.t
    assert run.channel("integral") == pytest.approx(0.3 + x**2 / 2, abs=1e-9)
    assert run.channel("lag") == pytest.approx(x - T + (1.0 + T) * np.exp(-x / T), abs=1e-9)
    # (u - z)/T with ż = (u - z)/T: w (cos wt + wT sin wt - e^{-t/T})/(1 + w²T²)
    rate = w * (np.cos(w * x) + w * T * np.sin(w * x) - np.exp(-x / T)) / (1 + (w * T) ** 2)
    assert run.channel("derivative") == pytest.approx(rate, abs=1e-9)
    # a lag whose rate 1 - e^{-t/T} reaches 0.4 at t₁, where it is 0.4 T behind, and stays so from there
    t_1 = -0.05 * np.log(0.6)
    assert run.channel("limited")[1:] == pytest.approx(t_1 - 0.02 + 0.4 * (x[1:] - t_1), abs=1e-8)
    # a state space of the ramp and the constant, the input as two more states
    full = np.zeros((4, 4))
    full[:2, :2], full[:2, 2:], full[2, 3] = A, B, 1.0
    z = np.array([expm(full * a) @ [0.1, -0.2, 0.0, 1.0] for a in x])
    assert run.channel("one") == pytest.approx(z[:, 0], abs=1e-9)
    assert run.channel("two") == pytest.approx(0.5 * z[:, 0] - z[:, 1] + 2.0 * x, abs=1e-9)
    # 0.5 ÿ + ẏ + 4 y = u̇ + 2 u by the state that is driven alone: 0.5 z̈ + ż + 4 z = u, y = ż + 2 z
    f = lambda a, y: [y[1], 2.0 * (np.sin(w * a) - y[1] - 4.0 * y[0])]  # noqa: E731
    y = solve_ivp(f, (0.0, x[-1]), [0.0, 0.0], "DOP853", x, rtol=1e-12, atol=1e-14).y
    assert run.channel("transfer") == pytest.approx(y[1] + 2.0 * y[0], abs=1e-9)


def test_a_table_in_two_variables_is_bilinear_and_held_at_its_edges():
    rng = np.random.default_rng(0)
    x_at, y_at = [-1.0, 0.2, 0.5, 3.0], [2.0, 2.5, 7.0]
    values = rng.normal(size=(4, 3))
    x, y = fx.joint_coordinate("a"), fx.position(fx.System("s", planar=True).ground)
    table = fx.lookup(x, x_at, values, y=y, y_points=y_at, unit="N")
    assert table.unit == "N"
    exact = RegularGridInterpolator((x_at, y_at), values)
    for a, b in rng.uniform([-2.0, 1.0], [4.0, 8.0], (50, 2)):
        found = evaluate([table], lambda leaf, a=a, b=b: a if leaf is x else b, of_arrays=True)[0]
        held = np.clip(a, x_at[0], x_at[-1]), np.clip(b, y_at[0], y_at[-1])
        assert float(found) == pytest.approx(float(exact(held)), abs=1e-12)


@pytest.mark.parametrize(("tree", "engine"), [("joint", "numeric"), ("absolute", "symbolic")])
def test_two_sides_of_a_joint_with_play_meet_as_their_equations_say(tree, engine):
    J, I, k, c, play = 0.3, 0.2, 500.0, 0.1, 0.08
    s = fx.System("play", planar=True)
    drive, load = s.rigid_body("drive", 1.0, J), s.rigid_body("load", 1.0, I)
    s.revolute("a", s.ground, drive)
    s.revolute("b", drive, load)
    s.backlash("teeth", "b", play, k, c, centre=0.01)
    s.torque("motor", joint="a", torque=lambda t: 2.0 * np.sin(6.0 * t))
    s.channel("drive", fx.joint_coordinate("a"))
    s.channel("load", fx.joint_coordinate("b"))
    run = fx.simulate(s, 2.0, 1e-3, fx.dop853(), tree, 0.1, tolerance=1e-8, engine=engine)

    def f(t, y):
        x, v = y[1] - y[0], y[3] - y[2]
        low, high = max(0.01 - play / 2 - x, 0.0), max(x - 0.01 - play / 2, 0.0)
        T = k * low * max(1 - c * v, 0.0) - k * high * max(1 + c * v, 0.0)
        return [y[2], y[3], (2.0 * np.sin(6.0 * t) - T) / J, T / I]

    a, b = solve_ivp(f, (0.0, 2.0), [0.0] * 4, "DOP853", run.t, rtol=1e-11, atol=1e-13, max_step=1e-3).y[:2]
    assert np.ptp(b - a) > play
    assert run.channel("drive") == pytest.approx(a, abs=3e-6)
    assert run.channel("load") == pytest.approx(b - a, abs=3e-6)
