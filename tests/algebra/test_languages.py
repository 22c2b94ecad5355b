"""Every operation and every function, in every language, beside fifty digits of mpmath."""

from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest

from flexnet.algebra import FUNCTIONS, Program, add, array_of, extern, power, symbols, to_c, to_numpy, where
from flexnet.errors import ModelError
from tests.algebra.running import LANGUAGES, program_of, runner


def root(x):
    """φ of x = φ²."""
    return mp.sqrt(x)


def f1(x):
    return (1 - mp.cos(root(x))) / x if x else mp.mpf(1) / 2


def f2(x):
    return (root(x) - mp.sin(root(x))) / root(x) ** 3 if x else mp.mpf(1) / 6


def c(x):
    return (1 - root(x) / 2 * mp.cot(root(x) / 2)) / x if x else mp.mpf(1) / 12


def turn_factor(x, w):
    s = mp.sqrt(x)
    side = 1 if w >= 0 else -1
    return 2 * side * mp.atan2(s, side * w) / s if s else 2 / w


#: what every function is, and where it is asked for
ANYWHERE = [-7.0, -1.3, -0.5, 0.0, 1e-9, 0.3, 2.0, 40.0]
POSITIVE = [1e-9, 1e-3, 0.4, 0.99, 1.01, 17.0]
INSIDE = [-0.999, -0.3, 1e-8, 0.5, 0.9]
TURNS = [0.0, 1e-12, 1e-6, 9.9e-4, 1.1e-3, 0.1, 0.99, 1.01, 3.9, 4.1, 9.0, 20.0]
REFERENCES = {
    **{name: (getattr(mp, name), ANYWHERE) for name in ("sin", "cos", "atan", "sinh", "cosh", "tanh", "exp")},
    "tan": (mp.tan, INSIDE), "asin": (mp.asin, INSIDE), "acos": (mp.acos, INSIDE),
    "log": (mp.log, POSITIVE), "sqrt": (mp.sqrt, POSITIVE),
    "absolute": (abs, ANYWHERE), "nearest": (mp.nint, ANYWHERE), "sgn": (mp.sign, ANYWHERE),
    "heaviside": (lambda x: (mp.sign(x) + 1) / 2, ANYWHERE),
    "wrap": (lambda x: x - 2 * mp.pi * mp.nint(x / (2 * mp.pi)), ANYWHERE),
    "inverse": (lambda x: 1 / x if x > 0 else mp.mpf(0), [0.0, 1e-15, *POSITIVE]),
    "turn_w": (lambda x: mp.cos(root(x) / 2), TURNS),
    "turn_s": (lambda x: mp.sin(root(x) / 2) / root(x) if x else mp.mpf(1) / 2, TURNS),
    "turn_f1": (f1, TURNS), "turn_f2": (f2, TURNS), "turn_c": (c, TURNS),
    "turn_g1": (lambda x: 2 * mp.diff(f1, x) if x else -mp.mpf(1) / 12, TURNS),
    "turn_g2": (lambda x: 2 * mp.diff(f2, x) if x else -mp.mpf(1) / 60, TURNS),
}  # fmt: skip
PAIRS = [(0.3, -2.0), (-1.0, 4.0), (2.0, 0.5), (1e-3, 1.0), (0.0, 1.5)]
REFERENCES_OF_TWO = {
    "atan2": (mp.atan2, PAIRS), "maximum": (max, PAIRS), "minimum": (min, PAIRS),
    "turn_factor": (turn_factor, [(0.0, 1.0), (1e-26, 1.0), (1e-6, 0.9999995), (0.36, 0.8), (0.64, -0.6)]),
}  # fmt: skip


def test_every_function_has_a_reference():
    own = {
        name
        for name, function in FUNCTIONS.items()
        if "_" not in name or name.rsplit("_", 1)[0] not in FUNCTIONS
    }
    assert own == {*REFERENCES, *REFERENCES_OF_TWO}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_function_in_every_language(language, tmp_path):
    """All at once: one library. Answers are those of mpmath to some units of the last place."""
    x, y = symbols("x y")
    one = [FUNCTIONS[name](x) for name in REFERENCES]
    two = [FUNCTIONS[name](x, y) for name in REFERENCES_OF_TWO]
    run = runner(program_of([x, y], [*one, *two]), language, tmp_path)
    with mp.workdps(50):
        for i, (name, (reference, places)) in enumerate(REFERENCES.items()):
            for place in places:
                check(name, run([place, 1.0])[i], reference(mp.mpf(place)), place)
        for i, (name, (reference, pairs)) in enumerate(REFERENCES_OF_TWO.items(), len(REFERENCES)):
            for pair in pairs:
                check(name, run(list(pair))[i], reference(*map(mp.mpf, pair)), pair)


