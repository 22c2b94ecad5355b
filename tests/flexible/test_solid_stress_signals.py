"""Stresses of solids as channels and signals: those of the field at the node, ours and imported ones."""

import numpy as np
import pytest

import flexnet as fx

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7850.0)
COMPONENTS = ("sx", "sy", "sz", "sxy", "syz", "szx", "von_mises", "s1", "s3")


def joined(mesh):
    left, right = (mesh.nodes[mesh.find_nodes(name)].mean(axis=0) for name in ("left", "right"))
    return {
        "points": {"a": tuple(left), "b": tuple(right)}, "frames": {"a": "a", "b": "b"},
        "links": [fx.RigidLink("a", "left"), fx.AverageLink("b", "right")],
    }  # fmt: skip


@pytest.fixture
def bodies(tmp_path):
    """The same block meshed here, and imported with its stresses."""
    mesh = fx.block_mesh(0.3, 0.04, 0.03, (6, 2, 2))
    fx.export_body(tmp_path / "block.h5", fx.mesh_body(mesh, [fx.SolidRegion("block", STEEL)]))
    ours = fx.mesh_body(mesh, [fx.SolidRegion("block", STEEL)], **joined(mesh))
    return mesh, {"ours": ours, "imported": fx.imported_body(tmp_path / "block.h5", **joined(mesh))}


def bent(body, node):
    s = fx.System("block")
    s.gravity([0.0, 0.0, -9.81])
    part = s.flexible_body("block", body, fx.Clamped("a"), 3, stiffening=False)
    s.weld("wall", s.ground, part["a"])
    s.force("pull", part["b"], [fx.harmonic(2e4, 3e3), 500.0, -800.0])
    s.torque("twist", part["b"], [150.0, 0.0, 0.0])
    for component in COMPONENTS:
        s.channel(component, fx.stress(part, node, component))
    return s, part


def tensor(v):
    x, y, z, xy, yz, zx = v
    return np.array([[x, xy, zx], [xy, y, yz], [zx, yz, z]])


@pytest.mark.parametrize(
    "place", [(0.15, 0.04, 0.03), (0.125, 0.02, 0.03)]
)  # a corner, the middle of an edge
def test_a_channel_has_the_stress_of_the_elements_that_meet_at_a_node(bodies, place):
    mesh, made = bodies
    node = int(np.argmin(np.linalg.norm(mesh.nodes - place, axis=1)))
    found = {}
    names = (
        ("ours", "imported") if node in mesh.tetrahedra[:, :4] else ("ours",)
    )  # its stresses are at corners
    for name in names:
        s, _ = bent(made[name], node)
        run = fx.simulate(s, 2e-3, 1e-4)
        found[name] = np.array([run.channel(c) for c in COMPONENTS])
        for row in found[name].T[3:]:
            values = np.linalg.eigvalsh(tensor(row[:6]))
            assert row[7:] == pytest.approx([values[2], values[0]], rel=1e-6, abs=1e-6 * np.abs(values).max())
            a, b, c = values
            assert row[6] == pytest.approx(
                np.sqrt(((a - b) ** 2 + (b - c) ** 2 + (c - a) ** 2) / 2), rel=1e-8
            )
        (field,) = run.stress("block", [run.t[-1]]).values()
        at = field.at_node(node)[0].mean(axis=0)
        assert found[name][:6, -1] == pytest.approx(at, rel=1e-8, abs=1e-8 * np.abs(at).max())
    assert found[names[-1]] == pytest.approx(found["ours"], abs=1e-6 * np.abs(found["ours"]).max())


def test_a_force_follows_the_stress_of_a_solid_in_both_engines(bodies):
    mesh, made = bodies
    node = int(np.argmin(np.linalg.norm(mesh.nodes - [0.15, 0.04, 0.03], axis=1)))
    ends = []
    for engine in ("numeric", "symbolic"):
        s, part = bent(made["ours"], node)
        s.force("brake", part["b"], [0.0, (1e-6 * fx.stress(part, node, "s1")).measured_in("N"), 0.0])
        run = fx.simulate(s, 1e-3, 1e-4, engine=engine)
        ends.append([run.channel(c)[-1] for c in COMPONENTS])
    assert ends[1] == pytest.approx(ends[0], rel=1e-6, abs=1e-6 * np.abs(ends[0]).max())


def test_what_a_solid_has_not_is_refused_in_words(bodies):
    _, made = bodies
    s, part = bent(made["ours"], 0)
    with pytest.raises(
        fx.ModelError, match=r"no beam at node 0 of 'block', and 'sigma' is of a beam; of a solid there is sx"
    ):
        s.channel("no", fx.stress(part, 0, "sigma"))
    with pytest.raises(fx.ModelError, match=r"no shell at node 0 of 'block', and 's2' is of a shell"):
        s.channel("no", fx.stress(part, 0, "s2"))
