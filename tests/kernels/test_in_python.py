"""A kernel run as plain Python computes, with any numbers, what its machine code does with floats."""

from fractions import Fraction

import numpy as np
import pytest

from flexnet.algebra import substituted, symbols
from flexnet.errors import ModelError
from flexnet.kernels import vector
from flexnet.kernels.compile import kernel
from flexnet.kernels.in_python import in_python
from flexnet.typing import Array


@kernel
def half_turned(R: Array, x: Array, out: Array) -> None:
    """``out = ½ R x``, by kernels of a module."""
    vector.rotate(R, x, out)
    vector.add_scaled(-0.5, out, out)


def test_numbers_may_be_exact():
    out = [0, 0, 0]
    in_python(half_turned, {})(np.diag([1, 2, 3]).astype(object), [Fraction(1, 3)] * 3, out)
    assert out == [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)]


def test_formulas_of_a_kernel_have_the_values_of_its_machine_code():
    rng = np.random.default_rng(3)
    names, values = symbols("a b c d e f g h i x y z"), rng.standard_normal(12)
    written, numbers = np.full(3, 0, dtype=object), np.zeros(3)
    in_python(half_turned, {})(np.reshape(np.array(names[:9], dtype=object), (3, 3)), names[9:], written)
    half_turned(values[:9].reshape(3, 3), values[9:], numbers)
    found = substituted(written, dict(zip(names, values, strict=True)))
    np.testing.assert_allclose(np.array(found, dtype=float), numbers, rtol=0, atol=1e-15)


def test_a_kernel_that_asks_for_the_larger_of_two_formulas_is_refused():
    R = np.array(symbols("a b c d e f g h i"), dtype=object).reshape(3, 3)
    with pytest.raises(ModelError, match="choose by where"):
        in_python(vector.matrix_to_quaternion, {})(R, [0] * 4)


def test_functions_of_numbers_are_the_words_given():
    (x,) = symbols("x")
    assert in_python(vector.dot, {"float": lambda y: y})([x, 0, 1], [2, 3, 4]) == 2 * x + 4
