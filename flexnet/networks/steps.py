"""The formulation of a network step by step, for people to read: GTM (22) to (36) as the seed has them."""

import sympy as sp

from flexnet.errors import ModelError
from flexnet.graph import ACROSS_DRIVER, THROUGH_DRIVER, f_cutset, incidence
from flexnet.networks.network import Network
from flexnet.networks.symbolic import SymbolicNetwork, s, symbolic_network

#: most states whose transfer functions are written in symbols
_STATES = 4


def network_report(network: Network) -> str:
    """Incidence and cutset matrices, transformations, terminal equations and states of a network, as text.

    Where it has nonlinear laws or states that depend on each other, the steps up to that are written, and why
    there are no more.
    """
    tree = network.tree
    lines = _section("Incidence matrix: rows nodes, columns edges, + where an edge leaves")
    lines += _indented(str(incidence(network.graph)))
    lines += _section(f"Tree: {', '.join(tree.names)}; fundamental cutset matrix [1 A_c]")
    lines += _indented(str(f_cutset(tree)))
    try:
        own = symbolic_network(network)
        lines += _transformations(own) + _states(own) + _transfers(own)
    except ModelError as error:
        lines += [*_section("No further in symbols"), f"  {error}"]
    return "\n".join([*lines, ""])


def _transformations(own: SymbolicNetwork) -> list[str]:
    f = own.branch_chord
    branches = own.tree.names
    chords = [e for e in own.edges if e not in branches]
    lines = _section("Chord transformation: through variables of branches, tau_b = -A_c tau_c")
    lines += [f"  tau_{e} = {f.through[e]}" for e in branches]
    lines += _section("Branch transformation: across variables of chords, alpha_c = A_c^T alpha_b")
    lines += [f"  alpha_{e} = {f.across[e]}" for e in chords]
    lines += _section("Terminal equations in alpha_b and tau_c, of s, start values with _0")
    lines += [f"  {_written(x)} = 0" for x in f.equations]
    return lines


def _states(own: SymbolicNetwork) -> list[str]:
    found = own.state_equations
    if not found:
        return []
    lines = _section("State equations")
    return lines + [f"  d x_{name}/dt = {_written(value)}" for name, value in found.items()]


def _transfers(own: SymbolicNetwork) -> list[str]:
    """X(s)/U(s) = (s 1 - A)⁻¹ B of every state and source, from ẋ = A x + B u."""
    x = [sp.Symbol(f"x_{name}") for name in own.state_equations]
    drivers = (e.name for e in own.network.elements if e.order in (ACROSS_DRIVER, THROUGH_DRIVER))
    u = [sp.Symbol(name) for name in drivers]
    if not x or not u:
        return []
    lines = _section("Transfer functions of the sources, of s, all at rest at the start")
    if len(x) > _STATES:
        return [*lines, f"  not written: {len(x)} states; flexnet bode gives them in numbers"]
    rates = sp.Matrix(list(own.state_equations.values()))
    A, B = rates.jacobian(x), rates.jacobian(u)
    found = (s * sp.eye(len(x)) - A).LUsolve(B)
    return lines + [
        f"  {name}/{source} = {sp.factor(sp.cancel(found[i, j]))}"
        for j, source in enumerate(u)
        for i, name in enumerate(x)
    ]


def _written(x: sp.Expr) -> str:
    return str(sp.factor_terms(sp.together(sp.expand(x))) if x.is_rational_function() else x)


def _section(title: str) -> list[str]:
    return ["", title, "-" * len(title)]


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.splitlines()]
