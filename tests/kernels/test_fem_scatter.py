"""Compiled scatter, and sparse matrices out of its blocks, against plain loops and dense arrays."""

import numpy as np
from scipy.sparse import csr_array

from flexnet.fem import Material, ShellSection, panel_body
from flexnet.fem.assembly import block_pattern
from flexnet.fem.structure import congruent
from flexnet.kernels.fem_scatter import scatter_blocks, scatter_rows

CELLS = np.array([[0, 2, 1], [2, 3, 1], [4, 2, 0]])


def test_blocks_are_added_where_they_belong():
    rng = np.random.default_rng(0)
    matrices = rng.normal(size=(3, 18, 18))
    slots = CELLS[:, :, None] * 5 + CELLS[:, None, :]
    data = np.zeros((25, 6, 6))
    scatter_blocks(data, slots, matrices)
    dense = np.zeros((30, 30))
    for cell, matrix in zip(CELLS, matrices, strict=True):
        dofs = (6 * cell[:, None] + np.arange(6)).reshape(-1)
        dense[np.ix_(dofs, dofs)] += matrix
    assert np.allclose(data.reshape(5, 5, 6, 6).transpose(0, 2, 1, 3).reshape(30, 30), dense)


def test_rows_are_added_where_they_belong():
    vectors = np.random.default_rng(1).normal(size=(3, 18, 2))
    total = np.ones((30, 2))
    scatter_rows(total, CELLS, vectors)
    plain = np.ones((30, 2))
    for cell, vector in zip(CELLS, vectors, strict=True):
        plain[(6 * cell[:, None] + np.arange(6)).reshape(-1)] += vector
    assert np.allclose(total, plain)


def test_a_pattern_assembles_what_a_dense_sum_does():
    body = panel_body((1.0, 1.0), (2, 2), ShellSection.uniform(0.01, Material(E=1e9, nu=0.3, rho=1.0)))
    cells = body.mesh.triangles
    matrices = np.random.default_rng(2).normal(size=(len(cells), 18, 18))
    sparse = block_pattern(body).assembled([(cells[:3], matrices[:3]), (cells[3:], matrices[3:])])
    n = 6 * len(body.mesh.nodes)
    dense = np.zeros((n, n))
    for cell, matrix in zip(cells, matrices, strict=True):
        dofs = (6 * cell[:, None] + np.arange(6)).reshape(-1)
        dense[np.ix_(dofs, dofs)] += matrix
    assert np.allclose(sparse.toarray(), dense)


def test_entries_that_are_zero_are_left_out():
    body = panel_body((1.0, 1.0), (2, 2), ShellSection.uniform(0.01, Material(E=1e9, nu=0.3, rho=1.0)))
    pattern = block_pattern(body)
    blocks = np.random.default_rng(3).integers(-1, 2, size=(len(pattern.keys), 6, 6)).astype(float)
    sparse = pattern.matrix(blocks)
    n = len(body.mesh.nodes)
    dense = np.zeros((n * n, 6, 6))
    dense[pattern.keys] = blocks
    dense = dense.reshape(n, n, 6, 6).transpose(0, 2, 1, 3).reshape(6 * n, 6 * n)
    assert np.array_equal(sparse.toarray(), dense)
    assert sparse.nnz == np.count_nonzero(blocks)
    assert sparse.has_canonical_format


def test_freedoms_are_picked_in_any_order():
    rng = np.random.default_rng(4)
    A = csr_array(rng.integers(-1, 2, size=(9, 9)).astype(float))
    for rows in (np.array([1, 2, 5, 8]), np.array([7, 0, 3]), np.arange(9), np.arange(0)):
        T = csr_array((np.ones(len(rows)), (rows, np.arange(len(rows)))), shape=(9, len(rows)))
        assert np.array_equal(congruent(T, A).toarray(), A.toarray()[np.ix_(rows, rows)])
