"""How symbols are written in text and in LaTeX: named after components, short where a letter is usual."""

import re
from typing import Any

import sympy as sp

from flexnet.algebra import typeset

#: letters of coordinates and parameters by the last part, or the first part, of their names
_LAST = {
    "angle": r"\theta", "alpha": r"\alpha", "beta": r"\beta", "displacement": "s", "tau": r"\tau",
    "x": "x", "y": "y", "z": "z",
    "quaternion_w": "e^{0}", "quaternion_x": "e^{1}", "quaternion_y": "e^{2}", "quaternion_z": "e^{3}",
    "omega_x": r"\omega^{x}", "omega_y": r"\omega^{y}", "omega_z": r"\omega^{z}",
    "angle_1": r"\phi^{1}", "angle_2": r"\phi^{2}", "angle_3": r"\phi^{3}",
}  # fmt: skip
_FIRST = {"m": "m", "J": "J", "k": "k", "c": "c", "rest": r"\ell", "g": "g", "l": "l", "lambda": r"\lambda"}


def latex_name(name: str) -> str:
    """LaTeX of a symbol: ``crank.angle_dot`` is θ̇ with index crank."""
    letter, index, accent = symbol_letters(name)
    body = f"{accent}{{{letter}}}" if accent else letter
    return f"{body}_{{{_upright(index)}}}" if index else body


def symbol_letters(name: str) -> tuple[str, str, str]:
    """Letter in LaTeX, index as it is, and the accent of a rate."""
    for suffix, command in (("_ddot", r"\ddot"), ("_dot", r"\dot")):
        if name.endswith(suffix):
            return *_letter(name.removesuffix(suffix)), command
    return *_letter(name), ""


def escaped(name: str) -> str:
    """A name with what LaTeX would take for its own; what else it would is in no name."""
    return name.replace("_", r"\_").replace("#", r"\#")


def _upright(index: str) -> str:
    """An index of letters is a name; one of digits stays as it is."""
    return index if re.fullmatch(r"[\d+-]+", index) else r"\mathrm{" + escaped(index) + "}"


def _letter(name: str) -> tuple[str, str]:
    """Letter and index of a name."""
    if re.fullmatch(r"[A-Za-z]\d*", name):
        return name[0], name[1:]
    if found := re.fullmatch(r"(lambda)_(\d+)", name):
        return r"\lambda", found[2]
    if found := re.fullmatch(r"([sc])_([\d+-]+)", name):  # sine or cosine of a sum of angles
        return found[1], found[2]
    first, *rest = name.split(".")
    if first in _FIRST and rest:
        return _FIRST[first], _index(rest)
    last = rest[-1] if rest else ""
    if last in _LAST:
        return _LAST[last], _index([first, *rest[:-1]])
    if last.startswith("elastic_"):
        return "q", _index([first, last.removeprefix("elastic_")])
    return r"\mathrm{" + escaped(first) + "}", _index(rest)


def _index(parts: list[str]) -> str:
    return ",".join(parts)


def to_latex(e: Any) -> str:
    """LaTeX of an expression."""
    return typeset.to_latex(e, latex_name)


_LETTERS = {
    "p": r"\mathbf{p}", "v": r"\mathbf{v}", "R": r"\mathbf{R}", "omega": r"\boldsymbol{\omega}",
    "r": r"\mathbf{r}", "force": r"\mathbf{F}", "torque": r"\mathbf{T}", "T": "T",
}  # fmt: skip


def latex_left(left: str) -> str:
    """LaTeX of a left side: ``p(crank)``, ``M_1_2``, ``Phi_1`` or a name of the tape."""
    if "(" in left:
        letter, name = left.rstrip(")").split("(", 1)
        return _LETTERS[letter] + r"_{\mathrm{" + escaped(name) + "}}"
    letter, *indices = left.split("_")
    greek = {"Phi": r"\Phi", "gamma": r"\gamma"}
    if not indices:
        return latex_name(left)
    return f"{greek.get(letter, letter)}_{{{','.join(indices)}}}"


def text_name(name: str) -> str:
    """Text of a symbol: dots of rates as primes."""
    for suffix, mark in (("_ddot", "''"), ("_dot", "'")):
        if name.endswith(suffix):
            return name.removesuffix(suffix) + mark
    found = re.fullmatch(r"([sc])_([\d+-]+)", name)
    return f"{found[1]}({found[2]})" if found else name


def to_text(e: Any) -> str:
    """Plain text of an expression."""
    return typeset.to_text(e, text_name)


def tidy(e: Any) -> Any:
    """Expand, and write even powers of cosines in sines: what adds up to one goes."""

    def is_even(p: Any) -> bool:
        return bool(p.is_Pow and isinstance(p.base, sp.cos) and p.exp.is_Integer and p.exp > 1)

    def in_sines(p: Any) -> Any:
        n, x = int(p.exp), p.base.args[0]
        return (1 - sp.sin(x) ** 2) ** (n // 2) * sp.cos(x) ** (n % 2)

    flat = sp.expand(sp.expand(e).replace(is_even, in_sines))
    return flat if flat.count_ops() < e.count_ops() else e
