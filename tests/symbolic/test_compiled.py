"""Generated code behind the protocol of the integrators, and exported to C and Fortran."""

import ctypes

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation.symbolic import EXPORTS, Evaluator, make_programs, symbolic, symbolic_dae
from flexnet.formulation.symbolic.compiled import generate
from tests.algebra.running import build_library
from tests.catalogue import FLEXIBLE, NAMES, NETWORKS, build
from tests.symbolic.agreement import beside, distance
from tests.symbolic.test_agreement import ELASTIC, loaded


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("FLEXNET_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()


def answers(dae, state, a, lam):
    """What the functions of a DAE answer at a state."""
    n, m = dae.n_v, dae.m
    r, phi, M, G = np.zeros(n), np.zeros(m), np.zeros((n, n)), np.zeros((m, n))
    rate, acceleration, power, moved = np.zeros(m), np.zeros(m), np.zeros(3), np.zeros(dae.n_q)
    energy, phi_e, rate_e = np.zeros(3), np.zeros(m), np.zeros(m)
    dae.residual(dae.model, state.t, state.q, state.v, a, lam, dae.work, r, phi)
    dae.matrices(dae.model, dae.work, 0.0, 0.0, M, G)  # forgets the loads, which only one engine adds
    dae.matrices(dae.model, dae.work, 0.01, 0.1, M, G)
    dae.rates(dae.model, state.v, a, dae.work, rate, acceleration)
    dae.residual(dae.model, state.t, state.q, state.v, a, lam, dae.work, r, phi)
    dae.power(dae.model, state.q, state.v, lam, dae.work, power)
    dae.compose(dae.model, state.q, 0.1 * a, moved)
    dae.energy(dae.model, state.t, state.q, state.v, dae.work, phi_e, rate_e, energy)
    return {
        "r": r, "phi": phi, "M": M, "G": G, "rate": rate, "acceleration": acceleration,
        "power": power, "moved": moved, "energy": energy, "phi of energy": phi_e, "rate of energy": rate_e,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "tree"), [("squeezer", "joint"), ("pendulating_rotor", "absolute"), ("heavy_top", "default")]
)
def test_the_functions_agree_with_the_numeric_engine(name, tree):
    rng = np.random.default_rng(1)
    equations = fx.formulate(build(name), tree)
    state = beside(equations, rng)
    a, lam = rng.standard_normal(equations.n_v), rng.standard_normal(equations.m)
    expected = answers(equations.dae(), state, a, lam)
    found = answers(symbolic_dae(equations), state, a, lam)
    for key, value in expected.items():
        assert distance(found[key], value, 1e-3) < 1e-11, key


@pytest.mark.parametrize(
    ("make", "trees"),
    [
        (loaded, {"tree": "joint"}),
        (lambda: build("four_bar", modes=2), {"tree": "joint"}),
        (lambda: build("pendulating_rotor"), {"tree": "joint", "rotation": ["e8", "A", "e13"]}),
    ],
    ids=["every force", "stiffened beams", "drivers in the tree"],
)
def test_the_functions_agree_with_forces_flexible_bodies_and_drivers(make, trees):
    rng = np.random.default_rng(2)
    equations = fx.formulate(make(), **trees)
    state = beside(equations, rng, 0.01)
    a, lam = rng.standard_normal(equations.n_v), rng.standard_normal(equations.m)
    numeric, compiled = equations.dae(), symbolic_dae(equations)
    assert compiled.loads_do_work == numeric.loads_do_work
    expected, found = (answers(dae, state, a, lam) for dae in (numeric, compiled))
    for key, value in expected.items():
        assert distance(found[key], value, 1e-3) < 1e-11, key


def test_sparsity_holds_every_entry_that_is_not_zero():
    rng = np.random.default_rng(3)
    equations = fx.formulate(build("leger_a06_spatial_slider_crank"), "absolute")
    sparsity = symbolic_dae(equations).sparsity
    for _ in range(3):
        M, G = equations.mass_and_jacobian(beside(equations, rng, 0.3).q)
        for A, places in ((M, sparsity.mass), (G, sparsity.jacobian)):
            A[tuple(places.T)] = 0.0
            assert np.abs(A).max() < 1e-13


@pytest.mark.parametrize("method", ["energy_preserving", "energy_decaying"])
def test_energy_schemes_run_on_generated_code(method):
    """A swinging slider-crank keeps its energy, and does what the numeric engine does."""
    system = build("leger_a06_spatial_slider_crank")
    make = getattr(fx, method)
    numeric, compiled = (
        fx.simulate(system, 0.1, 1e-3, method=make(), engine=engine) for engine in ("numeric", "symbolic")
    )
    assert np.allclose(compiled["state/q"], numeric["state/q"], rtol=1e-7, atol=1e-7)
    assert compiled.energy_error < 1e-9


def test_other_numbers_are_the_same_code():
    """Parameters are data: a sweep compiles once."""
    one, two = (
        generate(symbolic(build("slider_crank_gtm", l5=l5, m=(m1, 1.5, 2.0))))
        for l5, m1 in ((0.1, 1.0), (0.15, 3.0))
    )
    assert one.key == two.key
    assert not np.array_equal(one.p, two.p)


