"""Presentation MathML of expressions: nested lists ``[tag, child, …]`` that a page can build, and text."""

import re
from html import escape
from typing import Any

import sympy as sp

from flexnet.formulation.symbolic.writing import symbol_letters

#: an element: its tag and its children, texts or elements
Tree = list[Any]

_GREEK = {
    r"\theta": "θ", r"\alpha": "α", r"\beta": "β", r"\phi": "φ", r"\omega": "ω", r"\lambda": "λ",
    r"\ell": "ℓ", r"\Phi": "Φ", r"\gamma": "γ", r"\tau": "τ",
}  # fmt: skip
_ACCENTS = {r"\dot": "˙", r"\ddot": "¨"}


def tree(e: Any) -> Tree:
    """Presentation MathML of an expression, symbols by their letters and indices."""
    if e.is_Symbol:
        return symbol_tree(e.name)
    if e.is_Number:
        return _number(e)
    if e.is_Add:
        return ["mrow", *(x for k, term in enumerate(e.as_ordered_terms()) for x in _signed(term, k > 0))]
    if e.is_Mul:
        return _product(e)
    if e.is_Pow:
        return _power(e)
    inside = [x for k, a in enumerate(e.args) for x in ([["mo", ","]] if k else []) + [tree(a)]]
    return ["mrow", ["mi", e.func.__name__], ["mo", "("], *inside, ["mo", ")"]]


def pieces(e: Any, sign: bool = False) -> list[Tree]:
    """Elements between which a line may end: before every term of a sum, in brackets of long terms too."""
    runs: list[list[Tree]] = [[]]
    _flow(e, sign, runs)
    # something empty in front makes a sign one between two terms, with room on both sides
    return [["math", *([["mrow"]] if sign or k else []), *run] for k, run in enumerate(runs)]


#: a term with more operations is broken within its brackets, too
WIDE = 12


def _flow(e: Any, sign: bool, runs: list[list[Tree]]) -> None:
    """Add the terms of a sum to the last run, a new run for each after the first."""
    for k, term in enumerate(e.as_ordered_terms() if e.is_Add else [e]):
        if k:
            runs.append([])
        factor, rest = term.as_coeff_Mul()
        if term.count_ops() <= WIDE or not rest.atoms(sp.Add):
            runs[-1] += _signed(term, sign or k > 0)
            continue
        if factor < 0 or sign or k:
            runs[-1].append(["mo", "−" if factor < 0 else "+"])
        if abs(factor) != 1:
            runs[-1].append(_number(abs(factor)))
        above, below = sp.fraction(rest)
        _factors(above, runs)
        if below != 1:  # a fraction would be one piece, as long as what stands in it
            runs[-1].append(["mo", "/"])
            _bracketed(below, runs)


def _factors(e: Any, runs: list[list[Tree]]) -> None:
    """Add the factors of a product; a line may end within brackets, arguments and powers of long ones."""
    for x in sorted(e.args if e.is_Mul else (e,), key=_rank):
        base, power = x.as_base_exp()
        if x.count_ops() <= WIDE and not x.is_Add:
            runs[-1].append(tree(x))
        elif x.is_Add or (base.is_Add and power.is_Integer and power > 0):
            _bracketed(base, runs, power)
        elif isinstance(base, sp.Function) and len(base.args) == 1 and power.is_Integer and power > 0:
            name: Tree = ["mi", base.func.__name__]
            runs[-1].append(name if power == 1 else ["msup", name, tree(power)])
            _bracketed(base.args[0], runs)
        else:
            runs[-1].append(tree(x))


def _bracketed(e: Any, runs: list[list[Tree]], power: Any = sp.S.One) -> None:
    runs[-1].append(["mo", "("])
    _flow(e, False, runs)
    end: Tree = ["mo", ")"]
    runs[-1].append(end if power == 1 else ["msup", end, tree(power)])


