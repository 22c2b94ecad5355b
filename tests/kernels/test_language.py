"""The language of kernels means what Python means; what it does not have is refused with file and line."""

from math import nan
from typing import NamedTuple

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import State
from flexnet.kernels.compile import is_interpreted, kernel
from flexnet.kernels.entry import handle
from flexnet.kernels.model import empty_model
from flexnet.kernels.statements import KernelError
from flexnet.kernels.work import make_work
from tests.catalogue import build

pytestmark = pytest.mark.skipif(is_interpreted(), reason="nothing is compiled")
PAIR = np.dtype([("n", np.int64), ("x", np.float64, (2,))], align=True)
TABLE = ((1.0, 2.0), (3.0, 4.0))


def whole(a, b, out):
    out[0], out[1] = a // b, a % b


def powers(x, n, out):
    out[0], out[1], out[2], out[3] = x**3, x**n, x**0.5, x**-2


def extremes(a, b, out):
    out[0], out[1], out[2] = max(a, b), min(a, b), max(a, 1.0, b)


def widens(n, out):
    total = 0
    for i in range(n):
        if i == 3:
            continue
        total += 0.5 * i
        if total > 20.0:
            break
    out[0] = total
    out[1] = total if n > 2 else n


def parts(A, out):
    out[0], out[1] = A[:, 1][2], A[1:, :2][1, 1]
    out[2:4] = A[0, 1:]
    A[1] = 7.0
    row, other = A[1], A[2]
    out[4], out[5] = row[0], other[-1]
    first, second, third = A[2]
    out[6] = first + second * third
    for i in range(2):
        out[7] += TABLE[i][1 - i]


def records(data, out):
    for k in range(data.shape[0]):
        e = data[k]
        e.n = e.n + 1
        out[k] = e.x[0] * e.n + e.x[1]


def short_circuit(i, x, out):
    if i < x.shape[0] and x[i] > 0.0:
        out[0] = 1.0
    if i >= x.shape[0] or x[i] == 0.0:
        out[1] = 1.0
    out[2] = 1.0 if 0 <= i < 2 else 0.0


def complex_numbers(z, w, out):
    q = z[0] / w[0] + 2.0 * z[0] * w[0]
    out[0], out[1], out[2] = q.real, q.imag, abs(z[0])


def samples():
    x, M = np.array([1.0, -2.0, 0.0]), np.arange(9.0).reshape(3, 3)
    pairs = np.array([(1, (0.5, 2.0)), (4, (1.5, 3.0))], dtype=PAIR).view(np.recarray)
    for a, b in ((7, 3), (-7, 3), (7, -3), (-7, -3), (6, 3)):
        yield whole, a, b, 2
    for n in (0, 5, -3):
        yield powers, 1.5, n, 4  # whose powers are exact
    for a, b in ((1.0, 2.0), (nan, 1.0), (1.0, nan), (-0.0, 0.0)):
        yield extremes, a, b, 3
    for n in (1, 4, 40):
        yield widens, n, 2
    yield parts, M, 8
    yield parts, np.asfortranarray(M), 8
    yield records, pairs, 2
    for i in (0, 1, 2, 9):
        yield short_circuit, i, x, 3
    for w in (3.0 - 1.0j, 1.0 + 5.0j):
        yield complex_numbers, np.array([1.0 + 2.0j]), np.array([w]), 3


@pytest.mark.parametrize(
    "sample", list(samples()), ids=lambda s: f"{s[0].__name__}-{s[1] if np.isscalar(s[1]) else s[-1]}"
)
def test_a_kernel_gives_what_python_gives(sample) -> None:
    function, *given, n = sample
    expected, found = np.zeros(n), np.zeros(n)
    copies = [np.copy(x, order="K", subok=True) if isinstance(x, np.ndarray) else x for x in given]
    function(*given, expected)
    kernel(function)(*copies, found)
    np.testing.assert_array_equal(found, expected)
    for x, y in zip(given, copies, strict=True):
        np.testing.assert_array_equal(x, y)


def allocates(x, out):
    y = [1.0, 2.0]
    out[0] = y[0]


def turns_in_a_loop(x, out):
    y = x
    for i in range(2):
        out[i] = y[0]
        y = (x, x)


def forgets(x):
    if x[0] > 0.0:
        return 1.0


def loops_or_else(x, out):
    for i in range(2):
        out[i] = x[i]
    else:
        out[0] = 5.0


