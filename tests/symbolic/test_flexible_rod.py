"""DynaFlex §5.3: the spatial slider-crank whose flexible rod is a set of formulas."""

import numpy as np
import pytest
import sympy as sp

import flexnet as fx
from flexnet.algebra import array_of, reach, symbol
from flexnet.fem import Reduction, flex_table
from flexnet.fem.beam.polynomial import I_Y, I_Z, RHO, A, E, L
from flexnet.formulation.symbolic import Evaluator, driver_loads, make_programs, symbolic, symbolic_embedding
from tests.catalogue import build, load
from tests.symbolic.agreement import beside, distances
from tests.symbolic.flexible_rod import deflections, far
from tests.symbolic.whole_energy import Rod

CASE = "spatial_slider_crank_dynaflex"


def formulas(**options):
    """The equations with the rod's tensors as expressions of E, A, I, L and ρ."""
    rod = load(CASE).rod_body()
    equations = fx.formulate(build(CASE, **options), "joint")
    return symbolic(equations, given=rod.given("e2"), values=rod.values)


def test_the_rod_in_formulas_agrees_with_the_numeric_engine():
    made = formulas()
    rng = np.random.default_rng(1)
    far = distances(made, beside(made.numeric, rng, 0.01), rng)
    assert max(far.values()) < 1e-11, far


def test_the_equations_contain_the_constants_of_the_rod():
    """A coordinate of v: 4 E I/L³ and, with the mass the frame's motion adds, ρAL/5."""
    made = formulas(order=1)
    index = made.numeric.coordinates.v_names.index("e2.elastic_1")
    assert (
        sp.simplify(
            made.read(made.mechanism.tensor(made.mechanism.model.flex[0], "M")[0, 0]) - RHO * A * L / 5
        )
        == 0
    )
    force = made.read(made.F[index])
    assert {E, I_Z, RHO, A, L} <= force.free_symbols
    assert I_Y not in force.free_symbols
    at_rest = sp.expand(force.xreplace(dict.fromkeys(made.read(array_of(made.variables.v)), sp.S.Zero)))
    assert at_rest.coeff(made.read(made.variables.place[index])) == -4 * E * I_Z / L**3


def test_embedding_has_seven_dynamic_and_three_constraint_equations():
    """Ten coordinates; θ12 and the elastic ones are independent, and T13 is in one equation only (46)."""
    made = formulas(driven=False)
    assert (made.n, made.m) == (10, 3)
    names = made.numeric.coordinates.v_names
    elastic = [name for name in names if "elastic" in name]
    form = symbolic_embedding(made, ["e12.angle", *elastic])
    assert form.F.shape == (7,)
    torque = symbol("e13.z")
    assert torque in made.parameters.values
    inside = [torque in inputs for inputs in reach(made.F)]
    assert [names[i] for i, found in enumerate(inside) if found] == ["e12.angle"]
    # the elastic coordinates are not in the crank's transformation: B has rows of zeros for e12
    row = form.B[names.index("e12.angle")]
    assert list(row) == [1, 0, 0, 0, 0, 0, 0]


def test_the_driving_torque_is_recovered():
    """The symbolic load of e13, at states of a run, is what the run recorded."""
    run = fx.simulate(build(CASE), 0.002, 2e-5, tree="joint")
    made = symbolic(run.equations)
    load_ = array_of([driver_loads(made)["e13"]])
    evaluate = Evaluator(made, make_programs(made, extra={"T13": load_}))
    wanted = run["channels/crank_torque"]
    for k in (10, 50, 100):
        state = {key: run[f"state/{name}"][k] for key, name in (("q", "q"), ("v", "v"), ("a", "a"))}
        found = evaluate("residual", run["time"][k], **state, lam=run["state/lambda"][k])
        assert found["T13"][0] == pytest.approx(wanted[k], rel=1e-9)


def finite_elements(modes: int = 24) -> fx.System:
    """The same mechanism, its rod eight Euler–Bernoulli elements in the same frame.

    Without rotary inertia the eight free nodes have mass in three directions: 24 modes are all there are.
    """
    module = load(CASE)
    body = fx.beam_body(
        0.3, 8, fx.Material(**module.ROD), fx.BeamSection(**module.SECTION), shear=False, rotary_inertia=False
    )
    return module.build(rod_table=flex_table(body, Reduction(fx.Clamped("start"), modes)))


def curves(system: fx.System, end: float = 0.0837):
    """Time, v and w of a run."""
    method = fx.generalised_alpha(0.9)
    return deflections(fx.simulate(system, end, 2e-5, method=method, tree="joint", throw=False))


@pytest.mark.slow
def test_second_order_agrees_with_finite_elements_and_first_order_does_not():
    """Figure 9: two turns of the crank beside all modes of the elements; more polynomials come closer."""
    elements, second = curves(finite_elements()), curves(build(CASE))
    assert max(far(second, elements)) < 0.02
    assert max(far(curves(build(CASE, shapes=7, functions="chebyshev")), elements)) < 0.004
    assert max(far(curves(build(CASE, functions="chebyshev")), second)) < 1e-3
    assert min(far(curves(build(CASE, order=1)), elements)) > 2.0


def test_of_first_order_the_rod_is_the_one_written_by_hand():
    """No term is left out there: two programs, one motion."""
    assert max(far(Rod(order=1).deflections(0.01), curves(build(CASE, order=1), 0.01))) < 1e-3


@pytest.mark.slow
def test_what_second_order_leaves_out_is_of_third_order_in_the_energy():
    """A third-order term of T is a force of second order: the difference falls with the deflection itself.

    Slower by √2, the rod bends half as far. What the field of second order leaves out falls with its square.
    """
    apart, left, peak = [], [], []
    for speed in (150.0, 106.0):
        end = 0.0837 * 150.0 / speed
        whole = Rod(speed=speed).deflections(end)
        pieces = build("spatial_slider_crank", speed=speed, pieces=8, modes=0, elements=16, shear=False)
        cut = fx.simulate(pieces, end, 2e-5, method=fx.generalised_alpha(0.9), tree="joint")
        exact = (cut["time"], cut["channels/v"], cut["channels/w"])
        apart.append(np.array(far(curves(build(CASE, speed=speed), end), whole)))
        left.append(np.array(far(whole, exact)))
        peak.append(np.abs(exact[1]).max())
    ratio = peak[0] / peak[1]
    assert 1.9 < ratio < 2.2
    assert np.all(apart[0] / apart[1] < 1.25 * ratio)
    assert np.all(left[0] / left[1] > 0.9 * ratio**2)
    assert np.all(left[0] < apart[0] / 2)
