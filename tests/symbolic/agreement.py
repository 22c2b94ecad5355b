"""Distance between the symbolic and the numeric engine at a state, on the constraints or off them."""

import numpy as np

import flexnet as fx
from flexnet.errors import ModelError
from flexnet.formulation import Motion, State
from flexnet.formulation.symbolic import Evaluator, SymbolicEquations, make_programs, symbolic_reactions


def distance(found, expected, scale=0.0):
    """Largest difference relative to the largest value."""
    expected = np.asarray(expected)
    size = max(np.abs(expected).max(initial=0.0), scale, 1e-300)
    return float(np.abs(np.asarray(found) - expected).max(initial=0.0) / size)


def beside(equations: fx.Equations, rng: np.random.Generator, far: float = 0.1) -> State:
    """The initial state moved off the constraints."""
    start = equations.initial
    q = equations.compose(start.q, far * rng.standard_normal(equations.n_v))
    return State(start.t, q, start.v + rng.standard_normal(equations.n_v))


def distances(symbolic: SymbolicEquations, state: State, rng: np.random.Generator) -> dict[str, float]:
    """Relative differences of M, F, Φ, G, Φ̇, bias, residual and reactions."""
    numeric = symbolic.numeric
    a, lam = rng.standard_normal(numeric.n_v), rng.standard_normal(numeric.m)
    try:
        loads = symbolic_reactions(symbolic)
    except ModelError:  # a virtual branch
        loads = {}
    extra = {key: _stack([getattr(x, key) for x in loads.values()]) for key in ("force", "torque")}
    evaluate = Evaluator(symbolic, make_programs(symbolic, extra=extra))
    found = evaluate("equations", state.t, q=state.q, v=state.v)
    found |= evaluate("residual", state.t, q=state.q, v=state.v, a=a, lam=lam)
    M, G = numeric.mass_and_jacobian(state.q, state.t)
    r, phi = numeric.residual(state, a, lam)
    lengths = max(1.0, float(np.abs(numeric.work.p).max(initial=0.0)))
    rates = max(1.0, float(np.abs(state.v).max(initial=0.0)))
    expected = {"M": M, "G": G, "r": r, "F": numeric.forces(state)}
    out = {key: distance(found[key], value) for key, value in expected.items()}
    # products of two rates and a length, which may add up to nothing
    out["bias"] = distance(found["bias"], numeric.constraint_bias(state), lengths * rates**2)
    out["phi"] = distance(found["phi"], phi, lengths)
    out["phi_dot"] = distance(found["phi_dot"], numeric.constraint_rates(state), 1.0)
    if loads:
        wanted = fx.reactions(numeric, state, Motion(a, lam))
        for key in ("force", "torque"):
            out[key] = distance(
                found[key], [getattr(wanted[name], key) for name in loads], np.abs(r).max(initial=0.0)
            )
    return out


def _stack(vectors):
    out = np.empty((len(vectors), 3), dtype=object)
    for i, vector in enumerate(vectors):
        out[i] = vector
    return out
