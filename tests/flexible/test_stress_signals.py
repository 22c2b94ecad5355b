"""Stress as a signal: forces follow it, events watch it, in any tree and both engines."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.analysis.stress_fields import nodal_stresses
from flexnet.errors import ModelError
from tests.flexible.bodies import BODIES

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)


def blade(component, gain, steps=20, **how):
    """A blade under gravity with a mass at its end, on which a force follows a stress at the root."""
    s = fx.System("blade")
    s.gravity([30, -9.81, 0])
    body = fx.beam_body(2.0, 4, STEEL, fx.rectangle(0.05, 0.03))
    made = s.flexible_body("blade", body, support=fx.Clamped("start"), modes=3)
    s.weld("hub", s.ground, made["start"])
    tip = s.rigid_body("tip", 1.0, [0.01] * 3, position=[2, 0, 0])
    s.revolute("pin", made["end"], tip)
    stress = fx.stress(made, "start", component)
    s.force("follower", tip, [(gain * stress).measured_in("N"), 0, 0])
    s.channel("stress", stress)
    s.channel("force", fx.force("follower", "x"))
    s.channel("tip", fx.position(tip, "y"))
    for name in ("N", "Mz", "sigma"):
        s.channel(name, fx.stress(made, "start", name))
    for name in ("e", "kz", "epsilon"):
        s.channel(name, fx.strain(made, "start", name))
    return fx.simulate(s, steps * 1e-4, 1e-4, **how) if steps else s


@pytest.mark.parametrize(
    ("component", "engine"), [("Mz", "numeric"), ("sigma", "numeric"), ("N", "symbolic")]
)
def test_a_force_follows_the_stress_that_is_recorded(component, engine):
    """A signal is what a channel records: inertia, gravity, loads on the frames and prestress included."""
    gain = {"N": 0.2, "Mz": 0.1, "sigma": 1e-6}[component]
    run = blade(component, gain, engine=engine)
    followed = gain * run.channel("stress")
    assert np.abs(followed).max() > 1.0
    assert np.allclose(run.channel("force"), followed, rtol=0, atol=1e-9 * np.abs(followed).max())
    # strains are the stresses over E, A and I
    E, A, Iz = STEEL.E, 0.05 * 0.03, fx.rectangle(0.05, 0.03).Iz
    for strain, stress, stiffness in (("e", "N", E * A), ("kz", "Mz", E * Iz), ("epsilon", "sigma", E)):
        assert run.channel(strain) == pytest.approx(run.channel(stress) / stiffness, rel=1e-12, abs=1e-18)


@pytest.mark.slow
@pytest.mark.parametrize("component", ["N", "Vy", "Mz", "sigma"])
def test_trees_and_engines_agree_on_motion_under_a_stress(component):
    gain = {"sigma": 1e-6}.get(component, 0.1)
    runs = [
        blade(component, gain, tree=tree, engine=engine)
        for tree in ("default", "absolute", "joint")
        for engine in ("numeric", "symbolic")
    ]
    for run in runs[1:]:
        assert np.allclose(run.channel("tip"), runs[0].channel("tip"), rtol=0, atol=2e-9)
        peak = np.abs(runs[0].channel("stress")).max()
        assert np.allclose(run.channel("stress"), runs[0].channel("stress"), rtol=0, atol=2e-3 * peak)


def test_feedback_of_the_root_tension_adds_to_it_by_its_gain():
    """At rest N = F and F = k N + F₀: N = F₀/(1 - k), whatever is between them."""
    s = fx.System("rod")
    damped = fx.Material(E=2.1e11, nu=0.3, rho=7800.0, eta=1e-4)
    body = fx.beam_body(1.0, 2, damped, fx.rectangle(0.05, 0.03))
    rod = s.flexible_body("rod", body, support=fx.Clamped("start"), modes=0, method="attachment")
    s.weld("hub", s.ground, rod["start"])
    k, pull = 0.25, 300.0
    tension = fx.stress(rod, "start", "N")
    s.force("pull", rod["end"], [k * tension + pull, 0, 0])
    s.channel("N", tension)
    found = fx.simulate(s, 0.02, 1e-4)
    assert found.channel("N")[-1] == pytest.approx(pull / (1.0 - k), rel=1e-4)


def test_an_event_stops_a_run_where_the_stress_passes_its_limit():
    s = blade("N", 0.0, steps=0)
    limit = 5e6
    s.event("yield", fx.stress(s.bodies["blade"], "start", "sigma") - limit, fx.stop(), "rising")
    run = fx.simulate(s, 0.05, 1e-4)
    sigma = run.channel("sigma")
    assert run.t[-1] < 0.05
    assert sigma[-1] == pytest.approx(limit, rel=1e-9)
    assert (sigma[:-1] < limit * (1 + 1e-9)).all()


def test_von_mises_of_a_shell_can_be_fed_back_from_rest():
    """At zero stress √ has no slope; the run starts nevertheless."""
    s = fx.System("panel")
    body = BODIES["shell"]()
    panel = s.flexible_body("panel", body, support=fx.Clamped(body.frames["a"]), modes=2)
    s.weld("hub", s.ground, panel["a"])
    node = int(body.mesh.triangles[0, 0])
    stress = fx.stress(panel, node, "von_mises")
    s.force("load", panel["b"], [0, 0, fx.smooth_step(0.0, 1.0, 1e-3)])
    strain = fx.strain(panel, node, "e1", "bottom")
    followed = (1e-9 * stress).measured_in("N") + strain * fx.quantity(1e-3, "N")
    s.force("follow", panel["b"], [0, followed, 0])
    s.channel("stress", stress)
    for name in ("sx", "sy", "sxy", "s1", "s2"):
        s.channel(name, fx.stress(panel, node, name, "bottom"))
        s.channel(f"e{name[1:]}", fx.strain(panel, node, f"e{name[1:]}", "bottom"))
    s.channel("force", fx.force("follow", "y"))
    run = fx.simulate(s, 1e-3, 1e-4)
    assert run.channel("stress")[-1] > 0.0
    wanted = 1e-9 * run.channel("stress") + 1e-3 * run.channel("e1")
    assert np.allclose(run.channel("force"), wanted, rtol=1e-9, atol=1e-18)
    # Hooke's law in a plane
    m = body.regions[0].section.plies[0].material
    for a, b in (("x", "y"), ("y", "x"), ("1", "2"), ("2", "1")):
        wanted = (run.channel(f"s{a}") - m.nu * run.channel(f"s{b}")) / m.E
        assert run.channel(f"e{a}") == pytest.approx(wanted, rel=1e-9, abs=1e-20)
    assert run.channel("exy") == pytest.approx(run.channel("sxy") * 2 * (1 + m.nu) / m.E, rel=1e-9, abs=1e-20)


def test_a_stress_that_redundant_joints_leave_open_is_refused_as_a_signal():
    s = fx.System("twice")
    body = fx.beam_body(2.0, 4, STEEL, fx.rectangle(0.05, 0.03))
    made = s.flexible_body("blade", body, support=fx.Clamped("start"), modes=2)
    s.weld("one", s.ground, made["start"])
    s.weld("two", s.ground, made["start"])
    s.force("follow", made["end"], [0, 0.1 * fx.stress(made, "start", "N"), 0])
    with pytest.raises(ModelError, match="redundant constraints leave the load of"):
        fx.simulate(s, 1e-3, 1e-4)


def test_nodal_stresses_of_frames_come_some_at_a_time_and_are_means_of_cells():
    run = blade("N", 0.0)
    blocks = list(nodal_stresses(run, "blade", block=8))
    assert [len(b) for b in blocks] == [8, 8, 5]
    found, ends = np.concatenate(blocks), run.stress("blade")["beam"].outer_stress()
    assert np.allclose(found[:, 0], ends[:, 0, 0])
    assert np.allclose(found[:, 1], 0.5 * (ends[:, 0, 1] + ends[:, 1, 0]))
    (some,) = nodal_stresses(run, "blade", times=[run.t[3], run.t[7]])
    assert np.allclose(some, found[[3, 7]])


@pytest.mark.parametrize("engine", ["numeric", pytest.param("symbolic", marks=pytest.mark.slow)])
def test_section_forces_of_exact_beams_can_be_followed(engine):
    """N, Vy and Mz at the root and inside, at the head and the tail of an element: what channels record."""
    s, gains = fx.System("rod"), {"N": 0.1, "Vy": 0.1, "Mz": 0.05}
    rod = fx.RodSection.of(fx.Material(E=1e7, nu=0.3, rho=1000.0), fx.rectangle(0.05, 0.03))
    beam = s.exact_beam("beam", 1.0, 2, None, rod)
    s.weld("clamp", s.ground, beam["start"])
    s.force("F", beam["end"], [5.0, 3.0, 0.0])
    for k, (name, point) in enumerate((("N", 0), ("Vy", 1), ("Mz", 0), ("Mz", 1))):
        signal = beam.section_force(name, point)
        s.force(f"f{k}", beam["end"], [0, (gains[name] * signal).measured_in("N"), 0])
        s.channel(f"s{k}", signal)
        s.channel(f"f{k}", fx.force(f"f{k}", "y"))
    run = fx.simulate(s, 0.01, 5e-4, engine=engine)
    for k, name in enumerate(("N", "Vy", "Mz", "Mz")):
        followed = gains[name] * run.channel(f"s{k}")
        assert np.abs(followed).max() > 1e-4
        assert np.allclose(run.channel(f"f{k}"), followed, rtol=0, atol=1e-9 * np.abs(followed).max())
