"""The weight of varying curvature that shells have: 3/2 in a plane, 1 where they curve."""

import numpy as np
import pytest

from flexnet.fem.shell import ShellRegion
from flexnet.fem.shell.bending_scale import bending_scales
from flexnet.fem.shell.quad_region import QuadRegion
from tests.fem.shell.benchmarks import sheet
from tests.fem.shell.structure import Shell, rectangle

SHEET = sheet(1e-2, 2e11, 0.3)
#: nodes of a folded, a nearly flat and two curved surfaces over the unit square, and the weight each has
SURFACES = {
    "plane": (lambda x, y: 0.3 * x + 0.2 * y, 1.5),
    "rounded numbers of a file": (lambda x, y: 1e-6 * np.sin(40.0 * x * y), 1.5),
    "shallow": (lambda x, y: 0.05 * x * x, 1.0), "twisted": (lambda x, y: 0.2 * x * y, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize("kind", [ShellRegion, QuadRegion])
def test_a_plane_has_the_scale_of_waves_and_a_curved_surface_has_one(name, kind):
    height, scale = SURFACES[name]
    nodes, cells = rectangle(1.0, 1.0, 4, 4)
    nodes[:, 2] = height(nodes[:, 0], nodes[:, 1])
    if kind is QuadRegion:
        cells = np.column_stack([cells[::2], cells[1::2, 2]])
    free, told = kind("g", SHEET), kind("g", SHEET, bending_scale=scale)
    X = free.geometry(nodes, cells)
    assert np.array_equal(free.stiffness(X), told.stiffness(X))


def test_walls_of_a_box_are_planes_up_to_the_row_at_its_folds():
    nodes, cells = rectangle(1.0, 1.0, 8, 2)
    nodes[:, 2] = 2.0 * np.abs(nodes[:, 0] - 0.5)
    scale = bending_scales(ShellRegion("g", SHEET).geometry(nodes, cells), None)
    at_fold = (nodes[cells][:, :, 0] == 0.5).any(axis=1)
    assert np.array_equal(scale, np.where(at_fold, 1.0, 1.5))


#: supports → eigenvalues of the unit square, D = ρh = 1, ν = 0.3
SQUARES = {
    "cantilever": [3.47107, 8.50671, 21.2850, 27.1989, 30.9563],
    "free": [13.4682, 19.5961, 24.2702, 34.8009, 34.8009],
    "supported": np.array([2.0, 5.0, 5.0, 8.0, 10.0]) * np.pi**2,
    "clamped": [35.9852, 73.3938, 73.3938, 108.2165, 131.5808],
}


def worst(supports, diagonal, scale, n=8):
    """Largest error of the first five frequencies."""
    h = 1e-3
    nodes, cells = rectangle(1.0, 1.0, n, n, diagonal)
    plate = Shell(nodes, cells, sheet(h, 12.0 * (1.0 - 0.3**2) / h**3, 0.3, 1.0 / h), scale)
    x, y = nodes[:, 0], nodes[:, 1]
    sides, ends = (x == 0) | (x == 1), (y == 0) | (y == 1)
    held = {
        "cantilever": [plate.at(x == 0)], "free": [], "clamped": [plate.at(sides | ends)],
        "supported": [plate.at(sides | ends, 2), plate.at(sides, 3), plate.at(ends, 4)],
    }[supports]  # fmt: skip
    fixed = np.unique(np.concatenate([plate.at(x >= 0, 0, 1, 5), *held]))
    rigid = 3 if supports == "free" else 0
    found = plate.frequencies(fixed, rigid + 5, shift=-1.0 if rigid else 0.0)[rigid:]
    return float(np.abs(found / SQUARES[supports] - 1.0).max())


@pytest.mark.parametrize("diagonal", ["/", "+"])
def test_frequencies_of_plates_are_met_better_on_the_whole(diagonal):
    """With 8 cells a side: supported plates by far, plates with free edges less well, none beyond 1.8 %."""
    errors = {s: [worst(s, diagonal, scale) for scale in (None, 1.0)] for s in SQUARES}
    assert max(ours for ours, _ in errors.values()) < 0.018
    assert max(dkt for _, dkt in errors.values()) > 0.028
    for supports in ("supported", "clamped"):
        assert errors[supports][0] < 0.6 * errors[supports][1]
    for supports in ("cantilever", "free"):
        assert errors[supports][1] < errors[supports][0] < 0.012
