"""Set-up of large mechanisms: sparse and linear in the model, and the same as the dense way it replaces."""

import cProfile

import numpy as np
import pytest
from scipy.sparse import csr_array

import flexnet as fx
from flexnet.components import RigidBody, TranslationalSpring
from flexnet.formulation import columns
from flexnet.formulation import equations as engine
from flexnet.formulation.columns import column_lists
from flexnet.formulation.redundancy import independent_rows
from flexnet.formulation.scale import least_change
from flexnet.kernels.model import C_ELASTIC, C_ROTATION, C_TRANSLATION
from tests.benchmarks.chain import build as pendula
from tests.catalogue import NAMES, build


def dependent(rng, m, n):
    """A sparse matrix some of whose rows are combinations of earlier ones, and a row of zeros."""
    G = np.where(rng.random((m, n)) < 0.2, rng.standard_normal((m, n)), 0.0)
    for i in rng.choice(np.arange(3, m), m // 4, replace=False):
        G[i] = rng.standard_normal(3) @ G[rng.choice(i, 3, replace=False)]
    G[m // 2] = 0.0
    return G


@pytest.mark.parametrize("seed", range(12))
def test_fronts_find_the_rows_that_gram_and_schmidt_find(seed):
    rng = np.random.default_rng(seed)
    G = dependent(rng, *rng.integers(8, 40, 2))
    keep = independent_rows(G)
    assert np.array_equal(independent_rows(csr_array(G)), keep)
    assert keep.sum() == np.linalg.matrix_rank(G)


def test_least_change_of_a_sparse_jacobian_is_the_least():
    rng = np.random.default_rng(5)
    G = dependent(rng, 20, 40)
    phi, sizes, rows = G @ rng.standard_normal(40), rng.uniform(0.1, 9, 40), rng.uniform(0.1, 9, 20)
    dense, sparse = (least_change(A, phi, sizes, rows) for A in (G, csr_array(G)))
    assert np.allclose(dense, sparse, rtol=0, atol=1e-11 * np.abs(dense).max())


@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", NAMES[::2])
def test_sparse_set_up_gives_the_same_start_and_drops_the_same_rows(name, monkeypatch):
    dense = {tree: fx.formulate(build(name), tree) for tree in ("absolute", "joint")}
    monkeypatch.setattr(engine, "LARGE", -1)
    for tree, wanted in dense.items():
        found = fx.formulate(build(name), tree)
        assert found.redundant == wanted.redundant
        for a, b in ((found.initial.q, wanted.initial.q), (found.initial.v, wanted.initial.v)):
            assert np.allclose(a, b, rtol=0, atol=1e-8 * max(1.0, np.abs(b).max(initial=0.0)))


def reach(model, column):
    """Rotation nodes a coordinate turns and nodes it moves, branch by branch from the datum."""
    turns = np.zeros(len(model.r_edges) + 1, dtype=bool)
    moves = np.zeros(len(model.t_edges) + 1, dtype=bool)
    if column["kind"] == C_ROTATION:
        turns[model.r_edges["child"][column["edge"]]] = True
    elif column["kind"] == C_TRANSLATION:
        moves[model.t_edges["child"][column["edge"]]] = True
    else:
        mine = np.flatnonzero(model.flex_frames["body"] == column["edge"])
        turns[model.r_edges["child"][np.isin(model.r_edges["flex"], mine)]] = True
        moves[model.t_edges["child"][np.isin(model.t_edges["flex"], mine)]] = True
    for edge in model.r_edges:
        turns[edge["child"]] |= turns[edge["parent"]]
    for edge in model.t_edges:
        moves[edge["child"]] |= moves[edge["parent"]] or turns[edge["carrier"]]
    return turns, moves


@pytest.mark.parametrize("name", NAMES[1::4])
@pytest.mark.parametrize("tree", ["absolute", "joint", "absolute_angular"])
def test_what_a_coordinate_reaches_is_what_sweeps_from_the_datum_find(name, tree):
    model = fx.formulate(build(name), tree).model
    lists = column_lists(model)
    for k, column in enumerate(model.columns):
        turns, moves = reach(model, column)

        def of(name, k=k):
            return lists[name][slice(*lists[f"{name}_ptr"][k])].tolist()

        assert of("col_turn") == np.flatnonzero(turns[model.r_edges["child"]]).tolist()
        assert set(of("col_out")) <= set(np.flatnonzero(moves[model.t_edges["child"]]).tolist())
        felt = moves[model.bodies["node"]] | turns[model.bodies["rotation"]]
        assert of("col_bodies") == np.flatnonzero(felt).tolist()
        own = (column["kind"] == C_ELASTIC) & (np.arange(len(model.flex)) == column["edge"])
        felt = moves[model.flex["node"]] | turns[model.flex["rotation"]] | own
        assert of("col_flex") == np.flatnonzero(felt).tolist()
        rows = model.rows
        felt = np.any([turns[rows[f"{a}{b}_r"]] for a in ("", "other_") for b in ("head", "tail")], axis=0)
        felt |= np.any([moves[rows[f"{a}{b}"]] for a in ("", "other_") for b in ("head", "tail")], axis=0)
        assert of("col_rows") == np.flatnonzero(np.where(rows["v"] < 0, felt, rows["v"] == k)).tolist()


def calls(N, tree):
    """Calls of Python functions that building and formulating a chain takes."""
    profile = cProfile.Profile()
    profile.enable()
    fx.formulate(pendula(N), tree)
    profile.disable()
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("tree", ["absolute", "absolute_angular", "joint"])
def test_set_up_grows_with_the_length_of_a_chain(tree, monkeypatch):
    monkeypatch.setattr(engine, "LARGE", -1)
    calls(4, tree)
    assert calls(48, tree) < 4.2 * calls(12, tree)


def test_lists_kept_from_another_mechanism_are_those_of_this_one():
    """A mechanism with other numbers has the same lists, one with another body or joint its own."""
    first, same, longer = (
        fx.formulate(pendula(*of), "joint").model for of in ((5, 9.81), (5, 3.7), (6, 9.81))
    )
    assert first.col_out is same.col_out
    assert len(longer.col_out) > len(first.col_out)
    for name, found in column_lists(longer).items():
        assert np.array_equal(getattr(longer, name), found)


def springy(N):
    """Two chains that begin at one body, with springs in their pins and one that slides."""
    s = pendula(N)
    for i in range(N):
        s.torsional_spring(f"twist{i}", joint=f"joint{i}", stiffness=3.0 + i, damping=0.1)
    end = s.bodies["rod1"]["B"]
    for i in range(N):
        rod = s.rigid_body(f"arm{i}", 1.0, 0.1, {"A": [-0.5, 0.0], "B": [0.5, 0.0]}, position=[i, -i])
        (s.prismatic if i == 2 else s.revolute)(f"pin{i}", end, rod["A"], *([[1.0, 0.0]] if i == 2 else []))
        end = rod["B"]
    return s


def test_columns_that_share_one_list_of_everything_make_the_same_matrix(monkeypatch):
    """What a coordinate does not move stays at rest, so its inertia is nothing."""
    own = fx.formulate(springy(6), "joint")
    monkeypatch.setattr(columns, "_SMALL", 4)
    shared = fx.formulate(springy(6), "joint")
    assert len(shared.model.col_out) < len(own.model.col_out)
    q = own.initial.q + np.random.default_rng(3).uniform(-1.0, 1.0, own.n_q)
    found = []
    for equations in (own, shared):
        dae, M = equations.dae(), np.zeros((own.n_v, own.n_v))
        equations.constraints(q)
        dae.matrices(dae.model, dae.work, 0.3, 0.2, M, np.zeros((0, own.n_v)))
        found.append(M)
    assert np.abs(found[0]).max() > 1.0
    assert np.array_equal(*found)


def test_a_chain_in_joint_coordinates_takes_memory_as_it_is_long(monkeypatch):
    monkeypatch.setattr(columns, "_SMALL", 4)

    def numbers(N):
        equations = fx.formulate(pendula(N), "joint")
        assert equations.dae().sparsity is None
        links = equations.dae().links()
        arrays = (*equations.model, *equations.work, links.numbers, links.place)
        return sum(np.size(x) for x in arrays)

    few, more, most = (numbers(N) for N in (20, 40, 80))
    assert most - more == 2 * (more - few)


def test_a_net_has_a_loop_a_mesh_and_no_redundant_rod_and_the_vehicle_its_bodies_and_forces():
    pytest.importorskip("exudyn", reason="the models are those of a benchmark beside it")
    from tests.benchmarks.large import net, vehicle

    made = fx.formulate(net(5), "absolute")
    rods = [part for part in made.system.parts if part.name.startswith("rod")]
    assert len(rods) - 5 * 5 + 1 == 4 * 4
    assert not made.redundant
    assert made.n_v - made.m == 2 * 5 - 2 + 25  # shears and a turn about the nail; every mass turns freely
    parts = vehicle().parts
    assert sum(isinstance(part, RigidBody) for part in parts) == 60
    assert sum(isinstance(part, TranslationalSpring) for part in parts) == 200