def test_simulate_runs_on_either_engine():
    system = build("slider_crank_gtm")
    numeric, compiled = (fx.simulate(system, 0.2, 1e-3, engine=engine) for engine in ("numeric", "symbolic"))
    for column, tolerance in (("state/q", 1e-9), ("state/v", 1e-7), ("joints/s12/force", 1e-5)):
        # forces carry what the corrector leaves in the position over the square of the step
        assert np.allclose(compiled[column], numeric[column], rtol=tolerance, atol=tolerance), column
    with pytest.raises(fx.FlexnetError, match="engine"):
        fx.simulate(system, 0.1, 1e-3, engine="other")


#: cases whose code is exported in every run of the tests; the others are slow
EXPORTED = ("slider_crank_gtm", "heavy_top", "pendulating_rotor", "squeezer", "slider_crank_flexible")
#: parameters of flexible cases, few enough modes to be written out
FEW = {name: ELASTIC.get(name, {}) for name in FLEXIBLE}


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    "name",
    [
        name if name in EXPORTED else pytest.param(name, marks=pytest.mark.slow)
        for name in (*NAMES, *FEW, *NETWORKS)
    ],
)
@pytest.mark.parametrize("language", ["c", "fortran"])
def test_exported_code_returns_the_same_numbers(language, name, tmp_path):
    equations = fx.formulate(build(name, **FEW.get(name, {})), "joint")
    made = symbolic(equations)
    programs = make_programs(made)
    library = build_library(EXPORTS[language](programs), language, tmp_path)
    rng = np.random.default_rng(3)
    state = beside(equations, rng, 0.01)
    a, lam = rng.standard_normal(equations.n_v), rng.standard_normal(equations.m)
    z = equations.z_of(equations.initial) + 0.01 * rng.standard_normal(equations.n_z)
    at = {"q": state.q, "v": state.v, "a": a, "lam": lam, "z": z}
    evaluate = Evaluator(made, programs)
    for program in programs:
        given = evaluate.arguments(program.name, state.t, **at)
        expected = evaluate(program.name, state.t, **at)
        order = "C" if language == "c" else "F"
        found = {key: np.zeros(entries.shape, order=order) for key, entries in program.outputs.items()}
        t, *arrays = given
        kept = [np.ascontiguousarray(x) for x in arrays]
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in (*kept, *found.values())]
        getattr(library, program.name)(ctypes.c_double(t), *pointers)
        for key, value in expected.items():
            assert distance(found[key], value, 1e-6) < 1e-12, key


@pytest.mark.parametrize("language", ["c", "fortran"])
def test_exported_code_has_the_rates_of_states(language, tmp_path):
    """A limited PI controller with a lag and a motor's current, beside their rates by hand."""
    s = fx.System("drive", planar=True)
    s.gravity([0, -9.81])
    arm = s.rigid_body("arm", 2.0, 0.3, {"O": [-0.5, 0]}, position=[0.5, 0])
    s.revolute("O", s.ground, arm["O"])
    angle = fx.joint_coordinate("O")
    volts = fx.pid(0.4 - fx.lag(angle, 0.1, name="sensor"), 30.0, 20.0, low=-5, high=5, name="pi")
    coil = fx.Block(
        "coil", "coil", (0.0,), ((0, 0, 0),), lambda i: (angle - i,), masses=(fx.quantity(0.2, "s"),)
    )
    s.torque("coil", joint="O", torque=coil.states[0] * fx.quantity(1.0, "N*m"))
    s.motor("m", "O", volts * fx.quantity(1.0, "V"), 0.2, 0.5, 0.03, 4.0)
    equations = fx.formulate(s, "joint")
    made = symbolic(equations)
    program = next(p for p in make_programs(made) if p.name == "equations")
    library = build_library(EXPORTS[language]([program]), language, tmp_path)
    names = list(equations.states.names)
    sensor, integral, current, own = (
        next(i for i, n in enumerate(names) if w in n) for w in ("sensor", "pi", "m.L", "coil")
    )
    q, v, z, at = np.array([0.3]), np.array([0.7]), np.zeros(4), program.inputs
    z[[sensor, integral, current, own]] = 0.25, 1.5, 2.0, 0.1
    given = {"q": q, "v": v, "z": z, "p": np.array(list(made.parameters.values.values()), dtype=float)}
    found = {
        key: np.zeros(x.shape, order="C" if language == "c" else "F") for key, x in program.outputs.items()
    }
    arrays = [np.ascontiguousarray(given.get(key, np.zeros(1))) for key in at if key != "t"]
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (*arrays, *found.values())]
    library.equations(ctypes.c_double(0.0), *pointers)
    e = 0.4 - 0.25
    u = 30.0 * e + 1.5
    rates = {sensor: (0.3 - 0.25) / 0.1, own: (0.3 - 0.1) / 0.2, integral: 20.0 * e + (min(u, 5.0) - u) / 1.5}
    rates[current] = (min(u, 5.0) - 0.5 * 2.0 - 0.2 * 4.0 * 0.7) / 0.03
    for i, rate in rates.items():
        assert found["z_dot"][i] == pytest.approx(rate, rel=1e-12), names[i]
    assert found["F"][0] == pytest.approx(0.1 + 0.2 * 4.0 * 2.0 - 2.0 * 9.81 * 0.5 * np.cos(0.3), rel=1e-12)


def test_a_python_law_cannot_be_exported():
    programs = make_programs(symbolic(loaded(), "joint"))
    for language in ("c", "fortran"):
        with pytest.raises(fx.FlexnetError, match="Python function"):
            EXPORTS[language](programs)
