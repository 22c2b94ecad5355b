"""The operating point of a network: where nothing stored changes, found by Newton with homotopy.

The unknowns are the states and the algebraic states, the equations the rates of the states and the laws.
Where Newton does not converge at once, the sources are brought in from nothing, s from 0 to 1, in steps that
shrink where they fail and grow where they do not.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexnet.algebra import (
    Expr,
    Node,
    Program,
    array_of,
    forward,
    jacobian,
    mul,
    number,
    product,
    substituted,
    symbol,
)
from flexnet.algebra.language import functions
from flexnet.errors import ConvergenceError, ModelError
from flexnet.graph import BETWEEN
from flexnet.networks.element import Law
from flexnet.networks.form import Form, Key
from flexnet.networks.network import Network, Variable
from flexnet.signals import Known, Signal, StateOf, Time, evaluate
from flexnet.typing import Array

#: Newton ends where a step is as small as this share of the largest unknown; so many steps; least homotopy
_TOLERANCE, _STEPS, _LEAST = 1e-12, 50, 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """What is zero at the operating point, compiled.

    Attributes
    ----------
    names : of the equations: the edge of each.
    guess : where the search begins.
    residual : ``(X, s, out)``: rates and laws for unknowns X with sources times s.
    matrix : ``(X, s, out)``: its derivative by X.
    laws : edge of every law of what dissipates.
    slopes : ``(X, s, out)``: derivative of every such law by its argument.
    """

    names: tuple[str, ...]
    guess: tuple[float, ...]
    residual: Callable[..., None]
    matrix: Callable[..., None]
    laws: tuple[str, ...]
    slopes: Callable[..., None]

    def resistances(self, X: Array, s: float) -> dict[str, float]:
        """Slope of every edge that dissipates by a law of its own; of a curve, that of both its laws."""
        found = np.zeros(len(self.laws))
        self.slopes(X, s, found)
        out: dict[str, float] = {}
        for edge, slope in zip(self.laws, found.tolist(), strict=True):
            out[edge] = out.get(edge, 1.0) * slope
        return out


def write_balance(network: Network, known: Callable[[Known], float], is_held: bool) -> Balance:
    """Write what is zero at the operating point.

    Parameters
    ----------
    known : value of a known function of time.
    is_held : whether states stay at their start; the algebraic states are found then.
    """
    solved = network.solved
    states = list(solved.system.rates)
    n = len(states) * (not is_held) + len(solved.free)
    X: list[Node] = [symbol(f"X{i}") for i in range(n)]
    s = symbol("s")
    keys: dict[Key, Expr] = {("1", 0): s}
    starts = {i: solved.system.states[i].start or 0.0 for i in states}
    keys |= {("x", i): number(v) for i, v in starts.items()} if is_held else {}
    keys |= {} if is_held else {("x", i): x for i, x in zip(states, X, strict=False)}
    free = X if is_held else X[len(states) :]
    keys |= {("z", k): x for k, x in enumerate(free)}

    def leaf(signal: Signal) -> Expr | Signal:
        if isinstance(signal, Known):
            return number(known(signal))
        if isinstance(signal, StateOf):
            i = signal.index
            return keys["x", states[i]] if i < len(states) else keys["z", i - len(states)]
        if isinstance(signal, Variable):
            return network.signal(signal)
        raise ModelError(
            "the operating point of a network that follows a mechanism or time is that of the whole: see"
            " equilibrium"
        )

    for i, drive in enumerate(solved.system.drives):
        keys["u", i] = mul(s, evaluate([drive], leaf, of_arrays=False)[0])
        keys["du", i] = keys["ddu", i] = number(0.0)

    def value(form: Form) -> Expr:
        return _sum([product([c, keys[key]]) for key, c in form.items()])

    def law(function: Law, argument: Expr) -> Expr:
        at = Time()
        return evaluate([function(at)], lambda x: argument if x is at else leaf(x), of_arrays=False)[0]

    dissipates = {p.name for e in network.elements for p in e.ports if e.order == BETWEEN}
    laws, slopes, x = list[str](), list[Expr](), symbol("x")
    for i, (one, argument) in enumerate(solved.laws):
        at = value(argument)
        keys["n", i] = law(one.function, at)
        if one.edge in dissipates:
            laws.append(one.edge)
            slopes += substituted(forward([law(one.function, x)], {x: 1}), {x: at})
    rows, names = list[Expr](), list[str]()
    if not is_held:
        rows += [value(solved.values["w", solved.system.rates[i]]) for i in states]
        names += [solved.system.states[i].edge.name for i in states]
    rows += [value(form) for _, form in solved.residuals]
    names += [edge for edge, _ in solved.residuals]
    guess = (*(0.0,) * (n - len(solved.free)), *solved.guesses)
    return _compiled(rows, names, guess, X, s, laws, slopes)


def _sum(terms: list[Expr]) -> Expr:
    out: Expr = number(0.0)
    for term in terms:
        out = out + term
    return out


def _compiled(
    rows: list[Expr], names: list[str], guess: tuple[float, ...], X: list[Node], s: Node, laws: list[str],
    slopes: list[Expr],
) -> Balance:  # fmt: skip
    inputs: dict[str, Node | list[Node]] = {"X": X, "s": s}
    made = functions(
        [
            Program("residual", inputs, {"out": array_of(rows)}),
            Program("matrix", inputs, {"out": array_of(list(jacobian(rows, X).ravel()))}),
            Program("slopes", inputs, {"out": array_of(slopes)}),
        ]
    )
    return Balance(tuple(names), guess, made["residual"], made["matrix"], tuple(laws), made["slopes"])


def newton_with_homotopy(balance: Balance, what: str) -> Array:
    """Unknowns at which a balance is zero.

    Raises
    ------
    ConvergenceError
        Naming the branch whose equation is worst.
    """
    begin = np.array(balance.guess)
    if not len(begin):
        return begin
    X, worst = _newton(balance, begin, 1.0)
    if X is not None:
        return X
    X, s, step = begin, 0.0, 0.1
    while s < 1.0:
        after, worst = _newton(balance, X, min(1.0, s + step))
        if after is None:
            step /= 4.0
            if step < _LEAST:
                raise ConvergenceError(
                    f"{what}: Newton does not converge beyond {100 * s:.3g} % of the sources; worst is the"
                    f" branch {worst!r}: {_why(balance, X, s)}"
                )
        else:
            X, s, step = after, min(1.0, s + step), 2.0 * step
    return X


def _why(balance: Balance, X: Array, s: float) -> str:
    """What is told of the last point that was found: where a resistance is negative, its curve folds back."""
    falling = {edge: slope for edge, slope in balance.resistances(X, s).items() if slope < 0.0}
    if not falling:
        return "its law may have no solution there"
    edge = min(falling, key=lambda one: falling[one])
    return (
        f"the resistance of {edge!r} is negative there, and the curve of operating points may fold back; let"
        " what is stored beside it say where a run jumps to: a capacitor across it, or an inductor in series"
    )


def _newton(balance: Balance, X: Array, s: float) -> tuple[Array | None, str]:
    """Newton with line search; None and the worst branch where it fails."""
    n = len(X)
    r, J = np.zeros(n), np.zeros(n * n)
    balance.residual(X, s, r)
    for _ in range(_STEPS):
        if not np.any(r):
            return X, ""
        balance.matrix(X, s, J)
        dX = _step(J.reshape(n, n), r)
        if dX is None:
            return None, _worst(balance, J.reshape(n, n), r)
        factor, before = 1.0, _norm(J.reshape(n, n), r)
        while factor > 1e-8:
            trial = X + factor * dX
            balance.residual(trial, s, r)
            if np.all(np.isfinite(r)) and _norm(J.reshape(n, n), r) <= (1.0 - 0.1 * factor) * before:
                break
            factor /= 2.0
        else:
            balance.residual(X, s, r)
            small = np.abs(dX).max() <= 1e3 * _TOLERANCE * max(np.abs(X).max(), 1e-300)
            return (X, "") if small else (None, _worst(balance, J.reshape(n, n), r))
        X = trial
        if factor == 1.0 and np.abs(dX).max() <= _TOLERANCE * np.abs(X).max():
            return X, ""
    return None, _worst(balance, J.reshape(n, n), r)


def _step(J: Array, r: Array) -> Array | None:
    size = np.abs(J).max(axis=1)
    if not np.all(np.isfinite(J)) or np.any(size == 0.0):
        return None
    try:
        dX: Array = np.linalg.solve(J / size[:, None], -r / size)
    except np.linalg.LinAlgError:
        return None
    return dX if np.all(np.isfinite(dX)) else None


def _norm(J: Array, r: Array) -> float:
    return float(np.abs(r / np.maximum(np.abs(J).max(axis=1), 1e-300)).max())


def _worst(balance: Balance, J: Array, r: Array) -> str:
    size = np.abs(J).max(axis=1)
    flat = np.flatnonzero(size == 0.0)
    k = int(flat[0]) if len(flat) else int(np.abs(r / size).argmax())
    return balance.names[k]
