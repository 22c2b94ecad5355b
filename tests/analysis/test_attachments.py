"""Bodies that events attach and detach: momentum is kept, energy is lost as it must be, in every tree."""

import re
from pathlib import Path

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import GraphError, ModelError
from flexnet.graph import RULES
from flexnet.integrators import METHODS

# two masses that meet: m, J, offset of their paths
M_A, M_B, J_A, J_B, ASIDE, U_A, U_B = 2.0, 3.0, 0.01, 0.02, 0.05, 1.0, -0.2


def masses() -> fx.System:
    """Two bodies that fly past one another, are welded where their frames meet, and part again."""
    s = fx.System("masses", planar=True)
    a = s.rigid_body("a", M_A, J_A, {"tip": [0.1, 0]}, velocity=[U_A, 0])
    b = s.rigid_body("b", M_B, J_B, {"grip": [-0.1, 0]}, position=[1.0, ASIDE], velocity=[U_B, 0])
    s.floats(a, b)
    s.attachment("hold", "weld", a["tip"], b["grip"], holds=False)
    near = fx.position(b["grip"], "x") - fx.position(a["tip"], "x")
    s.event("take", near, fx.attach("hold"), "falling")
    s.event("drop", fx.time() - 1.5, fx.detach("hold"))
    s.channel("force", fx.force("hold"))
    return s


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_two_masses_join_turn_about_their_centre_and_fly_on(tree, engine):
    run = fx.simulate(masses(), 2.0, 0.01, fx.energy_preserving(), tree=tree, engine=engine)
    met, total = 0.8 / (U_A - U_B), M_A + M_B
    r = np.array([0.2, ASIDE])  # from a to b at that time
    mu = M_A * M_B / total
    J = J_A + J_B + mu * r @ r
    w = mu * (r[0] * 0.0 - r[1] * (U_B - U_A)) / J
    u = (M_A * U_A + M_B * U_B) / total
    lost = 0.5 * mu * (U_A - U_B) ** 2 - 0.5 * J * w**2
    turn = w * (1.5 - met)
    c, s = np.cos(turn), np.sin(turn)
    arm = np.array([c * r[0] - s * r[1], s * r[0] + c * r[1]])  # from a to b as they part
    v_a = np.array([u, 0]) - M_B / total * w * np.array([-arm[1], arm[0]])
    v_b = np.array([u, 0]) + M_A / total * w * np.array([-arm[1], arm[0]])
    take, drop = run.events
    assert (take.name, drop.name) == ("take", "drop")
    assert take.t == pytest.approx(met, abs=1e-11)
    assert take.energy == pytest.approx(-lost, rel=1e-9)
    jump = np.array([u, 0]) - M_B / total * w * np.array([-r[1], r[0]]) - [U_A, 0]
    assert take.impulse == pytest.approx(M_A * np.linalg.norm(jump), rel=1e-9)
    assert (drop.impulse, drop.energy) == (0.0, 0.0)
    assert run["frames/a/velocity"][-1, :2] == pytest.approx(v_a, abs=2e-6)
    assert run["frames/b/velocity"][-1, :2] == pytest.approx(v_b, abs=2e-6)
    held = (run.t > met + 0.01) & (run.t < 1.495)
    # what holds them is the centripetal force
    expected = np.where(held, mu * w**2 * np.linalg.norm(r), 0.0)
    clear = (np.abs(run.t - met) > 0.03) & (np.abs(run.t - 1.5) > 0.02)
    assert run.channel("force")[clear] == pytest.approx(expected[clear], abs=2e-4)
    assert np.linalg.norm(run["joints/hold/force"], axis=1) == pytest.approx(run.channel("force"), abs=1e-12)
    audit = fx.audit(run)
    assert np.abs(audit.balance).max() < 1e-12
    assert audit.works["damping"][-1] == pytest.approx(-lost, rel=1e-9)


