"""The formulation of a network step by step, for people to read: GTM (22) to (36) as the seed has them."""

import sympy as sp

from flexnet.errors import ModelError
from flexnet.graph import f_cutset, incidence
from flexnet.networks.network import Network
from flexnet.networks.symbolic import SymbolicNetwork, symbolic_network


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
        lines += _transformations(own) + _states(own)
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


def _written(x: sp.Expr) -> str:
    return str(sp.factor_terms(sp.together(sp.expand(x))) if x.is_rational_function() else x)


def _section(title: str) -> list[str]:
    return ["", title, "-" * len(title)]


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.splitlines()]
