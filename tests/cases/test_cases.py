"""Every file in cases/ builds, assembles and formulates with every ready-made tree."""

import ast
import inspect

import numpy as np
import pytest

import flexnet as fx
from tests.catalogue import FOLDER, NAMES, TREES, build, load


def test_the_catalogue_finds_every_case_file():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(NAMES)
    assert len(NAMES) >= 21


@pytest.mark.parametrize("name", NAMES)
class TestCase:
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
        allowed = {"import flexnet as fx", "import numpy as np", "import sympy as sp"}
        assert {ast.unparse(node) for node in imports} <= allowed

    def test_records_something(self, name):
        system = build(name)
        assert system.name == name
        assert system.channels

    def test_assembles_near_its_own_guess(self, name):
        system = build(name)
        poses = fx.assemble(system)
        for i, body in enumerate(system.bodies.values(), start=1):
            assert np.abs(poses.p[i] - body.position).max() < 1e-4
            assert np.abs(poses.R[i] - body.rotation).max() < 1e-3

    @pytest.mark.parametrize("tree", TREES)
    def test_formulates_with_every_ready_made_tree(self, name, tree):
        equations = fx.formulate(build(name), tree)
        state = equations.initial
        assert np.abs(equations.constraints(state.q, state.t)).max(initial=0.0) < 1e-11
        assert np.abs(equations.constraint_rates(state)).max(initial=0.0) < 1e-9
        assert np.all(np.isfinite(equations.motion(state).a))
        assert equations.redundant == ()


def test_the_squeezer_starts_as_the_ivp_test_set_says():
    """IVP test set: β̈ = 14222.4439199541, Θ̈ = -10666.8329399656 rad/s², all others zero."""
    equations = fx.formulate(build("squeezer"), "joint")
    a = dict(zip(equations.coordinates.v_names, equations.motion(equations.initial).a, strict=True))
    assert a["O.angle"] == pytest.approx(14222.4439199541, rel=1e-10)
    # Θ is the angle of K2 relative to K1, the angle of pin F
    assert a["F.angle"] == pytest.approx(-10666.8329399656, rel=1e-10)
    others = [value for name, value in a.items() if name not in ("O.angle", "F.angle")]
    assert np.abs(others).max() < 1e-6


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