def symbol_tree(name: str) -> Tree:
    """A letter with its dots and its index."""
    letter, index, accent = symbol_letters(name)
    plain = re.sub(r"\\mathrm\{(.*)\}|\^\{(.*)\}", r"\1\2", letter).replace(r"\_", "_")
    core: Tree = ["mi", _GREEK.get(plain, plain)]
    if found := re.fullmatch(r"(\\?\w+)\^\{(.*)\}", letter):
        core = ["msup", ["mi", _GREEK.get(found[1], found[1])], ["mi", found[2]]]
    if accent:
        core = ["mover", core, ["mo", _ACCENTS[accent]]]
    return ["msub", core, ["mtext", index]] if index else core


def left_tree(left: str) -> Tree:
    """Left side: Φ₁, M₁₂, the letter of a named factor, else its text."""
    if "(" in left:
        return ["mtext", left]
    if found := re.fullmatch(r"(M|F|G|B|Phi|gamma)_(\d+(?:_\d+)*)", left):
        return ["msub", ["mi", _GREEK.get(f"\\{found[1]}", found[1])], ["mtext", found[2].replace("_", ",")]]
    return symbol_tree(left)


def to_mathml(element: Tree | str) -> str:
    """Text of an element; whatever is in it is escaped."""
    if isinstance(element, str):
        return escape(element)
    tag, *children = element
    return f"<{tag}>{''.join(to_mathml(child) for child in children)}</{tag}>"


def _number(e: Any) -> Tree:
    if e.is_Rational and not e.is_Integer:
        return ["mfrac", ["mn", str(e.p)], ["mn", str(e.q)]]
    return ["mn", str(float(e) if e.is_Float else e)]


def _signed(term: Any, with_plus: bool) -> list[Tree]:
    factor, rest = term.as_coeff_Mul()
    if factor < 0:
        return [["mo", "−"], _grouped(-factor * rest)]
    return [["mo", "+"], tree(term)] if with_plus else [tree(term)]


def _product(e: Any) -> Tree:
    above, below = sp.fraction(e)
    if below != 1:
        return ["mfrac", tree(above), tree(below)]
    factor, rest = e.as_coeff_Mul()
    out: Tree = ["mrow"]
    if factor < 0:
        out.append(["mo", "−"])
    if abs(factor) != 1:
        out.append(_number(abs(factor)))
    factors = rest.args if rest.is_Mul else (rest,)
    # parameters, then coordinates and their functions, then rates, as equations are read
    for k, x in enumerate(sorted(factors, key=_rank)):
        out += [["mo", "\u2062"], _grouped(x)] if k or abs(factor) != 1 else [_grouped(x)]
    return out


def _rank(x: Any) -> int:
    base = x.as_base_exp()[0]
    if base.is_Add:
        return 1
    if not base.is_Symbol:
        return 2
    return 3 if base.name.endswith(("_dot", "_ddot")) else 0


def _power(e: Any) -> Tree:
    if e.exp == -1:
        return ["mfrac", ["mn", "1"], tree(e.base)]
    if e.exp == sp.Rational(1, 2):
        return ["msqrt", tree(e.base)]
    if isinstance(e.base, sp.sin | sp.cos):  # sin² x
        inside = tree(e.base.args[0])
        name: Tree = ["msup", ["mi", e.base.func.__name__], tree(e.exp)]
        return ["mrow", name, ["mo", "("], inside, ["mo", ")"]]
    base = _grouped(e.base)
    if base[0] == "msub" and base[1][0] == "msup":  # a component written above: its power is one of all of it
        return ["msup", ["mrow", ["mo", "("], base, ["mo", ")"]], tree(e.exp)]
    return ["msubsup", *base[1:], tree(e.exp)] if base[0] == "msub" else ["msup", base, tree(e.exp)]


def _grouped(e: Any) -> Tree:
    return ["mrow", ["mo", "("], tree(e), ["mo", ")"]] if e.is_Add else tree(e)
