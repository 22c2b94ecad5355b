"""Stresses of plies, in fields, peaks, cycles and channels, beside classical lamination theory."""

import numpy as np
import pytest

import flexnet as fx

TAPE = fx.Orthotropic(E1=140e9, E2=10e9, nu12=0.3, G12=5e9, rho=1600.0)
PULL, WIDTH = 2e4, 0.1


def strip(angles, **channels):
    """A strip that is pulled along x: N = F/b, everything else zero away from its ends."""
    section = fx.ShellSection.laminate(TAPE, 5e-4, angles)
    points = {"a": (0.0, WIDTH / 2, 0.0), "b": (0.4, WIDTH / 2, 0.0)}
    body = fx.panel_body(
        (0.4, WIDTH), (16, 4), section, points=points, frames={"a": "a", "b": "b"},
        links=[fx.AverageLink(k, side, rotation_length=WIDTH) for k, side in (("a", "left"), ("b", "right"))],
    )  # fmt: skip
    s = fx.System("strip")
    part = s.flexible_body("strip", body, fx.Clamped("a"), 0, "attachment", stiffening=False)
    s.weld("grip", s.ground, part["a"])
    s.force("pull", part["b"], [PULL, 0.0, 0.0])
    middle = int(np.argmin(np.linalg.norm(body.mesh.nodes - [0.2, WIDTH / 2, 0.0], axis=1)))
    for name, (component, face) in channels.items():
        s.channel(name, fx.stress(part, middle, component, face))
    strain = np.linalg.solve(section.ABD, [PULL / WIDTH, 0, 0, 0, 0, 0])
    return s, strain


def ply_stress(strain, angle):
    """(σ1, σ2, τ12) of a ply without curvature, from the compliance of the tape."""
    c, s = np.cos(angle), np.sin(angle)
    T = np.array([[c * c, s * s, c * s], [s * s, c * c, -c * s], [-2 * c * s, 2 * c * s, c * c - s * s]])
    S = [[1 / 140e9, -0.3 / 140e9, 0.0], [-0.3 / 140e9, 1 / 10e9, 0.0], [0.0, 0.0, 1 / 5e9]]
    return np.linalg.solve(S, T @ strain[:3])


def settled(s):
    rest = fx.equilibrium(s)
    return fx.simulate(s, 1e-6, 1e-6, start=rest.equations.poses(rest.state))


def test_peaks_look_into_a_laminate():
    """90/0/0/90: the stress is in the inner plies, on their fibres, fourteen times that of the outer ones."""
    s, strain = strip([np.pi / 2, 0.0, 0.0, np.pi / 2])
    run = settled(s)
    peak = next(p for p in run.stress_peaks() if p.quantity == "s1")
    (found,) = fx.equilibrium(s).stress("strip").values()
    inner = found.ply_stress(1)[0]
    assert np.mean(inner[:, 0]) == pytest.approx(ply_stress(strain, 0.0)[0], rel=0.02)
    largest = 0.5 * (inner[:, 0] + inner[:, 1]) + np.hypot(0.5 * (inner[:, 0] - inner[:, 1]), inner[:, 2])
    assert peak.value == pytest.approx(largest.max(), rel=1e-6)
    assert peak.value > 2.0 * found.principal("top")[0, peak.element, 0]
    assert peak.at in (2, 3, 4, 5)
    assert f"s1 {peak.value:.4g} Pa" in repr(peak)
    assert abs(run.stress_history(peak)[-1]) == pytest.approx(peak.value, rel=1e-6)
    assert np.median(found.largest_stress()) > 10.0 * np.median(found.von_mises("top"))


def test_a_channel_has_the_stress_of_a_ply_along_its_fibres():
    """That of classical lamination theory under the forces and moments of the same point."""
    angles = [0.0, np.pi / 4, -np.pi / 4, np.pi / 2, np.pi / 2, -np.pi / 4, np.pi / 4, 0.0]
    forces = {c: (c, "top") for c in ("nx", "ny", "nxy", "mx", "my", "mxy")}
    chosen = {f"{c} {k}": (c, f"ply {k}") for k in (0, 1, 3) for c in ("sx", "sy", "sxy")}
    s, strain = strip(angles, **forces, **chosen)
    run = settled(s)
    ABD = fx.ShellSection.laminate(TAPE, 5e-4, angles).ABD
    here = np.linalg.solve(ABD, [run.channel(c)[-1] for c in forces])
    assert here[:3] == pytest.approx(strain[:3], abs=0.05 * strain[0])
    for k in (0, 1, 3):
        found = np.array([run.channel(f"{c} {k}")[-1] for c in ("sx", "sy", "sxy")])
        wanted = ply_stress(here[:3] + (k - 3.5) * 5e-4 * here[3:], angles[k])
        assert np.abs(found - wanted).max() < 1e-8 * np.abs(wanted).max()


def test_a_ply_that_is_not_there_is_refused_in_words():
    s, _ = strip([0.0, 0.0], there=("sx", "ply 2"))
    with pytest.raises(fx.ModelError, match="ply 2 of a section of 2"):
        fx.simulate(s, 1e-6, 1e-6)
    with pytest.raises(fx.ModelError, match=r"not one of bottom, middle, top, ply 0, ply 1"):
        fx.stress(s.bodies["strip"], 0, "sx", "ply two")
    with pytest.raises(fx.ModelError, match=r"not one of bottom, middle, top$"):
        fx.strain(s.bodies["strip"], 0, "ex", "ply 1")
