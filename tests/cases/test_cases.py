"""Every file in cases/ builds, assembles and formulates with every ready-made tree."""

import ast
import inspect

import numpy as np
import pytest

import flexnet as fx
from tests.catalogue import FLEXIBLE, FOLDER, NAMES, NETWORKS, TREES, build, load
from tests.sampling import random_poses


def test_the_catalogue_finds_every_case_file():
    assert {path.stem for path in FOLDER.glob("*.py")} == {*NAMES, *FLEXIBLE, *NETWORKS}
    assert len(NAMES) >= 21


@pytest.mark.parametrize("name", [*NAMES, *FLEXIBLE, *NETWORKS])
class TestEveryCase:
    def test_says_what_it_is_and_how_long_it_runs(self, name):
        case = load(name)
        assert case.__doc__
        assert case.END > 0
        assert inspect.signature(case.build).return_annotation is fx.System
        for parameter in inspect.signature(case.build).parameters:
            assert parameter in (case.build.__doc__ or ""), f"parameter {parameter} has no unit"

    def test_uses_only_what_import_flexnet_gives(self, name):
        tree = ast.parse((FOLDER / f"{name}.py").read_text())
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        allowed = {
            "import flexnet as fx",
            "import numpy as np",
            "import sympy as sp",
            "from flexnet.examples import MESHES",
        }
        assert {ast.unparse(node) for node in imports} <= allowed

    def test_records_something(self, name):
        system = build(name)
        assert system.name == name
        assert system.channels


@pytest.mark.parametrize("name", [*NAMES, *FLEXIBLE])
class TestCase:
    @pytest.mark.sweep(15)
    def test_assembles_near_its_own_guess(self, name):
        system = build(name)
        poses = fx.assemble(system)
        for i, body in enumerate(system.bodies.values(), start=1):
            assert np.abs(poses.p[i] - body.position).max() < 1e-4
            assert np.abs(poses.R[i] - body.rotation).max() < 1e-3

    @pytest.mark.sweep(45)
    @pytest.mark.parametrize("tree", TREES)
    def test_formulates_with_every_ready_made_tree(self, name, tree):
        equations = fx.formulate(build(name), tree)
        state = equations.initial
        assert np.abs(equations.constraints(state.q, state.t)).max(initial=0.0) < 1e-11
        assert np.abs(equations.constraint_rates(state)).max(initial=0.0) < 1e-9
        assert np.all(np.isfinite(equations.motion(state).a))
        # a virtual joint as a branch implies what the joints it spans would ask for
        is_virtual = any(equations.graph.edge(n).kind is fx.Kind.VIRTUAL for n in equations.R.names)
        assert equations.redundant == () or is_virtual


def test_the_squeezer_starts_as_the_ivp_test_set_says():
    """IVP test set: β̈ = 14222.4439199541, Θ̈ = -10666.8329399656 rad/s², all others zero."""
    equations = fx.formulate(build("squeezer"), "joint", require=("F", "G", "H"))  # its coordinates
    a = dict(zip(equations.coordinates.v_names, equations.motion(equations.initial).a, strict=True))
    assert a["O.angle"] == pytest.approx(14222.4439199541, rel=1e-10)
    # Θ is the angle of K2 relative to K1, the angle of pin F
    assert a["F.angle"] == pytest.approx(-10666.8329399656, rel=1e-10)
    others = [value for name, value in a.items() if name not in ("O.angle", "F.angle")]
    assert np.abs(others).max() < 1e-6
    # λ₀ = (98.5668703962411, -6.12268834425566, 0, 0, 0, 0): what the pins at E carry
    loads = fx.reactions(equations, equations.initial)
    assert loads["E2"].force == pytest.approx([-98.5668703962411, 6.12268834425566, 0], rel=1e-9)
    assert np.abs([loads["E4"].force, loads["E6"].force]).max() < 1e-9


def test_the_peaucellier_mechanism_draws_a_straight_line():
    system = build("leger_a09_peaucellier")
    tip = system.bodies["m6"]["r20"].position
    heights = []
    for seed in range(4):
        poses = random_poses(system, np.random.default_rng(seed), travel=0.3 * seed)
        x, y, _ = poses.p[6] + poses.R[6] @ tip
        assert x == pytest.approx(0.4, abs=1e-9)
        heights.append(y)
    assert np.ptp(heights) > 0.05


