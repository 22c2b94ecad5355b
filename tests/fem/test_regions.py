"""Every family of elements keeps its contract, on distorted elements in space."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.checks import check_region
from flexnet.errors import ModelError
from flexnet.fem.region import AbstractRegion
from flexnet.fem.shell.quad_region import QuadRegion

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7850.0)
TAPE = fx.Orthotropic(E1=140e9, E2=10e9, nu12=0.3, G12=5e9, rho=1600.0)
SHEET = fx.ShellSection.uniform(0.01, STEEL)
LAYERS = fx.ShellSection.laminate(TAPE, 0.002, [0.0, 0.6, -0.3, 1.2], offset=0.003)  # coupled
TURN = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]


def placed(points):
    return np.asarray(points) @ TURN.T + [0.3, -0.2, 0.1]


KITE = [[0, 0, 0], [1.1, 0.1, 0], [1.3, 0.9, 0], [-0.1, 0.7, 0], [2.3, 0.2, 0.3], [2.2, 1.0, 0.4]]
BLOCK = fx.block_mesh(1.0, 0.7, 0.5, (1, 1, 1))
FAMILIES = {
    "beam": (
        fx.BeamRegion("g", STEEL, fx.rectangle(0.02, 0.03), offset=(0.01, -0.02)),
        KITE,
        [[0, 1], [1, 4]],
    ),
    "coupled beam": (
        fx.BeamRegion(
            "g",
            None,
            fx.RodSection(
                1e6 * (np.diag([9.0, 4.0, 3.0, 2.0, 5.0, 7.0]) + 0.3), 7.0, np.array([0.02, 0.01, 0.01])
            ),
        ),
        KITE,
        [[0, 1], [1, 4]],
    ),
    "triangle": (fx.ShellRegion("g", SHEET), KITE, [[0, 1, 2], [0, 2, 3], [1, 4, 5]]),
    "coupled triangle": (fx.ShellRegion("g", LAYERS), KITE, [[0, 1, 2], [0, 2, 3], [1, 4, 5]]),
    "scaled triangle": (fx.ShellRegion("g", LAYERS, bending_scale=3.0), KITE, [[0, 1, 2], [0, 2, 3]]),
    "scaled quadrilateral": (QuadRegion("g", LAYERS, bending_scale=3.0), KITE, [[0, 1, 2, 3]]),
    "quadrilateral": (QuadRegion("g", SHEET), KITE, [[0, 1, 2, 3], [1, 4, 5, 2]]),
    "coupled quadrilateral": (QuadRegion("g", LAYERS), KITE, [[0, 1, 2, 3], [1, 4, 5, 2]]),
    "tetrahedron": (fx.SolidRegion("g", STEEL), BLOCK.nodes, BLOCK.tetrahedra),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_keeps_its_contract(name):
    region, points, cells = FAMILIES[name]
    found = check_region(region, placed(points), np.array(cells))
    turning = 6 if region.has_rotations else 3
    assert found.rank == turning * len(cells[0]) - 6


def test_every_family_is_tried():
    def all_of(kind):
        return [one for sub in kind.__subclasses__() for one in (sub, *all_of(sub))]

    tried = {type(region).__name__ for region, _, _ in FAMILIES.values()}
    ours = {one.__name__ for one in all_of(AbstractRegion) if one.__module__.startswith("flexnet.")}
    assert ours == tried


def test_a_family_that_breaks_its_contract_is_found_out():
    class Stuck(QuadRegion):
        """Held at its first node."""

        def stiffness(self, X):
            K = super().stiffness(X)
            K[:, 0, 0] *= 1.001
            return K

    _, points, cells = FAMILIES["quadrilateral"]
    with pytest.raises(ModelError, match="Stuck: a rigid motion has energy"):
        check_region(Stuck("g", SHEET), placed(points), np.array(cells))
