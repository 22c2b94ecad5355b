"""Moving condenser plates and piezo patches: lossless, and as their theories say."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ModelError
from flexnet.formulation import snapshot

EPSILON = 8.8541878128e-12
MASS, STIFFNESS, GAP, AREA = 1e-9, 5.0, 2e-6, 1e-8
#: of a plate on a spring, at a third of the gap
PULL_IN = np.sqrt(8.0 * STIFFNESS * GAP**3 / (27.0 * EPSILON * AREA))


def plate(damping: float = 0.0, resistance: float = 1e3) -> fx.System:
    """A plate on a spring above an electrode."""
    s = fx.System("plate", planar=True)
    s.ground.frame("under", [0.0, 0.0])
    s.ground.frame("over", [0.0, GAP])
    body = s.rigid_body("plate", MASS, 1e-20, position=[0.0, GAP])
    s.prismatic("P", s.ground["over"], body, axis="y")
    s.spring("k", s.ground["over"], body, stiffness=STIFFNESS, damping=damping, axis="y")
    s.plate_condenser("c", "a", s.ground, s.ground["under"], body, AREA, GAP, resistance)
    s.channel("y", fx.joint_coordinate("P", "displacement"))
    return s


def test_charge_brought_slowly_shows_the_voltage_of_pull_in() -> None:
    s = plate(damping=2e-5)
    charge = EPSILON * AREA / (2.0 / 3.0 * GAP) * PULL_IN
    s.current_source("I", s.ground, "a", 1.2 * charge / 4e-3)
    run = fx.simulate(s, 4e-3, 4e-6, interval=2e-5)
    v = run.channel("c.plates.voltage")
    assert v.max() == pytest.approx(PULL_IN, rel=2e-3)
    assert run.channel("y")[v.argmax()] == pytest.approx(-GAP / 3.0, rel=0.05)


def test_plates_and_source_exchange_energy_without_loss() -> None:
    s = plate(resistance=1e8)
    s.voltage_source("V", "a", s.ground, 0.5 * PULL_IN)
    found = fx.audit(fx.simulate(s, 2e-4, 1e-7, fx.dop853(), interval=1e-6))
    assert np.abs(found.works["forces"]).max() > 1e-3 * found.scale
    np.testing.assert_allclose(found.works["forces"], -found.works["ports"], rtol=0, atol=1e-14 * found.scale)
    assert np.abs(found.balance).max() < 1e-8 * found.scale


LENGTH, WIDTH, THICK, E, D31 = 0.05, 5e-3, 1e-3, 6.2e10, -1.7e-10
GAMMA = E * D31 * WIDTH * THICK / 2.0


def bimorph(voltage: float | None) -> fx.System:
    """A cantilever of two layers, bent by a voltage."""
    s = fx.System("bimorph", planar=True)
    inertia = WIDTH * THICK**3 / 12.0
    section = fx.BeamSection(A=WIDTH * THICK, Iy=inertia, Iz=inertia, ky=0.8, kz=0.8)
    strip = fx.beam_body(LENGTH, 8, fx.Material(E=E, nu=0.3, rho=7800.0), section)
    beam = s.flexible_body("beam", strip, support=fx.Clamped("start"), modes=3)
    s.weld("clamp", s.ground, beam["start"])
    s.piezo_patch("p", "a", s.ground, beam["start"], beam["end"], GAMMA, 2e-8)
    if voltage is None:
        s.resistor("R", "a", s.ground, 1e5)
    else:
        s.voltage_source("V", "a", s.ground, voltage)
    s.channel("tip", fx.position(beam["end"], "y"))
    return s


def test_the_tip_of_a_bimorph_bends_as_theory_says() -> None:
    rest = fx.equilibrium(bimorph(10.0))
    e, x = rest.equations, rest.state
    v = np.concatenate([x.v, e.z_of(x)])
    rows = snapshot(e, [x.t], [x.q], [v], [0.0 * v], [rest.lam])
    tip = rows.values.position[0, e.packer.node["beam.end"], 1]
    assert tip == pytest.approx(3.0 * D31 * 10.0 * LENGTH**2 / THICK**2, rel=0.02)


def test_a_bent_patch_feeds_a_resistor_and_nothing_is_lost_between() -> None:
    s = bimorph(None)
    s.force("push", s.bodies["beam"]["end"], [0.0, fx.harmonic(0.1, 300.0), 0.0])
    found = fx.audit(fx.simulate(s, 0.01, 2e-5, interval=1e-4))
    assert found.works["losses"][-1] < 0.0
    assert np.abs(found.balance).max() < 1e-3 * found.scale


def test_a_condenser_without_area_is_refused() -> None:
    s = plate()
    with pytest.raises(ModelError, match="area of 'd' must be a positive number"):
        s.plate_condenser("d", "b", s.ground, s.ground["under"], s.bodies["plate"], 0.0, GAP, 1.0)


def bimorph_in_space(voltage: float | None) -> fx.System:
    """The same cantilever in space: a patch above pulls, one below pushes, both along their lines."""
    s = fx.System("bimorph_in_space")
    strip = fx.beam_body(LENGTH, 8, fx.Material(E=E, nu=0.3, rho=7800.0), fx.rectangle(WIDTH, THICK))
    beam = s.flexible_body("beam", strip, support=fx.Clamped("start"), modes=4, method="craig_bampton")
    s.weld("clamp", s.ground, beam["start"])
    z = THICK / 2.0
    frames = {"above": [0, 0, z], "below": [0, 0, -z]}
    tip = s.rigid_body("tip", 1e-6, 1e-12 * np.eye(3), frames, position=[LENGTH, 0, 0])
    s.weld("cap", beam["end"], tip)
    for name, sign in (("above", 1.0), ("below", -1.0)):
        s.ground.frame(name, frames[name])
        s.piezo_patch(name, "a", s.ground, s.ground[name], tip[name], sign * GAMMA / (2.0 * z), 1e-8)
    if voltage is None:
        s.resistor("R", "a", s.ground, 1e5)
        s.force("push", tip, [0.0, 0.0, fx.harmonic(0.1, 300.0)])
    else:
        s.voltage_source("V", "a", s.ground, voltage)
    return s


def test_a_bimorph_in_space_bends_as_theory_says() -> None:
    rest = fx.equilibrium(bimorph_in_space(10.0))
    e, x = rest.equations, rest.state
    v = np.concatenate([x.v, e.z_of(x)])
    rows = snapshot(e, [x.t], [x.q], [v], [0.0 * v], [rest.lam])
    tip = rows.values.position[0, e.packer.node["beam.end"]]
    # a positive constant pushes its ends apart: above, it bends the strip down
    assert tip[2] == pytest.approx(-3.0 * D31 * 10.0 * LENGTH**2 / THICK**2, rel=1e-4)
    assert abs(tip[1]) < 1e-6 * abs(tip[2])


def test_patches_in_space_lose_nothing_between_beam_and_resistor() -> None:
    s = bimorph_in_space(None)
    found = fx.audit(fx.simulate(s, 0.01, 2e-5, interval=1e-4))
    assert found.works["losses"][-1] < 0.0
    assert np.abs(found.balance).max() < 1e-3 * found.scale
