"""Nodes: equal ones are one object, signs stay in front, and code does not know what was written before."""

import gc
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from flexnet.algebra import (
    Program,
    add,
    array_of,
    cos,
    inputs_of,
    mul,
    number,
    numbers,
    power,
    reach,
    sin,
    sqrt,
    substituted,
    symbol,
    symbols,
    tape,
    to_llvm,
    where,
)  # fmt: skip
from flexnet.algebra.machine import code_key, compile_programs
from flexnet.errors import ModelError


def test_equal_expressions_are_one_object():
    x, y = symbols("x y")
    assert x + y is y + x
    assert x * y is y * x
    assert (x - y) * 2 is -2 * (y - x)
    assert sin(y - x) is -sin(x - y)
    assert cos(y - x) is cos(x - y)
    assert (-x) * (-y) is x * y
    assert (2 * x) / (4 * y) is x / y * Fraction(1, 2)


def test_what_is_zero_or_one_is_not_written():
    x, y = symbols("x y")
    assert x - x == 0
    assert 0 * x == 0
    assert 1 * x is x
    assert add(x, y, -x) is y
    assert x / x == 1
    assert power(x, 0) == 1
    assert where(x < y, x, x) is x
    assert sin(0) == 0


def test_thirds_stay_thirds():
    (x,) = symbols("x")
    assert x / 3 * 3 is x
    assert x / 3 + x / 6 is x / 2


def test_nodes_that_nobody_holds_are_forgotten():
    from flexnet.algebra.scalar import _made

    gc.collect()
    before = len(_made)
    x = symbol("a name of its own")
    y = sin(x) + 2 * x
    assert len(_made) > before
    del x, y
    gc.collect()
    assert len(_made) == before


def test_a_tape_lists_what_is_needed_before_what_needs_it():
    x, y = symbols("x y")
    outputs = [sin(x + y) * x, (x + y) / y]
    listed = tape(outputs)
    assert len(listed) == len(set(listed)) == 4
    for i, node in enumerate(listed):
        assert all(a in (x, y) or a in listed[:i] for a in node.args if a in listed or a in (x, y))
    assert inputs_of(outputs) == [x, y]
    assert reach([x * 2, sin(y), 3.0]) == [{x}, {y}, frozenset()]
    assert substituted([sin(x + y)], {x: 2 * y}) == [sin(3 * y)]


def formulas():
    a, b, c = symbols("a b c")
    d = add(mul(a, b), mul(b, c), mul(c, a))
    return Program("f", {"x": [a, b, c]}, {"out": array_of([d * sin(a - b), sqrt(d) / (a + c), -d])})


def test_the_code_does_not_depend_on_what_was_written_before():
    first = to_llvm([formulas()])
    gc.collect()
    held = [sin(symbols("b a c")[k] - symbol("a")) * symbol("c") for k in range(3)]
    c, b, a = symbols("c b a")
    held += [c * a, b * a, c * b, c * a + b * a]
    assert to_llvm([formulas()]) == first
    held.clear()


def test_the_code_is_the_same_in_every_process():
    """Hashes of names that change from process to process would be seen here."""
    script = (
        "from flexnet.algebra import *; from flexnet.algebra.machine import code_key;"
        "from tests.algebra.test_scalar import formulas; print(code_key(to_llvm([formulas()])))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
        ).stdout.strip()
        for seed in ("1", "2")
    }  # fmt: skip
    assert said == {code_key(to_llvm([formulas()]))}


def test_equal_programs_are_compiled_once(monkeypatch):
    from flexnet.algebra import machine

    compile_programs([formulas()])
    monkeypatch.setattr(machine, "make_object", lambda *_, **__: pytest.fail("compiled again"))
    code = compile_programs([formulas()])
    out = np.zeros(3)
    code("f", np.array([1.0, 2.0, 3.0]), out)
    assert out[2] == -11.0


def test_the_truth_of_an_expression_is_refused():
    x, y = symbols("x y")
    for ask in (lambda: bool(x), lambda: bool(x < y), lambda: max(x, y)):
        with pytest.raises(ModelError, match="where"):
            ask()


def test_a_small_number_is_no_zero_and_a_component_beside_a_large_one_is():
    assert number(1e-15) == 1e-15
    assert number(-3e-24) == -3e-24
    assert number(0.5 + 1e-16) == Fraction(1, 2)
    assert numbers(np.array([1e-20, 0.0, 2e-20])) == (1e-20, 0, 2e-20)
    assert numbers(np.array([1.0, 6e-17, 0.0])) == (1, 0, 0)


def test_numbers_times_powers_of_two_leave_the_order_and_so_the_bits():
    """Lengths in another unit: factors that become one, places under roots and in sums of three and more."""
    x = symbols("x y z")

    def value(p, at, unit):
        a, b, c = (number(unit * v) for v in p)
        d = [add(x[0], -a), add(x[1], mul(b / unit, x[2])), add(mul(a / unit, x[2]), c)]
        length = sqrt(add(*(mul(y, y) for y in d)))
        turned = [add(*(mul(y, d[(k + i) % 3] / length) for i, y in enumerate(x))) for k in range(3)]
        code = compile_programs([Program("f", {"x": list(x)}, {"out": array_of([add(*turned, c), *turned])})])
        code("f", unit * at, out := np.zeros(4))
        return out / unit

    rng = np.random.default_rng(5)
    for _ in range(20):
        p, at = rng.choice([0.5, 1.0, 3.0, 0.3, -1.7], 3), rng.normal(size=3)
        assert np.array_equal(value(p, at, 1.0), value(p, at, 2.0**-20))
