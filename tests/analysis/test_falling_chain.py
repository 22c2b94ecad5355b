"""A chain falls on a plane: it neither rattles nor pierces, and its energy does what the method promises."""

import numpy as np
import pytest

import flexnet as fx

HALF, MASS, BENT, STIFFNESS, STEP = 0.05, 0.1, 0.1, 2e4, 5e-4


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
    s.plane_contact(name, s.ground, frame, STIFFNESS, axis="y", damping=0.2, friction=0.3, slip_speed=0.01)
    s.channel(name, fx.position(frame, "y"), "m")


SIZES = [8, pytest.param(220, marks=pytest.mark.slow)]


def fallen(links, method, tree="default"):
    """The run, after looking whether contacts were made, 200 of a long chain, and none pierced."""
    run = fx.simulate(chain(links), 0.4, STEP, method, tree)
    names = ["first", *(f"c{k}" for k in range(links))]
    deepest = np.array([run.channel(name).min() for name in names])
    assert np.sum(deepest < 0.0) >= min(links + 1, 200)
    # the blow of 1 m/s of a whole link goes sqrt(m v²/k) deep
    assert deepest.min() > -np.sqrt(MASS * 2 * 9.81 * 0.1 / STIFFNESS) * 2
    return run


def round_off(links: int, steps: int) -> float:
    """What round-off of heights does to the balance, J.

    A height is a sum along the chain, off by eps of its length; a contact pushes with k times that over the
    way of a step, fallen from 0.03 m, and the signs of all contacts and steps are those of chance.
    """
    off = np.finfo(float).eps * 2 * HALF * links
    way = STEP * np.sqrt(2 * 9.81 * 0.03)
    return STIFFNESS * off * way * np.sqrt((links + 1) * steps)


@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("links", SIZES)
def test_the_decaying_scheme_never_gains_energy(links, tree):
    run = fallen(links, fx.energy_decaying(), tree)
    E = run["energy/total"]
    assert np.diff(E).max() < 1e-13 * E[0]
    assert E[-1] < 0.9 * E[0]
    assert np.abs(fx.audit(run).balance).max() < round_off(links, len(E))
    # what the scheme takes besides is little of what contacts take; both are losses
    assert 0.0 < run["energy/scheme"][-1] / run["energy/damping"][-1] < 0.01


def growth(run) -> float:
    """Largest gain of energy over what it was at any time before, J."""
    E = run["energy/total"]
    return float((E - np.minimum.accumulate(E)).max())


def misjudged(run, links: int) -> tuple[float, float]:
    """Largest energy that steps may lose where contacts are made, and gain where they are left, J.

    A step of way x passes the surface after its part s. Its force, k (1 - s) x at the end or k s x at the
    begin, acts half over all of x, not over what lies below: k x² s (1 - s)/2 too much, at most k x²/8.
    Making a contact loses so much, leaving it gains; where a contact stays force and potential fit.
    """
    heights = np.array([run.channel(name) for name in ["first", *(f"c{k}" for k in range(links))]])
    most = STIFFNESS * np.diff(heights) ** 2 / 8
    side = np.diff((heights < 0.0).astype(int))
    return float(most[side > 0].sum()), float(most[side < 0].sum())


@pytest.mark.parametrize("method", [fx.hht(), fx.generalised_alpha(0.8)], ids=lambda m: m.name)
@pytest.mark.parametrize("links", SIZES)
def test_alpha_methods_gain_no_more_than_steps_misjudge_contacts(links, method):
    run = fallen(links, method)
    lost, gained = misjudged(run, links)
    assert growth(run) < gained
    assert np.abs(fx.audit(run).balance).max() < max(lost, gained)
    # which the estimated error of positions ε, of the length L, allows: the work ε L ΣN of the loads over it
    names = ["first", *(f"c{k}" for k in range(links))]
    loads = sum(STIFFNESS * np.maximum(-run.channel(name), 0.0) for name in names)
    off = float(run.validity.split("positions ")[1].split(" of")[0]) * run.equations.scale.length
    assert max(lost, gained) < off * loads.max()


@pytest.mark.parametrize("method", [fx.hht(), fx.generalised_alpha(0.8)], ids=lambda m: m.name)
def test_what_alpha_methods_gain_falls_with_the_square_of_the_step(method):
    coarse, fine = (growth(fx.simulate(chain(8), 0.3, h, method)) for h in (5e-4, 1.25e-4))
    assert coarse / fine > 9.0
