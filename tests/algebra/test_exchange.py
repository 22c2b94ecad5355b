"""sympy in and out, text and LaTeX."""

import pytest
import sympy as sp

from flexnet.algebra import FUNCTIONS, add, extern, maximum, power, symbol, symbols, where
from flexnet.algebra.exchange import from_sympy, to_sympy
from flexnet.algebra.typeset import to_latex, to_text
from flexnet.errors import ModelError


def test_everything_goes_out_and_comes_back():
    x, y = symbols("x y")
    calls = [f(*(x, y)[: len(f.parameters)]) for f in FUNCTIONS.values()]
    others = [
        add(x, 2 * y, -1), x * y / 3, 1 / x, x / y, x**3, power(x, y), where(x < y, x, 2 * y),
        where(x <= 0, x, y), 0.1 * x,
    ]  # fmt: skip
    for e in (*calls, *others):
        assert from_sympy(to_sympy([e])[0]) is e, e


def test_numbers_are_exact_where_they_were():
    (x,) = symbols("x")
    X = sp.Symbol("x", real=True)
    assert to_sympy([x / 3 + 0.5])[0] == X / 3 + sp.Rational(1, 2)
    assert from_sympy(sp.pi * X) is 3.141592653589793 * x


def test_symbols_may_be_given():
    x, y = symbols("x y")
    a = sp.Symbol("a")
    assert from_sympy(sp.Max(a, 2) ** 2, {"a": x * y}) is maximum(2, x * y) ** 2
    assert from_sympy(sp.sin(a), {"a": x}) is FUNCTIONS["sin"](x)


def test_a_node_may_keep_a_name():
    x, y = symbols("x y")
    z = sp.Symbol("z0")
    assert to_sympy([x * y + 1], {x * y: z}) == [z + 1]


def test_what_has_no_code_is_refused_by_name():
    with pytest.raises(ModelError, match="gamma"):
        from_sympy(sp.gamma(sp.Symbol("x")))


def test_text_and_latex():
    x, y = symbols("crank.angle y")
    e = FUNCTIONS["sin"](x) * y / 2
    assert to_text(e) == "y*sin(crank.angle)/2"
    assert to_text(e, lambda name: name.split(".")[-1]) == "y*sin(angle)/2"
    assert (
        to_latex(e, lambda name: r"\theta" if name == "crank.angle" else name)
        == r"y \sin{\left(\theta \right)} / 2"
    )
    assert repr(symbol("x") + 1) == "x + 1"
    assert "laws(2" in to_text(extern("laws", 2, y))
