"""The sparse elimination solves what the dense one solves, at a cost that follows the sparsity."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import flexnet as fx
from cases import leger_a01_four_bar, n_four_bar, squeezer
from flexnet.components import Revolute
from flexnet.dae import DENSE as FULL
from flexnet.dae import Sparsity
from flexnet.integrators import Settings, begin, dopri5, generalised_alpha, hht
from flexnet.integrators.alpha_state import DENSE, TANGENT
from flexnet.integrators.elimination import plan_elimination, plan_tangent
from flexnet.integrators.rows import ITERATIONS
from flexnet.kernels import sparse_ldl, sparse_lu
from tests.benchmarks import chain


def flexible_chain(N: int = 6, modes: int = 3) -> fx.System:
    """Steel strips of half a metre in series, let go level."""
    s = fx.System("strips", planar=True)
    s.gravity([0.0, -9.81])
    material = fx.Material(E=2e11, nu=0.3, rho=7800.0)
    section = fx.BeamSection(A=1e-5, Iy=1e-12, Iz=1e-12, ky=0.5, kz=0.5)
    strip = fx.beam_body(0.5, 4, material, section)
    end = s.ground.origin
    for i in range(N):
        at = [0.5 * i, 0.0]
        link = s.flexible_body(f"strip{i}", strip, support=fx.Clamped("start"), modes=modes, position=at)
        s.revolute(f"pin{i}", end, link["start"])
        end = link["end"]
    return s


SYSTEMS = {
    "squeezer": squeezer.build,
    "windows": lambda: n_four_bar.build(6),
    "spatial four-bar": lambda: leger_a01_four_bar.build(planar=False),
    "chain": lambda: chain.build(12),
}


def planned(system: fx.System, tree: str):
    equations = fx.formulate(system, tree)
    dae = equations.dae()
    return equations, dae, plan_elimination(dae.sparsity, dae.n_v, dae.m)


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("tree", ["joint", "absolute_angular", "absolute"])
def test_sparsity_covers_every_nonzero(name: str, tree: str) -> None:
    equations, dae, _ = planned(SYSTEMS[name](), tree)
    M, G = equations.mass_and_jacobian(equations.initial.q)
    if dae.sparsity is None:  # anywhere
        assert np.count_nonzero(M) > FULL * M.size
        return
    can_M, can_G = np.zeros(M.shape, dtype=bool), np.zeros(G.shape, dtype=bool)
    can_M[tuple(dae.sparsity.mass.T)] = True
    can_G[tuple(dae.sparsity.jacobian.T)] = True
    assert np.all(can_M[M != 0.0])
    assert np.all(can_G[G != 0.0])


@pytest.mark.parametrize("name", SYSTEMS)
def test_sparse_factors_solve_the_equations(name: str) -> None:
    equations, _, plan = planned(SYSTEMS[name](), "absolute")
    n, m = equations.n_v, equations.m
    assert len(plan.order) == n + m
    M, G = equations.mass_and_jacobian(equations.initial.q)
    A = np.block([[M, G.T], [G, np.zeros((m, m))]])
    x = np.random.default_rng(0).standard_normal(n + m)
    b = A @ x
    values = np.zeros(n + m + len(plan.rows))
    sparse_ldl.gather(plan, M, G, values)
    assert sparse_ldl.factor(plan, values) > 0.0
    sparse_ldl.solve(plan, values, b, np.zeros(n + m))
    np.testing.assert_allclose(b, x, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_constraint_waits_for_its_coordinates(name: str) -> None:
    equations, dae, plan = planned(SYSTEMS[name](), "absolute")
    turn = np.empty(len(plan.order), dtype=int)
    turn[plan.order] = np.arange(len(plan.order))
    rows, columns = dae.sparsity.jacobian.T
    assert np.all(turn[equations.n_v + rows] > turn[columns])


def test_a_chain_in_absolute_coordinates_costs_as_much_as_it_is_long() -> None:
    products = [len(planned(chain.build(N), "absolute")[2].targets) for N in (20, 40, 80)]
    assert products[2] - products[1] == 2 * (products[1] - products[0])


@pytest.mark.parametrize(
    ("build", "tree", "method", "way"),
    [
        (partial(chain.build, 30), "joint", dopri5, "along the tree of 30 bodies"),
        (partial(chain.build, 3), "joint", hht, "dense"),
        (partial(chain.build, 30), "absolute", hht, "sparse, "),
        (flexible_chain, "absolute", hht, "sparse, "),
    ],
)
def test_how_linear_equations_are_solved_is_logged(build, tree, method, way, caplog) -> None:
    """By the way that takes fewest products, also where bodies are flexible."""
    with caplog.at_level("DEBUG", "flexnet"):
        begin(fx.formulate(build(), tree).dae(), method(), Settings(1e-3, 1e-2))
    (said,) = (r.getMessage() for r in caplog.records if r.getMessage().startswith("elimination of"))
    assert said.partition(": ")[2].startswith(way)


def test_a_full_mass_matrix_stays_dense() -> None:
    assert len(planned(chain.build(12), "joint")[2].order) == 0


@pytest.mark.parametrize("tree", ["joint", "absolute_angular", "absolute"])
def test_sparsity_covers_mass_and_stiffness_of_flexible_bodies(tree: str) -> None:
    _, dae, _ = planned(flexible_chain(3), tree)
    n, m = dae.n_v, dae.m
    rng = np.random.default_rng(0)
    q = dae.q + 0.01 * rng.standard_normal(dae.n_q)
    M, G, none = np.zeros((n, n)), np.zeros((m, n)), np.zeros(m)
    dae.residual(dae.model, 0.0, q, dae.v, np.zeros(n), none, dae.work, np.zeros(n), np.zeros(m))
    dae.matrices(dae.model, dae.work, 1.0, 1.0, M, G)
    can_M, can_G = np.zeros(M.shape, dtype=bool), np.zeros(G.shape, dtype=bool)
    can_M[tuple(dae.sparsity.mass.T)] = True
    can_G[tuple(dae.sparsity.jacobian.T)] = True
    assert np.all(can_M[M != 0.0])
    assert np.all(can_G[G != 0.0])


def test_a_chain_of_flexible_links_costs_as_much_as_it_is_long() -> None:
    products = [len(planned(flexible_chain(N), "absolute")[2].targets) for N in (5, 10, 20)]
    assert products[2] - products[1] == 2 * (products[1] - products[0])


@pytest.mark.parametrize("name", ["squeezer", "windows", "strips"])
def test_sparse_and_dense_runs_agree(name: str) -> None:
    step = 1e-5 if name == "squeezer" else 1e-3
    dae = fx.formulate({**SYSTEMS, "strips": flexible_chain}[name](), "absolute").dae()
    assert len(plan_elimination(dae.sparsity, dae.n_v, dae.m).order)
    ends = []
    for one in (dae, replace(dae, sparsity=None)):
        integration = begin(one, generalised_alpha(0.8), Settings(step, 200 * step))
        rows = list(integration.blocks())
        assert integration.status.is_done
        ends.append(rows[-1].q[-1])
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-9)


def test_a_plan_is_laid_out_in_rows_whatever_the_order_of_its_places() -> None:
    """Places that were found column by column (as those of generated code are) once stopped the run."""
    _, dae, plan = planned(SYSTEMS["squeezer"](), "absolute")
    turned = Sparsity(np.asfortranarray(dae.sparsity.mass), np.asfortranarray(dae.sparsity.jacobian))
    for part, same in zip(plan_elimination(turned, dae.n_v, dae.m), plan, strict=True):
        assert part.flags.c_contiguous
        assert np.array_equal(part, same)


def test_a_freedom_without_inertia_is_left_to_the_dense_elimination() -> None:
    # slender rods have no inertia about their own axis; the pins hold it
    system = n_four_bar.build(3, planar=False)
    ends = []
    for tree in ("absolute", "joint"):
        equations = fx.formulate(system, tree)
        integration = begin(equations.dae(), generalised_alpha(0.8), Settings(1e-3, 0.1))
        rows = list(integration.blocks())
        assert integration.status.is_done
        ends.append(equations.poses(fx.State(0.1, rows[-1].q[-1], rows[-1].v[-1])).p)
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-6)


def test_a_singular_matrix_is_not_factored() -> None:
    equations, _, plan = planned(SYSTEMS["windows"](), "absolute")
    M, G = equations.mass_and_jacobian(equations.initial.q)
    values = np.zeros(equations.n_v + equations.m + len(plan.rows))
    sparse_ldl.gather(plan, M, 0.0 * G, values)
    assert sparse_ldl.factor(plan, values) == 0.0


def sprung(N: int = 10) -> fx.System:
    """A chain of rods with springs and dampers between every rod and the next but one."""
    s = fx.System("sprung", planar=True)
    s.gravity([0.0, -9.81])
    ends = [s.ground.origin]
    for i in range(N):
        rod = s.rigid_body(f"rod{i}", 1.0, 1 / 12, {"A": [-0.5, 0.0], "B": [0.5, 0.0]}, position=[i + 0.5, 0])
        s.revolute(f"joint{i}", ends[-1], rod["A"])
        if i > 1:
            s.spring(f"spring{i}", ends[-2], rod["B"], stiffness=3e4, damping=200.0, free_length=1.9)
        ends.append(rod["B"])
    return s


TANGENTS = {**SYSTEMS, "strips": flexible_chain, "sprung": sprung}


@pytest.mark.parametrize("name", TANGENTS)
@pytest.mark.parametrize("tree", ["joint", "absolute_angular", "absolute"])
def test_sparsity_covers_every_derivative_of_the_residual(name: str, tree: str) -> None:
    _, dae, _ = planned(TANGENTS[name](), tree)
    found = dae.sparsity and dae.sparsity.tangent()
    if found is None:
        pytest.skip("as good as full")
    n, m, rng = dae.n_v, dae.m, np.random.default_rng(1)
    v, a, lam = (rng.standard_normal(k) for k in (n, n, m))
    start, q, r = np.empty(dae.n_q), np.empty(dae.n_q), np.zeros((3, n))
    dae.compose(dae.model, dae.q, 0.05 * dae.sizes * rng.standard_normal(n), start)
    can = np.zeros((n, n), dtype=bool)
    can[tuple(found.T)] = True
    assert np.array_equal(can, can.T)
    dae.residual(dae.model, 0.0, start, v, a, lam, dae.work, r[0], np.zeros(m))
    for k in range(n):
        step = np.zeros(n)
        step[k] = 1e-3 * dae.sizes[k]
        dae.compose(dae.model, start, step, q)
        dae.residual(dae.model, 0.0, q, v, a, lam, dae.work, r[1], np.zeros(m))
        dae.residual(dae.model, 0.0, start, v + step, a, lam, dae.work, r[2], np.zeros(m))
        change = np.abs(r[1:] - r[0]).max(axis=0)
        assert np.all(can[change > 1e-9 * np.abs(r[0]).max(), k])


@pytest.mark.parametrize("name", ["windows", "strips", "sprung"])
def test_columns_of_one_colour_share_no_row_and_the_factors_solve(name: str) -> None:
    equations, dae, _ = planned(TANGENTS[name](), "absolute")
    n, m, rng = dae.n_v, dae.m, np.random.default_rng(2)
    w = plan_tangent(dae.sparsity, n, m)
    assert sorted(w.columns.tolist()) == list(range(n))
    for first, last in pairwise(w.first_entry):
        rows = w.entries[first:last, 0]
        assert len(set(rows)) == len(rows)
    assert np.array_equal(w.entries[w.diagonal, :2], np.column_stack([np.arange(n)] * 2))
    M, G = equations.mass_and_jacobian(equations.initial.q)
    slopes = rng.standard_normal((2, len(w.entries))) * 0.03 * np.abs(np.diag(M)).max()
    A = np.block([[M, G.T], [G, np.zeros((m, m))]])
    np.add.at(A, tuple(w.entries[:, :2].T), 0.2 * slopes[0] + 0.3 * slopes[1])
    lower, upper = np.zeros((2, n + m + len(w.plan.rows)))
    sparse_lu.gather(w, M, G, slopes, 0.2, 0.3, lower, upper)
    assert sparse_lu.factor(w.plan, lower, upper) > 0.0
    x = rng.standard_normal(n + m)
    b = A @ x
    sparse_lu.solve(w.plan, lower, upper, b, np.zeros(n + m))
    np.testing.assert_allclose(b, x, rtol=0, atol=1e-8)


def test_a_stiff_run_with_sparse_tangents_is_that_with_full_ones() -> None:
    dae = fx.formulate(sprung(20), "absolute").dae()
    ends, counts = [], []
    for one in (dae, replace(dae, sparsity=None)):
        march = begin(one, generalised_alpha(0.8), Settings(5e-3, 0.5))
        assert (len(march._scratch.tangent.columns) > 0) == (one is dae)
        march.state.counts[TANGENT] = 1
        ends.append(list(march.blocks())[-1].q[-1])
        counts.append(march.state.counts[ITERATIONS])
        assert march.status.is_done
    assert abs(counts[0] - counts[1]) < 0.02 * counts[1]
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-8)


def test_round_off_that_adds_up_along_a_chain_is_no_lack_of_convergence() -> None:
    """λ of a chain of 200 at 1e-4 s is known to 1e-6; to go on below that took 2.6 iterations a step."""
    march = begin(fx.formulate(chain.build(200), "absolute").dae(), hht(), Settings(1e-4, 2e-3))
    list(march.blocks())
    assert march.status.is_done
    assert march.state.counts[TANGENT] == 0
    assert march.state.counts[ITERATIONS] <= 2.0 * 20


def controlled_chain(N: int = 8) -> fx.System:
    """A chain whose first joint follows the place of a tip without mass, its fourth a PID of its own."""
    s = chain.build(N)
    *_, last = s.bodies.values()
    tip = last.frame("sensor", [0.4, 0.1, 0.0])
    wanted = fx.pid(0.2 - fx.position(tip, "y"), 2.0, 3.0, 0.1, filter=0.02, unit="N*m", name="tip")
    joints = [part.name for part in s.components.values() if isinstance(part, Revolute)]
    s.torque(
        "tip control", joint=joints[0], torque=wanted + fx.lag(fx.velocity(tip, "x"), 0.1).measured_in("N*m")
    )
    held = fx.pid(-fx.joint_coordinate(joints[3]), 3.0, 1.0, 0.2, filter=0.05, unit="N*m", name="own")
    s.torque("own control", joint=joints[3], torque=held)
    return s


def newton_matrix(dae, M, q, v):
    zero = np.zeros(dae.m)
    dae.residual(dae.model, 0.0, q, v, np.zeros(dae.n_v), zero, dae.work, np.zeros(dae.n_v), zero)
    dae.matrices(dae.model, dae.work, 0.3, 0.7, M, np.zeros((dae.m, dae.n_v)))
    return M


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_sparsity_covers_what_controllers_and_their_states_bring(tree):
    equations, rng = fx.formulate(controlled_chain(), tree), np.random.default_rng(0)
    dae = equations.dae()
    stale, can = np.zeros((dae.n_v, dae.n_v)), np.zeros((dae.n_v, dae.n_v), dtype=bool)
    can[tuple(dae.sparsity.mass.T)] = True
    for _ in range(2):  # a matrix written over another one is what it would be alone
        q, v = np.empty(dae.n_q), rng.normal(size=dae.n_v)
        dae.compose(dae.model, dae.q, 0.3 * rng.normal(size=dae.n_v), q)
        fresh = newton_matrix(dae, np.zeros_like(stale), q, v)
        assert np.array_equal(newton_matrix(dae, stale, q, v), fresh)
        assert np.all(can[fresh != 0.0])
    assert tree == "joint" or can.mean() < 0.2
    # a frame without mass moves, and what follows it
    assert np.count_nonzero(fresh[equations.n_v :, : equations.n_v]) >= 4


def test_a_controlled_chain_is_eliminated_along_its_joints_and_moves_alike():
    settings = Settings(2e-3, 0.4, interval=0.4, newton=1e-13)
    runs = []
    for is_sparse in (True, False):
        dae = fx.formulate(controlled_chain(), "absolute").dae()
        march = begin(dae if is_sparse else replace(dae, sparsity=None), hht(), settings)
        *_, block = march.blocks()
        assert (march._scratch.is_sparse[0] != DENSE) == is_sparse
        runs.append((block.v[-1], march.status.iterations))
    (x, count), (y, other) = runs
    assert x == pytest.approx(y, rel=1e-7, abs=1e-9)
    assert count == pytest.approx(other, rel=0.05)


def test_a_chain_is_eliminated_from_both_ends_in_turn():
    """Neither half waits for the other, and none is filled more than from one end: 19 places a link."""
    dae = fx.formulate(chain.build(12), "absolute").dae()
    plan = plan_elimination(dae.sparsity, dae.n_v, dae.m, dae.weights)
    bodies = dict.fromkeys(name[3:-2] for k in plan.order if (name := dae.equations[k]).endswith(".x"))
    assert [*map(int, bodies)] == [11, 0, 10, 1, 9, 2, 8, 3, 7, 4, 6, 5]
    assert len(plan.rows) < 20 * 12
