"""A run says how far it can be trusted."""

from functools import cache

import catalogue
import numpy as np
import pytest
from pendulums import pendulum

import flexnet as fx
from flexnet.fem import largest_strain
from flexnet.integrators import METHODS
from flexnet.results import Results

#: methods that can keep a fixed step, and two of them in turn
FIXED = [
    *(method for make in METHODS.values() if (method := make()).traits.is_fixed),
    fx.relay([(0.0, fx.hht()), (4e-3, fx.energy_decaying())]),
]


def cantilever(load: float, modes: int = 3, duration: float = 1.0) -> fx.System:
    """A beam of length, E I and mass one, one end built in, a force on the other."""
    s = fx.System("cantilever", planar=True)
    section = fx.rectangle(0.01, 0.01)
    material = fx.Material(E=12e8, nu=0.3, rho=1e4, eta=0.05)
    beam = fx.beam_body(1.0, 4, material, section)
    arm = s.flexible_body("beam", beam, support=fx.Clamped("start"), modes=modes)
    s.weld("wall", s.ground, arm["start"])
    s.force("tip", arm["end"], [0.0, fx.smooth_step(0.0, load, duration=duration), 0.0])
    return s


def warned(run: fx.Run, path, *words: str) -> None:
    """One warning has all the words, on the terminal's list and in the file."""
    found = [text for text in run.warnings if all(word in text for word in words)]
    assert len(found) == 1, run.warnings
    assert found[0] in Results.open(path).status.message


@pytest.mark.parametrize("method", [fx.hht(), fx.energy_preserving(), fx.energy_decaying()])
def test_the_estimate_of_fixed_steps_is_of_the_size_of_the_error(method):
    exact = fx.simulate(pendulum(1.0), 5.0, 1e-3, fx.reference(1e-12), interval=0.5)["state/q"]
    for h in (1e-2, 5e-3, 2.5e-3):
        run = fx.simulate(pendulum(1.0), 5.0, h, method)
        error = np.abs(run["state/q"][:: round(0.5 / h)] - exact).max()
        told = float(run.validity.split("positions ")[1].split()[0])
        assert 0.1 < told / error < 10.0
        assert not run.warnings


def test_schemes_in_turn_add_up_their_errors():
    whole = fx.simulate(pendulum(1.0), 5.0, 1e-2)
    turns = fx.simulate(pendulum(1.0), 5.0, 1e-2, [(0.0, fx.hht()), (2.5, fx.generalised_alpha(0.8))])
    first, second = (float(run.validity.split("positions ")[1].split()[0]) for run in (whole, turns))
    assert 0.5 < second / first < 2.0


def test_a_step_that_is_too_coarse_is_warned_about():
    run = fx.simulate(pendulum(2.5), 10.0, 0.2)
    assert any("step" in text for text in run.warnings)


@pytest.mark.parametrize("method", [fx.hht(), fx.generalised_alpha(0.6), fx.energy_preserving()])
def test_half_a_second_on_a_fast_arm_is_warned_about(method, tmp_path):
    """An arm that makes two turns in a step; the run reaches its end all the same."""
    out = tmp_path / "run.h5"
    run = fx.simulate(pendulum(0.0, rate=25.0), 10.0, 0.5, method, out=out, throw=False)
    if run.status.is_done:
        warned(run, out, "estimated error of positions", "smaller step")


@pytest.mark.parametrize("load", [1.0, 2.0, 5.0])
def test_a_large_deflection_in_one_floating_frame_is_warned_about(load, tmp_path):
    """P L²/E I = 1, 2, 5: off by some ten, half a hundred and hundreds of per cent."""
    out = tmp_path / "run.h5"
    run = fx.simulate(cantilever(load), 1.5, 5e-3, out=out, throw=False)
    warned(run, out, "turns by", "one floating frame", "divide the body")
    warned(run, out, "second order", "divide the body")
    assert run.validity in Results.open(out).status.message


