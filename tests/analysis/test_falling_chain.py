"""A chain falls on a plane: it neither rattles nor pierces, and its energy does what the method promises."""

import numpy as np
import pytest

import flexnet as fx

HALF, MASS, BENT = 0.05, 0.1, 0.1


def chain(links: int) -> fx.System:
    """A zigzag of links above a plane, which all pins and both ends touch as it falls; it slides and rubs."""
    s = fx.System("chain", planar=True)
    s.gravity([0, -9.81, 0])
    at, last = np.array([0.0, 0.02]), None
    for k in range(links):
        angle = BENT if k % 2 == 0 else -BENT
        way = HALF * np.array([np.cos(angle), np.sin(angle)])
        turned, ends = fx.rotation("z", angle), {"in": [-HALF, 0], "out": [HALF, 0]}
        link = s.rigid_body(f"l{k}", MASS, MASS * HALF**2 / 3, ends, [*(at + way), 0], turned)
        if last is None:
            s.floats(link)
            touch(s, "first", link["in"])
        else:
            s.revolute(f"p{k}", last, link["in"])
        touch(s, f"c{k}", link["out"])
        last, at = link["out"], at + 2 * way
    return s


def touch(s, name, frame):
    s.plane_contact(name, s.ground, frame, 2e4, axis="y", damping=0.2, friction=0.3, slip_speed=0.01)
    s.channel(name, fx.position(frame, "y"), "m")


SIZES = [8, pytest.param(220, marks=pytest.mark.slow)]


def fallen(links, method, tree="default"):
    """The run, after looking whether contacts were made, 200 of a long chain, and none pierced."""
    run = fx.simulate(chain(links), 0.4, 5e-4, method, tree)
    names = ["first", *(f"c{k}" for k in range(links))]
    deepest = np.array([run.channel(name).min() for name in names])
    assert np.sum(deepest < 0.0) >= min(links + 1, 200)
    # the blow of 1 m/s of a whole link goes sqrt(m v²/k) deep
    assert deepest.min() > -np.sqrt(MASS * 2 * 9.81 * 0.1 / 2e4) * 2
    return run


@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("links", SIZES)
def test_the_decaying_scheme_never_gains_energy(links, tree):
    run = fallen(links, fx.energy_decaying(), tree)
    E = run["energy/total"]
    assert np.diff(E).max() < 1e-13 * E[0]
    assert E[-1] < 0.9 * E[0]
    # every step closes to some 1e-14 of the energy; there are 800
    assert np.abs(fx.audit(run).balance).max() < 1e-11 * E[0]
    # what the scheme takes besides is little of what contacts take; both are losses
    assert 0.0 < run["energy/scheme"][-1] / run["energy/damping"][-1] < 0.01


def growth(run) -> float:
    """Largest gain of energy over what it was at any time before, J."""
    E = run["energy/total"]
    return float((E - np.minimum.accumulate(E)).max())


@pytest.mark.parametrize("method", [fx.hht(), fx.generalised_alpha(0.8)], ids=lambda m: m.name)
@pytest.mark.parametrize("links", SIZES)
def test_alpha_methods_gain_no_more_than_their_error_estimate_allows(links, method):
    """Positions off by ε of the length L change the energy by the work of the loads over them: ε L ΣN."""
    run = fallen(links, method)
    names = ["first", *(f"c{k}" for k in range(links))]
    loads = sum(2e4 * np.maximum(-run.channel(name), 0.0) for name in names)
    off = float(run.validity.split("positions ")[1].split(" of")[0]) * run.equations.scale.length
    allowed = off * loads.max()
    assert growth(run) < allowed
    assert np.abs(fx.audit(run).balance).max() < allowed


@pytest.mark.parametrize("method", [fx.hht(), fx.generalised_alpha(0.8)], ids=lambda m: m.name)
def test_what_alpha_methods_gain_falls_with_the_square_of_the_step(method):
    coarse, fine = (growth(fx.simulate(chain(8), 0.3, h, method)) for h in (5e-4, 1.25e-4))
    assert coarse / fine > 9.0