def test_the_spatial_slider_crank_starts_as_its_table_says():
    """Léger A.6: the rates of all joints follow from the crank's."""
    equations = fx.formulate(build("leger_a06_spatial_slider_crank"), "joint")
    v = dict(zip(equations.coordinates.v_names, equations.initial.v, strict=True))
    assert v["h9.angle"] == pytest.approx(-6.0)
    assert v["u11.alpha"] == pytest.approx(-1.92, abs=1e-5)
    assert v["u11.beta"] == pytest.approx(1.07331, abs=1e-5)
    assert v["s12.displacement"] == pytest.approx(0.24, abs=1e-5)


def test_the_stewart_platform_has_legs_of_equal_length():
    system = build("leger_a11_stewart")
    poses = fx.assemble(system)
    index = {name: i for i, name in enumerate(["ground", *system.bodies])}
    platform = index["platform"]
    lengths = [
        np.linalg.norm(
            poses.p[platform]
            + system.bodies["platform"][f"leg{i}"].position
            - system.ground[f"leg{i}"].position
        )
        for i in range(1, 7)
    ]
    assert lengths == pytest.approx([3.2459] * 6, abs=1e-4)


@pytest.mark.parametrize("N", [1, 3, 10])
def test_the_n_four_bar_moves_as_one_pendulum(N):
    """IFToMM A02: I φ'' = V sin φ, whatever N."""
    system = build("n_four_bar", N=N)
    system.starts.clear()
    system.start("A0", angle=-0.7, rate=-1.0)
    equations = fx.formulate(system, "joint")
    a = dict(zip(equations.coordinates.v_names, equations.motion(equations.initial).a, strict=True))
    inertia, weight = (N + 1) / 3 + N, 9.81 * ((N + 1) / 2 + N)
    assert a["A0.angle"] == pytest.approx(-weight / inertia * np.sin(0.7), rel=1e-10)


@pytest.mark.sweep(12)
@pytest.mark.parametrize("name", NAMES)
def test_assembles_from_a_rough_guess_and_keeps_the_wanted_coordinates(name):
    """Every body a little off: joints close, drivers and start values hold."""
    rng = np.random.default_rng(17)
    system = build(name)
    size = max(np.ptp([b.position for b in system.bodies.values()], axis=0).max(), 0.03)
    for body in system.bodies.values():
        axis = [0, 0, 1] if system.is_planar else rng.standard_normal(3)
        body.rotation = body.rotation @ fx.rotation(axis, rng.uniform(-0.05, 0.05))
        shift = 0.03 * size * rng.uniform(-1, 1, 3)
        body.position = np.add(body.position, [*shift[:2], 0.0 if system.is_planar else shift[2]])
    equations = fx.formulate(system, "joint")
    state = equations.initial
    assert np.abs(equations.constraints(state.q, state.t)).max(initial=0.0) < 1e-10
    names = equations.coordinates.q_names
    for start in system.starts:
        coordinate = f"{start.joint}.{start.coordinate}"
        if coordinate in names and start.value is not None:
            assert state.q[names.index(coordinate)] == pytest.approx(start.value, abs=1e-9)
        rates = equations.coordinates.v_names
        if coordinate in rates and start.rate is not None:
            assert state.v[rates.index(coordinate)] == pytest.approx(start.rate, abs=1e-8)


def test_the_manipulator_strays_and_bends_as_it_says():
    said = {True: (0.13, 0.26, 6.6, 0.24), False: (4.7, 3.2, 13.5, 13.4)}
    for feed_forward, figures in said.items():
        run = fx.simulate(build("flexible_manipulator", feed_forward=feed_forward), 1.0, 5e-4)
        tip = np.abs(run.channel("tip"))
        found = [np.abs(run.channel(f"{joint}_error")).max() for joint in ("shoulder", "elbow")]
        assert [*found, tip.max(), tip[run.t > 0.55].max()] == pytest.approx(figures, rel=0.03)


def test_the_squeezer_assembles_at_the_start_angle_of_gtm():
    equations = fx.formulate(build("squeezer", beta=-0.062020), "joint")
    assert equations.initial.q[0] == pytest.approx(-0.062020, abs=1e-12)


def test_assembly_at_a_later_time_follows_the_drivers():
    system = build("quick_return")
    for t in (0.0, 0.01, 0.05):
        poses = fx.assemble(system, t)
        crank = np.arctan2(poses.R[3][1, 0], poses.R[3][0, 0])
        assert poses.t == t
        assert crank == pytest.approx(0.4356 + 4 * np.pi * t, abs=1e-10)
        assert poses.omega[3][2] == pytest.approx(4 * np.pi, rel=1e-9)