def test_a_small_deflection_is_told_without_a_warning(tmp_path):
    run = fx.simulate(cantilever(0.05), 1.5, 5e-3)
    assert "beam turns by" in run.validity
    assert not run.warnings


def test_strain_and_second_order_share_are_those_of_the_beam():
    """A tip force P: σ = P L (h/2)/I, the tip comes nearer by 3 w²/5 L."""
    load = 0.02
    run = fx.simulate(cantilever(load, modes=6, duration=20.0), 30.0, 1e-2)
    words = run.validity.split("second-order share ")[1]
    deflection = load / 3
    assert float(words.split(",")[0]) == pytest.approx(0.6 * deflection, rel=0.1)
    assert float(words.split("strain ")[1].rstrip(".")) == pytest.approx(load * 0.005, rel=0.1)


def test_strain_of_a_section_without_an_outline_is_that_of_a_rectangle():
    steel = fx.Material(E=2e11, nu=0.3, rho=7800.0)
    shape = fx.rectangle(0.02, 0.01)
    bare = fx.BeamSection(A=shape.A, Iy=shape.Iy, Iz=shape.Iz, J=shape.J, ky=shape.ky, kz=shape.kz)
    u = np.linspace(0.0, 1e-3, 30)
    one, other = (fx.beam_body(1.0, 4, steel, section) for section in (shape, bare))
    assert largest_strain(other, u) == pytest.approx(largest_strain(one, u), rel=1e-12)


def test_a_stretched_plate_has_its_strain():
    steel = fx.Material(E=2e11, nu=0.3, rho=7800.0)
    plate = fx.panel_body((1.0, 1.0), (2, 2), fx.ShellSection.uniform(0.01, steel))
    u = np.zeros((len(plate.mesh.nodes), 6))
    u[:, 0] = 2e-3 * plate.mesh.nodes[:, 0]
    assert largest_strain(plate, u.reshape(-1)) == pytest.approx(2e-3, rel=1e-9)


@pytest.mark.parametrize("method", [fx.hht(), fx.generalised_alpha(0.9)])
def test_steps_that_do_not_resolve_the_axial_mode_are_bounded_and_warned_about(method, tmp_path):
    out = tmp_path / "run.h5"
    system = catalogue.build("slider_crank_flexible", modes=6)
    run = fx.simulate(system, 0.02, 2e-4, method, out=out)
    assert np.abs(run["joints/slide/force"]).max() < 300.0
    warned(run, out, "not resolved by the step", "smaller step")


@pytest.mark.parametrize("method", FIXED, ids=lambda method: method.name)
def test_what_a_run_says_of_its_steps_does_not_depend_on_its_rows(method):
    """Steps were once looked at where they ended a row: one in twenty of them told of the others."""
    e, h = _slider_crank(), 2e-4
    runs = [fx.simulate(e, 40 * h, h, method, interval=every * h) for every in (1, 5, 20)]
    told = np.array([[r.status.error, r.status.roughness, r.status.load_error] for r in runs])
    assert np.isfinite(told[0, 0])
    # rows of energy schemes leave a matrix to the next step, which changes what its corrector leaves
    np.testing.assert_allclose(told[1:], told[[0, 0]], rtol=1e-4)
    kinds = [[w.split(" ")[:4] for w in r.warnings] for r in runs]
    assert kinds[0] == kinds[1] == kinds[2]


@pytest.mark.parametrize("method", [make() for make in METHODS.values()], ids=lambda method: method.name)
def test_the_balance_of_energies_is_that_of_steps_where_every_row_is_at_rest(method):
    """A mass on a spring, rows where it turns back: there is no kinetic energy in any of them to judge by."""
    s = fx.System("turning back", planar=True)
    block = s.rigid_body("block", 1.0, 0.1, position=[1.2, 0])
    s.prismatic("slide", s.ground, block)
    s.spring("k", s.ground.frame("wall", [-1.0, 0]), block, 4 * np.pi**2, free_length=2.0)
    runs = [fx.simulate(s, 3.0, 0.02, method, interval=0.02 * every) for every in (1, 25)]
    assert runs[1]["energy/kinetic"].max() < 0.01
    if method.name == "reference":  # it alone looks at rows
        return
    for run in runs:
        assert run.status.energy == pytest.approx(0.5 * 4 * np.pi**2 * 0.2**2, rel=0.02)
        assert not run.warnings
    if method.traits.is_fixed:
        # the largest of some of the steps, each of which is a row of the first run
        assert 0.95 <= (runs[0].status.energy_error + 1e-8) / (runs[0].energy_error + 1e-8) <= 1.0 + 1e-5
        assert runs[0].status.energy_error == pytest.approx(runs[1].status.energy_error, abs=1e-9)