def repeats_or_else(x, out):
    while out[0] < 1.0:
        out[0] += 1.0
    else:
        out[0] = 5.0


def either_number(x, out):
    out[0] = x[0] or 2.0


@pytest.mark.parametrize(
    "function", [allocates, turns_in_a_loop, forgets, loops_or_else, repeats_or_else, either_number]
)
def test_what_the_language_does_not_have_is_refused_with_its_line(function) -> None:
    given = (np.ones(2), np.zeros(2))[: function.__code__.co_argcount]
    with pytest.raises(KernelError, match=r"test_language\.py:\d+: "):
        kernel(function)(*given)


def test_an_argument_of_another_kind_is_compiled_for_and_a_wrong_one_refused() -> None:
    made, out = kernel(widens), np.zeros(2)
    made(np.int64(4), out)
    assert out[0] == 1.5
    with pytest.raises(TypeError, match="float32"):
        made(4, np.zeros(2, dtype=np.float32))
    with pytest.raises(TypeError, match="takes 2 arguments, not 1"):
        made(4)


def test_arrays_with_gaps_go_in_and_out_as_they_are():
    twice = kernel(doubles)
    x, out = np.arange(1.0, 9.0), np.zeros(8)
    twice(x[:4], out[:4])
    twice(x[::2], out[::2])
    twice(np.array([1 + 5j, 2 + 6j]).real, out[5:2:-2])
    twice(x[:2], out[:2])  # the same machine code as before
    assert out.tolist() == [2.0, 4.0, 6.0, 4.0, 10.0, 2.0, 14.0, 0.0]


def first_of(x, out):
    for k in range(2):
        row = out[k] if k > 0 else out[0]
        row[0] = x[k]


handing_on = kernel(first_of)


def handed_on(x, out, data):
    handing_on(x, out)
    data[0].n = 1


@pytest.mark.parametrize("name", ["out", "data"])
def test_a_read_only_array_is_read_and_not_written(name) -> None:
    made, given = kernel(handed_on), {"x": np.ones(2), "out": np.zeros((2, 2)), "data": np.zeros(1, PAIR)}
    given["x"].flags.writeable = False
    made(*given.values())
    assert given["out"][1, 0] == 1.0
    kept = given[name].copy()
    for array in (given[name], given[name][::-1]):  # one with a gap is copied in and out
        given[name] = array
        array.flags.writeable = False
        with pytest.raises(ValueError, match=f"handed_on writes to '{name}': it is read-only"):
            made(*given.values())
    np.testing.assert_array_equal(given[name][::-1], kept)


class Both(NamedTuple):
    x: np.ndarray
    out: np.ndarray


def in_a_tuple(both):
    both.out[0] = both.x[0]


def test_a_read_only_array_in_a_tuple_is_not_written() -> None:
    made, out = kernel(in_a_tuple), np.zeros(1)
    made(Both(np.ones(1), out))
    assert out[0] == 1.0
    out.flags.writeable = False
    with pytest.raises(ValueError, match="in_a_tuple writes to 'both': it is read-only"):
        made(Both(np.zeros(1), out))
    assert out[0] == 1.0


@pytest.mark.skipif(is_interpreted(), reason="a handle is the tuple itself")
@pytest.mark.parametrize("part", [0, 1], ids=["model", "work"])
def test_a_read_only_array_is_refused_by_a_handle(part) -> None:
    """Behind a handle nobody looks any more."""
    both = [empty_model(), make_work(empty_model(), 1, 1)]
    assert len(handle(*both)) > 100
    name, array = next((n, a.copy()) for n, a in zip(both[part]._fields, both[part], strict=True) if a.size)
    array.flags.writeable = False
    both[part] = both[part]._replace(**{name: array})
    with pytest.raises(TypeError, match=f"^{name} is read-only"):
        handle(*both)


def test_an_equation_takes_a_velocity_with_gaps():
    equations = fx.formulate(build("double_pendulum"), "joint")
    start = equations.initial
    plain = equations.poses(State(start.t, start.q, np.array([1.0, 2.0])))
    gaps = equations.poses(State(start.t, start.q, np.array([1 + 3j, 2 + 4j]).real))
    assert (gaps.omega == plain.omega).all()


def doubles(x, out):
    for i in range(x.shape[0]):
        out[i] = 2.0 * x[i]
