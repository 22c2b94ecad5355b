"""MITC4 beside our quadrilateral: that the rival is right, and which of the two is better where."""

import numpy as np
import pytest

from tests.fem.shell import benchmarks
from tests.fem.shell.mitc4 import MitcShell
from tests.fem.shell.structure import QuadShell, Shell, rectangle


def patch(x, y):
    """Four distorted cells of MITC4 and the freedoms of the inner node."""
    nodes, cells = rectangle(0.24, 0.12, 2, 2)
    nodes[4, :2] += x, y
    nodes[1, 0] += 0.02
    nodes[5, 1] += 0.015
    return MitcShell(nodes, cells, benchmarks.sheet(1e-3, 2e11, 0.3)), np.arange(24, 30)


def test_the_rival_passes_the_patch_test_and_feels_no_rigid_motion():
    shell, inner = patch(0.03, -0.02)
    x, y, _ = shell.nodes.T
    u = np.zeros((9, 6))
    u[:, 0], u[:, 1] = 1e-3 * (x + 0.5 * y), 1e-3 * (y + 0.5 * x)
    u[:, 2], u[:, 3], u[:, 4] = 0.5 * (x * x + x * y + y * y), 0.5 * x + y, -(x + 0.5 * y)
    exact, K = u.reshape(-1), shell.K().toarray()
    outer = np.setdiff1d(np.arange(54), inner)
    found = np.linalg.solve(K[inner][:, inner], -(K[inner][:, outer] @ exact[outer]))
    assert np.allclose(found, exact[inner], rtol=1e-9, atol=1e-12)
    shell.nodes[:, 2] = 0.3 * x * y  # warped
    moved = MitcShell(shell.nodes, shell.cells, shell.section)
    for axis in np.eye(3):
        rigid = np.column_stack([np.cross(axis, moved.nodes), np.tile(axis, (9, 1))]).reshape(-1)
        assert np.abs(moved.K() @ rigid).max() < 1e-9 * np.abs(moved.K()).max()


@pytest.mark.parametrize("slenderness", [5.0, 10.0, 1000.0])
def test_the_rival_converges_to_the_series_of_mindlin_however_thick(slenderness, monkeypatch):
    monkeypatch.setattr(benchmarks, "Shell", MitcShell)
    errors = [abs(benchmarks.thick_plate(n, slenderness) - 1.0) for n in (4, 8)]
    assert errors[1] < 0.3 * errors[0] < 0.003


def errors_of(shell, names, n, monkeypatch):
    monkeypatch.setattr(benchmarks, "Shell", shell)
    chosen = {b.name: b for b in benchmarks.BENCHMARKS if any(word in b.name for word in names)}
    return np.array([abs(b.solve(n) / b.reference - 1.0) for b in chosen.values()])


def test_ours_is_the_better_one_on_curved_shells_and_under_point_loads(monkeypatch):
    """Eight cells a side; Scordelis-Lo's roof 0.2 and 1.0 %, the pinched cylinder 9 and 30 %."""
    names = ("Scordelis", "Pinched", "Hemisphere", "point load, b/a = 5", "Razzaque")
    ours, rival = (errors_of(shell, names, 8, monkeypatch) for shell in (QuadShell, MitcShell))
    assert np.all(ours < rival)
    assert ours.sum() < 0.5 * rival.sum()


def test_the_rival_is_the_better_one_where_shear_and_torsion_of_thick_sections_count(monkeypatch):
    """A Kirchhoff plate has no transverse shear: 5 % of the deflection where 10 thicknesses span it."""
    found = {}
    for shell in (Shell, QuadShell, MitcShell):
        monkeypatch.setattr(benchmarks, "Shell", shell)
        found[shell] = benchmarks.thick_plate(8, 10.0), benchmarks.straight_beam("twist") / 0.03208
    for shell in (Shell, QuadShell):
        assert found[shell] == pytest.approx((0.953, 0.72), abs=0.01)
    assert found[MitcShell] == pytest.approx((1.0, 0.94), abs=0.01)
