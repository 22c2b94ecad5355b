"""Members of a family share one function; a user's function is traced only where a trace is the function."""

import math

import numpy as np
import pytest

from flexnet.algebra import Arguments, FamilyTable, dot, extern, sin, sqrt, traced, where
from flexnet.kernels.callback import run
from flexnet.kernels.compile import is_interpreted, kernel


def stretch(power):
    """Programs of k|x|ⁿ and of its direction."""
    a = Arguments()
    (k,) = a.array("p", 1)
    x, t = a.vector("x"), a.number("t")
    length = sqrt(dot(x, x))
    return [
        a.program("force", [k * length**power + t, *(y / length for y in x)]),
        a.program("energy", [k * length ** (power + 1) / (power + 1)]),
    ]


@kernel
def call_all(addresses, places, p, x, t, out):
    """The thin sweep: every member by its place in the table."""
    for i in range(places.shape[0]):
        run(addresses[places[i]], (p[i : i + 1], x[i], t, out[i]))


@pytest.mark.parametrize("interpreted", [False, True])
def test_members_of_a_family_have_one_place_in_the_table(interpreted):
    table = FamilyTable(interpreted)
    assert [table.add(stretch(n)) for n in (1, 2, 1, 2)] == [0, 2, 0, 2]
    assert table.count == len(table.addresses()) == 4


def test_families_are_the_same_code_in_every_model():
    first, second = FamilyTable(), FamilyTable()
    first.add(stretch(3))
    second.add(stretch(1))
    assert second.add(stretch(3)) == 2
    assert first.addresses()[0] == second.addresses()[2]


def test_a_sweep_calls_every_member_with_its_own_numbers():
    table, rng = FamilyTable(is_interpreted()), np.random.default_rng(3)
    places = np.array([table.add(stretch(n)) for n in (1, 2, 1, 2)])
    p, x, out = rng.random(4), rng.normal(size=(4, 3)), np.zeros((4, 4))
    call_all(table.addresses(), places, p, x, 0.5, out)
    length = np.linalg.norm(x, axis=1)
    assert np.allclose(out[:, 0], p * length ** np.array([1, 2, 1, 2]) + 0.5, rtol=1e-15)
    assert np.allclose(out[:, 1:], x / length[:, None], rtol=1e-15)


def test_an_argument_that_grows_has_the_entries_that_were_asked_for():
    a = Arguments()
    a.array("p")
    a.array("laws")
    a.number("t")
    asked = [a.more("p"), a.more("p")]
    program = a.program("f", [asked[1] * extern("laws", 0, asked[0])])
    assert list(program.inputs) == ["p", "laws", "t"]
    assert program.inputs["p"] == asked
    assert program.has_externs


POINTS = [(0.0, 0.0), (1.3, -0.4), (-2.0, 0.7)]
COUNTER = iter(range(1000))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, v: -7.0 * x**3 - v,
        lambda x, v: 2.0,
        lambda x, v: abs(x) * sin(v),
        lambda x, v: where(x < v, x, v),
    ],
)
def test_a_trace_is_the_function(function):
    formula = traced(function, ("x", "v"), POINTS)
    assert formula is not None
    assert formula(0.3, 0.9) == pytest.approx(float(function(0.3, 0.9)), rel=1e-15)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, v: x if x > 0 else 0.0,
        lambda x, v: max(x, v),
        lambda x, v: math.sin(x),
        lambda x, v: np.sin(x),
        lambda x, v: 0.0 if x == 0.0 else x / abs(x) + 1.0,
        lambda x, v: x + next(COUNTER),
        lambda x, v: "force",
        lambda x, v: x > v,
        lambda x, v: 1 / 0,
    ],
    ids=["truth", "max", "math", "numpy", "equality", "memory", "text", "comparison", "raises"],
)
def test_a_function_that_is_no_formula_is_not_traced(function):
    assert traced(function, ("x", "v"), POINTS) is None


def test_a_remembered_text_is_that_of_the_same_formulas_only() -> None:
    from flexnet.algebra.family import _text
    from flexnet.algebra.llvm import to_llvm

    def programs(constant: float, name: str = "f") -> list:
        a = Arguments()
        x, y = a.array("p", 2)
        return [a.program(name, [x * y + 2.0, constant])]

    for one in (programs(0.0), programs(-0.0), programs(1.0), programs(0.0, "g"), programs(0.0)):
        assert _text(one) == to_llvm(one)
    assert _text(programs(0.0)) != _text(programs(-0.0))
