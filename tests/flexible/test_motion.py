"""Motions of flexible mechanisms: conservation, rigid limit, choice of the frame of reference."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.fem import Free
from flexnet.formulation import State
from tests.catalogue import build
from tests.flexible.bodies import KINDS, table


def momenta(equations, state):
    """Linear momentum and angular momentum about the ground's origin of a free body in the absolute tree."""
    M, _ = equations.mass_and_jacobian(state.q, state.t)
    poses, found = equations.poses(state), M @ state.v
    names = list(equations.coordinates.v_names)
    p = found[[names.index(f"body.{a}") for a in "xyz"]]
    h = found[[names.index(f"body.omega_{a}") for a in "xyz"]]
    return p, poses.R[1] @ h + np.cross(poses.p[1], p)


@pytest.mark.parametrize("stiffening", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_free_body_keeps_momentum_and_energy(kind, stiffening):
    s = fx.System("free")
    of = table(kind)
    body = s.flexible_body(
        "body", of, stiffening=stiffening, velocity=[0.3, -0.2, 0.1], angular_velocity=[1.0, 2.0, -1.5]
    )
    s.free("float", s.ground, body)
    equations = fx.formulate(s, "absolute")
    state = equations.initial
    runs = [fx.simulate(equations, 0.5, h, method=fx.generalised_alpha(1.0)) for h in (1e-3, 5e-4)]
    assert np.abs(runs[0]["bodies/body/elastic"]).max() > 1e-6
    before = momenta(equations, state)
    # largest along the run: it swings with the body, and what it happens to be at the end has no order
    drift = [0.0, 0.0]
    for i, run in enumerate(runs):
        for k in np.linspace(0, len(run.t) - 1, 26).astype(int):
            after = momenta(equations, State(run.t[k], run["state/q"][k], run["state/v"][k]))
            off = [np.abs(b - a).max() / np.abs(a).max() for a, b in zip(before, after, strict=True)]
            drift[i] = max(drift[i], *off)
    # damping is internal: momentum is kept to the order of the integrator, energy with the dissipated work
    assert drift[0] < 2e-4
    assert drift[1] < 0.4 * drift[0] or drift[1] < 1e-9
    kinetic = runs[1]["energy/kinetic"][0]
    assert runs[1].energy_error < 1e-4 * kinetic


def test_the_rigid_limit():
    """With E × 10⁶ a flexible four-bar moves as the rigid one."""
    section = fx.rectangle(0.02, 0.02)

    def four_bar(E, is_rigid=False):
        s = fx.System("four-bar")
        material = fx.Material(E=E, nu=0.3, rho=1200.0)
        s.ground.frame("C", [0.6, 0, 0])
        height = np.sqrt(0.5**2 - 0.15**2)
        crank = s.rigid_body("crank", 0.1, [1e-3] * 3, {"O": [0, 0, 0], "A": [0.3, 0, 0]})
        ends = {"coupler": (np.array([0.3, 0, 0]), np.arctan2(height, 0.15)),
                "follower": (np.array([0.6, 0, 0]), np.arctan2(height, -0.15))}  # fmt: skip
        links = {}
        for name, (place, angle) in ends.items():
            turn = fx.rotation("z", angle)
            if is_rigid:
                mass, I = 1200.0 * 4e-4 * 0.5, 1200.0 * section.Iz * 0.5
                J = mass * 0.25 / 12 + I
                frames = {"start": [-0.25, 0, 0], "end": [0.25, 0, 0]}
                links[name] = s.rigid_body(
                    name, mass, [2 * I, J, J], frames, position=place + turn @ [0.25, 0, 0], rotation=turn
                )
            else:
                links[name] = s.flexible_body(
                    name, fx.beam_body(0.5, 4, material, section), support=fx.Pinned("start", "end"), modes=4,
                    position=place, rotation=turn,
                )  # fmt: skip
        s.revolute("O", s.ground, crank["O"])
        s.universal("A", crank["A"], links["coupler"]["start"], axis_1="z", axis_2="y")
        s.spherical("B", links["coupler"]["end"], links["follower"]["end"])
        s.revolute("C", s.ground["C"], links["follower"]["start"])
        s.motion("drive", joint="O", angle=fx.polynomial(0.0, 0.0, 5.0))
        s.channel("angle", fx.joint_coordinate("C"), "rad")
        s.channel("torque", fx.torque("drive", "z"), "N*m")
        return fx.simulate(s, 0.6, 1e-3, method=fx.generalised_alpha(0.6))

    rigid = four_bar(2e8, is_rigid=True)
    # links start undeformed: the loads of the start reach them within a few steps
    far, late = [], rigid.t > 0.05
    for E in (2e8, 2e11, 2e14):
        soft = four_bar(E)
        far.append(
            [np.abs(soft.channel(c) - rigid.channel(c))[late].max() / np.abs(rigid.channel(c)).max()
             for c in ("angle", "torque")]
        )  # fmt: skip
    assert far[0][0] > 1e-6
    assert far[1][0] < 0.05 * far[0][0]
    assert far[2][0] < 1e-6
    assert far[2][1] < 2e-3


def swinging(support, method="full", modes=None):
    """Tip of a beam that swings from the horizontal, seen from the ground."""
    s = fx.System("swing")
    s.gravity([0.0, -9.81, 0.0])
    body = s.flexible_body(
        "body", fx.beam_body(1.0, 4, STIFF, fx.rectangle(0.03, 0.03)), support=support, method=method,
        modes=modes,
    )  # fmt: skip
    s.revolute("O", s.ground, body["start"])
    s.channel("tip", fx.position(body["end"], "y"), "m")
    s.channel("tip_x", fx.position(body["end"], "x"), "m")
    run = fx.simulate(s, 0.4, 1e-3, method=fx.generalised_alpha(0.8))
    return np.stack([run.channel("tip_x"), run.channel("tip")])


STIFF = fx.Material(E=2.0e8, nu=0.3, rho=1200.0)


def test_the_frame_of_reference_does_not_change_the_motion():
    """Clamped, pinned and mean axes with all freedoms, and mean axes with enough modes."""
    rigid = _rigid_tip()
    clamped = swinging(fx.Clamped("start"))
    bent = np.abs(clamped - rigid).max()
    assert bent > 1e-4
    for other in (
        swinging(fx.Pinned("start", "end")),
        swinging(Free(), "attachment", 8),
        swinging(fx.Clamped("end")),
    ):
        assert np.abs(other - clamped).max() < 0.02 * bent


def _rigid_tip():
    s = fx.System("rigid swing")
    s.gravity([0.0, -9.81, 0.0])
    mass, I = 1200.0 * 9e-4, 1200.0 * fx.rectangle(0.03, 0.03).Iz
    J = mass / 12 + I
    body = s.rigid_body("body", mass, [2 * I, J, J], {"a": [-0.5, 0, 0], "b": [0.5, 0, 0]}, [0.5, 0, 0])
    s.revolute("O", s.ground, body["a"])
    s.channel("tip", fx.position(body["b"], "y"), "m")
    s.channel("tip_x", fx.position(body["b"], "x"), "m")
    run = fx.simulate(s, 0.4, 1e-3, method=fx.generalised_alpha(0.8))
    return np.stack([run.channel("tip_x"), run.channel("tip")])


def test_the_rod_of_leger_whips_the_same_in_every_tree():
    """Benchmark A.5: d = 3 mm, three modes, 10 rad of the crank; the trees with fewest and most equations."""
    system = build("slider_crank_flexible", diameter=0.003, modes=3)
    found = []
    for T, R in (("O A B", "drive B slide"), ("O B slide", "drive A B"), ("O A slide", "drive A slide")):
        equations = fx.formulate(system, translation=T.split(), rotation=R.split())
        run = fx.simulate(equations, 10 / 150, 2e-5, method=fx.generalised_alpha(0.9))
        found.append(run.channel("deflection"))
    assert 0.019 < np.abs(found[0]).max() < 0.022
    for other in found[1:]:
        assert np.abs(other - found[0]).max() < 2e-3 * np.abs(found[0]).max()


def test_ten_automatic_modes_move_the_four_bar_as_all_freedoms_do():
    """Deflections within 1 % of all 24 coordinates of its links; ten eigenmodes are not."""
    found = {
        modes: fx.simulate(
            build("four_bar", modes=modes), 0.005, 2e-5, method=fx.generalised_alpha(0.9)
        ).channel("coupler_deflection")
        for modes in (24, "auto", 10)
    }
    error = {key: np.abs(x - found[24]).max() / np.abs(found[24]).max() for key, x in found.items()}
    assert error["auto"] < 0.01
    assert error[10] > max(0.01, 5 * error["auto"])