def catch(like: str) -> fx.System:
    """A satellite with a flexible boom catches a spinning body that drifts by, and lets it go."""
    s = fx.System("satellite")
    core = s.rigid_body("core", 5.0, [0.4, 0.5, 0.6], {"root": [0.2, 0, 0]}, angular_velocity=[0, 0, 0.1])
    steel = fx.Material(E=7e10, nu=0.33, rho=2700.0)
    bar = fx.beam_body(0.5, 2, steel, fx.rectangle(0.02, 0.02))
    boom = s.flexible_body("boom", bar, support=fx.Clamped("start"), modes=3, position=[0.2, 0, 0])
    s.revolute("hinge", core["root"], boom["start"], axis="y")
    s.torsional_spring("spring", joint="hinge", stiffness=5.0)
    caught = s.rigid_body(
        "caught", 0.8, [2e-3, 3e-3, 4e-3], {"ear": [0, 0, 0.1]}, position=[0.68, 0.02, -0.2],
        rotation=fx.rotation("x", 0.4), velocity=[0.1, -0.2, 0.5], angular_velocity=[0.5, 1.0, -0.3],
    )  # fmt: skip
    s.floats(core, caught)
    s.attachment("hold", like, boom["end"], caught["ear"], holds=False)
    s.event("take", fx.time() - 0.1003, fx.attach("hold"))
    s.event("drop", fx.time() - 0.22, fx.detach("hold"))
    for k, body in enumerate((core, caught)):
        for axis in "xyz":
            s.channel(f"{k}{axis}", fx.position(body, axis), "m")
    return s


@pytest.mark.slow
@pytest.mark.parametrize("like", ["weld", "spherical", "revolute", "prismatic", "universal"])
@pytest.mark.parametrize("tree", RULES)
def test_a_flexible_satellite_catches_a_body_alike_in_every_tree_and_engine(tree, like):
    given = {"end": 0.3, "step": 1e-3, "method": fx.dop853(), "interval": 0.02, "tolerance": 1e-9}
    first = fx.simulate(catch(like), **given)
    assert [e.name for e in first.events] == ["take", "drop"]
    assert first.events[0].energy < 0.0
    for engine in ("numeric", "symbolic"):
        run = fx.simulate(catch(like), tree=tree, engine=engine, **given)
        assert run.events[0].impulse == pytest.approx(first.events[0].impulse, rel=1e-7)
        assert run.events[0].energy == pytest.approx(first.events[0].energy, rel=1e-7)
        for name in (f"{k}{axis}" for k in range(2) for axis in "xyz"):
            assert run.channel(name) == pytest.approx(first.channel(name), abs=1e-8)


def bob(limit: float, steps=None) -> fx.System:
    """A mass on a rod that breaks where its pull reaches a limit."""
    s = fx.System("bob")
    s.gravity([0, 0, -9.81])
    rod = s.rigid_body("rod", 1e-3, [1e-9, 1e-9, 1e-9], {"O": [0, 0, 0.5], "A": [0, 0, -0.5]}, [0, 0, -0.5])
    ball = s.rigid_body("ball", 2.0, [1e-3] * 3, position=[0, 0, -1.0])
    s.revolute("O", s.ground, rod["O"], axis="y")
    s.attachment("bolt", "weld", rod["A"], ball)
    s.start("O", angle=-1.2)
    s.event("breaks", fx.force("bolt") - limit, fx.detach("bolt"), "rising")
    for axis in "xz":
        s.channel(axis, fx.position(ball, axis), "m")
    return s


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
def test_a_rod_that_breaks_at_a_pull_lets_its_mass_fly_on_a_parabola(engine):
    """A pull of m (g cos θ + l θ̇²), less what a rod of a gram and the ball's own inertia change of it."""
    run = fx.simulate(bob(40.0), 0.8, 1e-3, fx.dop853(), engine=engine, tolerance=1e-10)
    (broke,) = run.events
    before = int(np.searchsorted(run.t, broke.t)) - 1
    speed = np.linalg.norm(run["frames/ball/velocity"][before])
    height = run.channel("z")[before] + np.cos(1.2)
    assert 0.5 * 2.0 * speed**2 == pytest.approx(-2.0 * 9.81 * height, rel=2e-3)
    pull = np.linalg.norm(run["joints/bolt/force"], axis=1)
    assert pull[before] == pytest.approx(40.0, rel=5e-3)
    assert pull[: before + 1].max() < 40.0 + 1e-9
    assert not pull[before + 1 :].any()
    p, v = run["frames/ball/position"][before + 1], run["frames/ball/velocity"][before + 1]
    t = run.t[before + 1 :] - run.t[before + 1]
    falls = p + np.outer(t, v) - 0.5 * np.outer(t**2, [0, 0, 9.81])
    assert run["frames/ball/position"][before + 1 :] == pytest.approx(falls, abs=1e-9)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", METHODS)