def check(name, found, expected, place):
    # tan and the closed forms of g₂ divide what has cancelled a little
    tolerance = 2e-14 if name.startswith("turn") else 4e-15
    assert abs(found - float(expected)) <= tolerance * max(abs(float(expected)), 1e-1), (name, place)


@pytest.mark.parametrize("name", [*REFERENCES, *REFERENCES_OF_TWO])
def test_of_numbers_a_function_is_a_number(name):
    reference, places = {**REFERENCES, **REFERENCES_OF_TWO}[name]
    for place in places:
        args = place if isinstance(place, tuple) else (place,)
        with mp.workdps(50):
            check(name, FUNCTIONS[name](*args), reference(*map(mp.mpf, args)), place)


def operations(x, y):
    """Every operation, with signs and factors everywhere."""
    return [
        x + y, x - y, y - x, -x - y, 2 * x - y / 3 + 1, 1 - x, x * y, -x * (2 * y), x / y, 1 / x,
        -3 / (x * y),
        x**2, x**3, x**-2, x**7, abs(x) ** 0.5, abs(x) ** 1.5, abs(x) ** y, 2.0**y, abs(x) ** 2.3,
        x * y - y * x, (x + y) * (x + y) / (x + y), x - (y - (x - 1)), -(x / -y),
    ]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_operation_in_every_language(language, tmp_path):
    x, y = symbols("x y")
    chosen = [where(x < y, x, y), where(x <= 1.3, 1 / x, -y), where(x > 0, where(y >= 0, 1, 2), 3)]
    run = runner(program_of([x, y], [*operations(x, y), *chosen]), language, tmp_path)
    for a, b in [(1.3, -0.7), (-0.4, 2.1), (5.0, 5.0)]:
        found = run([a, b])
        with mp.workdps(50):
            for i, expected in enumerate(operations(mp.mpf(a), mp.mpf(b))):
                assert found[i] == pytest.approx(float(expected), rel=1e-14, abs=1e-15), i
        assert list(found[-3:]) == [
            min(a, b),
            1 / a if a <= 1.3 else -b,
            (1 if b >= 0 else 2) if a > 0 else 3,
        ]


def test_numpy_evaluates_many_places_at_once(tmp_path):
    x, y = symbols("x y")
    run = runner(program_of([x, y], [FUNCTIONS["turn_c"](x), x / y, where(x < y, x, y)]), "numpy", tmp_path)
    many = np.random.default_rng(0).uniform(0.1, 3.0, (2, 5))
    assert np.allclose(run(many), np.stack([run(many[:, k]) for k in range(5)], axis=1), rtol=1e-15)


def test_a_function_of_a_table_is_called_by_numpy_and_by_machine_code_and_refused_elsewhere():
    import ctypes

    from flexnet.algebra import compile_programs

    x, y = symbols("x y")
    program = Program("f", {"laws": [], "x": [x, y]}, {"out": array_of([extern("laws", 1, x, y) * x])})
    space, out = {}, np.zeros(1)
    exec(to_numpy([program]), space)
    space["f"]([None, lambda a, b: a - 2 * b], np.array([3.0, 1.0]), out)
    assert out[0] == 3.0
    kind = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)
    law = kind(lambda a, b: a - 2 * b)
    addresses = np.array([0, ctypes.cast(law, ctypes.c_void_p).value])
    compile_programs([program])("f", addresses, np.array([3.0, 2.0]), out)
    assert out[0] == -3.0
    with pytest.raises(ModelError, match="Python function"):
        to_c([program])


def test_entries_that_are_left_out_are_not_written():
    x, _ = symbols("x y")
    from flexnet.algebra import compile_programs

    program = Program("f", {"x": [x]}, {"out": array_of([None, add(x, 1), power(x, 2)])})
    out = np.full(3, 7.0)
    compile_programs([program])("f", np.array([2.0]), out)
    assert list(out) == [7.0, 3.0, 4.0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_sums_are_added_to_what_stands_there(language, tmp_path):
    x, y = symbols("x y")
    program = replace(program_of([x, y], [x * y, -x - y, 0, 3]), sums=frozenset({"out"}))
    run = runner(program, language, tmp_path, before=2.0)
    np.testing.assert_array_equal(run([3.0, 4.0]), [14.0, -5.0, 2.0, 5.0])