@cache
def _slider_crank():
    return fx.formulate(catalogue.build("slider_crank_flexible", modes=6))


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.8, 1.0])
def test_the_error_of_accelerations_that_follow_from_places_is_that_of_the_method(rho):
    """V = exp(st) or q = exp(st), held: (1) and (2) of the method give v̇ too large by C₂ (h s)²."""
    m = fx.generalised_alpha(rho)
    for held, constant in enumerate(m.load_constants):
        far = []
        for s in (0.02, 0.01):  # h s
            z = np.exp(s)
            a = (z - 1) / (1 - m.gamma + m.gamma * z)  # h a/v
            if held == 1:
                way = 1 + (0.5 - m.beta + m.beta * z) * (a := (z - 1) / (1 - m.gamma + m.gamma * z))
                a = a * (z - 1) / way  # h² a/q
            vdot = a * ((1 - m.alpha_m) * z + m.alpha_m) / ((1 - m.alpha_f) * z + m.alpha_f)
            far.append((vdot / s ** (1 + held) - 1) / s**2)
        assert 2 * far[1] - far[0] == pytest.approx((-1) ** (1 - held) * constant, abs=2e-3)


@pytest.mark.parametrize(("load", "kinds"), [(0.1, 0), (1.0, 2)])
def test_a_rest_says_where_a_body_is_bent_beyond_its_range(load, kinds, caplog):
    """As a run does: rotation within one floating frame, and motion of second order."""
    found = fx.equilibrium(cantilever(load, duration=1e-3), t=1.0)
    assert len(found.warnings) == kinds, found.warnings
    assert all("divide the body" in text and text in caplog.text for text in found.warnings)


def test_a_linearisation_says_where_a_body_is_bent_beyond_its_range():
    rest = fx.equilibrium(cantilever(1.0, duration=1e-3), t=1.0)
    with pytest.warns(UserWarning, match="divide the body") as said:
        fx.linearise(rest.equations, rest.state)
    assert [str(w.message).split(": ", 1)[1] for w in said] == list(rest.warnings)


@pytest.mark.parametrize("method", [fx.hht(-0.1), fx.generalised_alpha(1.0), fx.energy_preserving()], ids=str)
def test_of_what_stands_still_no_energy_balance_is_judged(method):
    """A body held askew has round-off for its motion: 5e-38 J of 3e-38 J were warned of."""
    along, foot = np.array([0.3, 0.5, 0.8]), np.array([0.3, 0.1, 0.7])
    tip = foot + 1.000005 * along / np.linalg.norm(along)  # welded where the end is
    s = fx.System("still")
    beam = fx.beam_body(
        1.0, 8, fx.Material(E=7e10, nu=0.3, rho=2700.0), fx.rectangle(0.01, 0.02), direction=along
    )
    rod = s.flexible_body("rod", beam, fx.Clamped("start"), modes=4, position=foot)
    s.revolute("pin", s.ground.frame("foot", foot), rod["start"], axis="z")
    s.weld("tip", rod["end"], s.rigid_body("hub", 1.0, [0.1] * 3, position=tip))
    for how in ({}, {"tolerance": 1e-6}):
        run = fx.simulate(s, 0.5, 1e-3, method, "absolute", **how)
        assert not run.warnings
        assert run["energy/kinetic"].max() < 1e-18