def test_every_method_attaches_and_detaches(name):
    run = fx.simulate(masses(), 1.6, 0.01, METHODS[name]())
    assert [e.name for e in run.events] == ["take", "drop"]
    total = M_A * run["frames/a/velocity"] + M_B * run["frames/b/velocity"]
    assert total[:, 0] == pytest.approx(M_A * U_A + M_B * U_B, abs=1e-6)


def test_the_same_body_is_taken_again_where_it_is_then():
    """A weld that closes, opens and closes holds another place each time."""
    s = masses()
    s.event("again", fx.time() - 1.8, fx.attach("hold"))
    run = fx.simulate(s, 2.5, 0.01)
    assert [e.name for e in run.events] == ["take", "drop", "again"]
    late = run.t > 1.85
    apart = np.linalg.norm((run["frames/b/position"] - run["frames/a/position"])[late], axis=1)
    assert np.ptp(apart) < 1e-10
    assert apart[0] > 0.21


def test_a_run_cut_before_and_after_an_attachment_goes_on_bit_for_bit(tmp_path):
    given = {"step": 5e-3, "block": 32}
    whole = fx.simulate(masses(), 2.0, out=tmp_path / "whole.h5", **given)
    for k, cut in enumerate((0.32, 1.2)):
        path = tmp_path / f"{k}.h5"
        fx.simulate(masses(), cut, out=path, **given)
        again = fx.simulate(masses(), 2.0, out=path, resume=True, **given)
        for column in ("state/q", "state/v", "joints/hold/force", "energy/damping"):
            assert np.array_equal(again[column], whole[column])
        assert again.events == whole.events


def test_what_cannot_be_attached_is_refused_in_a_sentence():
    s = masses()
    with pytest.raises(ModelError, match=r"event 'x': 'hald' is no attachment; .* did you mean 'hold'"):
        s.event("x", fx.time() - 1.0, fx.attach("hald"))
    with pytest.raises(ModelError, match=r"attachment 'y' can be like .*, not 'gear_pair'"):
        s.attachment("y", "gear_pair", s.bodies["a"], s.bodies["b"])
    with pytest.raises(ModelError, match="motion driver 'd': 'hold' is an attachment, which comes and goes"):
        s.motion("d", joint="hold", angle=1.0)
    with pytest.raises(ModelError, match="channel 'c' measures the coordinate of the attachment 'hold'"):
        s.channel("c", fx.joint_coordinate("hold"))
    with pytest.raises(GraphError, match="'hold' cannot be a branch: it comes and goes"):
        fx.formulate(s, require=["hold"])


def test_bodies_that_drivers_move_apart_are_not_attached():
    s = fx.System("driven", planar=True)
    made = [s.rigid_body(name, 1.0, 0.1, position=[k, 0]) for k, name in enumerate("ab")]
    for k, body in enumerate(made):
        s.prismatic(f"rail{k}", s.ground.frame(f"R{k}", [k, 0]), body, axis="x")
        s.motion(f"drive{k}", joint=f"rail{k}", displacement=fx.ramp(1.0 + k))
    s.attachment("hold", "weld", *made, holds=False)
    s.event("take", fx.time() - 0.5, fx.attach("hold"))
    with pytest.raises(ModelError, match="event 'take' attaches 'hold', whose bodies drivers move apart"):
        fx.simulate(s, 1.0, 0.01)


PAGE = Path(__file__).parents[2] / "docs" / "theory" / "events.md"


def test_the_gripper_of_the_page_takes_its_load_at_the_time_it_leaves_its_stand():
    """J ω = (J + m l²) ω⁺ about the pin; of two events of one signal the second happens, too."""
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S):
        exec(compile(code, str(PAGE), "exec"), names)
    leave, take, throw = names["thrown"].events
    assert (leave.name, take.name, throw.name) == ("leave", "take", "throw")
    J, held, w = 0.35, 0.4, np.sqrt(9.81 / 0.35)
    assert take.t == pytest.approx(leave.t, abs=1e-12)
    assert take.impulse == pytest.approx(held * w * J / (J + held), rel=1e-5)
    assert take.energy == pytest.approx(-0.5 * w**2 * J * held / (J + held), rel=1e-5)


def test_a_start_after_an_attachment_says_that_it_knows_nothing_of_it(caplog):
    run = fx.simulate(masses(), 1.0, 0.01)
    with caplog.at_level("WARNING", logger="flexnet"):
        run.state(0.5)
        assert not caplog.records
        run.state()
    assert "event 'take' changed what holds before t = 1 s" in caplog.text
