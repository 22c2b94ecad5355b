"""Simulations against published and exact solutions."""

import catalogue
import numpy as np
import pytest
from references import DATA, curve

import flexnet as fx

#: places of the IVP test set's coordinates among the joint angles of the squeezer
IVP = ("O", "F", "B", "G", "A5", "H", "A7")  # β Θ γ Φ δ Ω ε


def squeezer_end(run: fx.Run) -> tuple[np.ndarray, np.ndarray]:
    names = run.equations.coordinates.v_names
    order = [names.index(f"{joint}.angle") for joint in IVP]
    return run["state/q"][-1, order], run["state/v"][-1, order]


def published() -> dict[str, np.ndarray]:
    """Values of the IVP test set at t = 0.03 s by kind: q, v, a, lambda."""
    lines = (DATA / "andrews_ivp_reference_t003.csv").read_text().splitlines()
    values = np.array([float(line.split(",")[3]) for line in lines if line[:1].isdigit()])
    return {"q": values[:7], "v": values[7:14], "a": values[14:21], "lambda": values[21:]}


def test_squeezer_at_30_ms_is_the_published_one_to_1e_8():
    run = fx.simulate(
        catalogue.build("squeezer"),
        0.03,
        1e-6,
        fx.reference(1e-12),
        tree="joint",
        interval=1e-3,
        require=IVP,
    )
    q, v = squeezer_end(run)
    np.testing.assert_allclose(q, published()["q"], atol=1e-8)
    np.testing.assert_allclose(v, published()["v"], rtol=5e-6, atol=1e-6)


def squeezer_angles(run: fx.Run) -> np.ndarray:
    names = run.equations.coordinates.v_names
    return run["state/q"][:, [names.index(f"{joint}.angle") for joint in IVP]]


@pytest.mark.parametrize(
    ("method", "h", "error"),
    [(fx.reference(1e-12), 1e-6, 1e-9), (fx.hht(), 2.5e-6, 1e-5)],
    ids=["reference", "hht"],
)
def test_squeezer_follows_its_reference_curve(method, h, error):
    reference = curve("A03_andrews_squeezer")
    run = fx.simulate(
        catalogue.build("squeezer"), 0.03, h, method, tree="joint", interval=2.5e-4, require=IVP
    )
    wanted = np.stack([reference[f"q{k}"] for k in range(1, 8)], axis=1)[: len(run.t)]
    np.testing.assert_allclose(squeezer_angles(run), wanted, atol=error)


def test_squeezer_loads_are_those_of_the_reference_curve():
    """The reference closes all loops at the rod's end of pin E, the model at that of body K3."""
    reference = curve("A03_andrews_squeezer")
    run = fx.simulate(catalogue.build("squeezer"), 0.03, 2.5e-6, interval=2.5e-4)
    lam = np.stack([reference[f"lam{k}"] for k in range(1, 7)], axis=1)[: len(run.t)].reshape(-1, 3, 2)
    wanted = {"E2": lam.sum(axis=1), "E4": lam[:, 1], "E6": lam[:, 2]}
    for joint, force in wanted.items():
        size = np.linalg.norm(force, axis=1)
        found = np.linalg.norm(run[f"joints/{joint}/force"], axis=1)
        np.testing.assert_allclose(found, size, atol=2e-4 * size.max(), err_msg=joint)


def test_a01_pendulum_is_the_exact_one():
    reference = curve("A01_simple_pendulum")
    run = fx.simulate(catalogue.build("simple_pendulum"), 10.0, 2e-4, interval=0.1)
    t = np.round(reference["t"] / 0.1).astype(int)
    np.testing.assert_allclose(0.1 * t, reference["t"], atol=1e-9)
    np.testing.assert_allclose(run.channel("x")[t], reference["x"], atol=2e-6)
    np.testing.assert_allclose(run.channel("y")[t], reference["y"], atol=2e-6)
    assert run.energy_error < 1e-5


def test_a02_four_bar_is_the_exact_one():
    reference = curve("A02_N2_fourbar")
    run = fx.simulate(catalogue.build("n_four_bar", N=2), 10.0, 2e-4, interval=0.1)
    k = np.round(reference["t"] / 0.1).astype(int)
    np.testing.assert_allclose(run.channel("B0_x")[k], reference["B0x"], atol=5e-5)
    np.testing.assert_allclose(run.channel("B0_y")[k], reference["B0y"], atol=5e-5)


@pytest.mark.parametrize(("tree", "error"), [("joint", 2e-4), ("absolute", 2e-5)])
def test_heavy_top_is_the_reference_one(tree, error):
    reference = curve("heavy_top")
    run = fx.simulate(catalogue.build("heavy_top"), 2.0, 2e-5, tree=tree, interval=0.02)
    k = np.round(reference["t"] / 0.02).astype(int)
    np.testing.assert_allclose(0.02 * k, reference["t"], atol=1e-9)
    for axis in "xyz":
        np.testing.assert_allclose(run.channel(f"x_{axis}")[k], reference[axis], atol=error)
        np.testing.assert_allclose(
            run.channel(f"reaction_{axis}")[k], reference[f"f{axis}"], atol=2e3 * error
        )


def test_heavy_top_by_the_reference_route_is_exact():
    run = fx.simulate(catalogue.build("heavy_top"), 1.0, 1e-4, fx.reference(1e-12), interval=0.5)
    found = [run.channel(f"x_{axis}")[-1] for axis in "xyz"]
    assert found == pytest.approx([0.17334396, 0.64008859, -0.74849079], abs=1e-8)
