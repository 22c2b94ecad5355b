"""Value and first two derivatives of a known function of time, and of a user's law.

Kinds and the order of their numbers are those of :mod:`flexnet.components.time_function`.
"""

from math import acos, asin, atan, cos, cosh, exp, log, pi, sin, sinh, sqrt, tan, tanh

from flexnet.kernels.callback import call
from flexnet.kernels.compile import inner, kernel, shared
from flexnet.typing import Array, IntArray

CONSTANT, POLYNOMIAL, HARMONIC, CYCLOIDAL, SMOOTH_STEP, SPLINE, EXPRESSION, CALLABLE, SIGNAL = range(9)

#: instructions of the stack machine that evaluates expressions
(
    PUSH, VARIABLE, ADD, MULTIPLY, POWER, SIN, COS, TAN, EXP, LOG, SQRT, ABS, SIGN, TANH, SINH, COSH,
    ASIN, ACOS, ATAN, MAX, MIN, HEAVISIDE,
) = range(22)  # fmt: skip


#: deepest stack an expression may need
STACK = 64


@kernel
def run_program(
    program: IntArray, start: int, count: int, constants: Array, x: float, v: float, t: float, stack: Array
) -> float:
    """Evaluate a postfix program of (instruction, argument) pairs in the variables x, v, t.

    ``stack`` (:data:`STACK`,) is overwritten.
    """
    top = -1
    for k in range(start, start + count):
        op = program[2 * k]
        arg = program[2 * k + 1]
        if op == PUSH:
            top += 1
            stack[top] = constants[arg]
        elif op == VARIABLE:
            top += 1
            stack[top] = x if arg == 0 else (v if arg == 1 else t)
        elif op in (ADD, MULTIPLY, POWER, MAX, MIN):
            b = stack[top]
            top -= 1
            stack[top] = _binary(op, stack[top], b)
        else:
            stack[top] = _unary(op, stack[top])
    return float(stack[0])


@inner
def _binary(op: int, a: float, b: float) -> float:
    if op == ADD:
        return a + b
    if op == MULTIPLY:
        return a * b
    if op == POWER:
        return float(a**b)
    return max(a, b) if op == MAX else min(a, b)


@inner
def _unary(op: int, a: float) -> float:
    if op == SIN:
        return sin(a)
    if op == COS:
        return cos(a)
    if op == TAN:
        return tan(a)
    if op == EXP:
        return exp(a)
    if op == LOG:
        return log(a)
    if op == SQRT:
        return sqrt(a)
    if op == ABS:
        return abs(a)
    if op == SIGN:
        return 1.0 if a > 0 else (-1.0 if a < 0 else 0.0)
    if op == TANH:
        return tanh(a)
    if op == SINH:
        return sinh(a)
    if op == COSH:
        return cosh(a)
    if op == ASIN:
        return asin(a)
    if op == ACOS:
        return acos(a)
    if op == ATAN:
        return atan(a)
    return 1.0 if a > 0 else (0.0 if a < 0 else 0.5)  # HEAVISIDE


@shared
def evaluate(
    kind: int, refs: IntArray, start: int, count: int, data: Array, program: IntArray, t: float,
    stack: Array, out: Array,
) -> None:  # fmt: skip
    """Write f, f', f'' at time t into ``out`` (3,).

    ``refs`` holds the address (kind CALLABLE) or the (start, count) of the program (kind EXPRESSION)
    of each of the three.
    """
    f, d, dd = 0.0, 0.0, 0.0
    c = data[start : start + count]
    if kind == CONSTANT:
        f = c[0]
    elif kind == POLYNOMIAL:
        for i in range(count - 1, -1, -1):
            dd = dd * t + 2.0 * d
            d = d * t + f
            f = f * t + c[i]
    elif kind == HARMONIC:
        s = c[0] * sin(c[1] * t + c[2])
        f = c[3] + s
        d = c[0] * c[1] * cos(c[1] * t + c[2])
        dd = -c[1] * c[1] * s
    elif kind in (CYCLOIDAL, SMOOTH_STEP):
        rise, T = c[1] - c[0], c[2]
        tau = (t - c[3]) / T
        if tau <= 0.0:
            f = c[0]
        elif tau >= 1.0:
            f = c[1]
        elif kind == CYCLOIDAL:
            f = c[0] + rise * (tau - sin(2 * pi * tau) / (2 * pi))
            d = rise / T * (1.0 - cos(2 * pi * tau))
            dd = rise / T**2 * 2 * pi * sin(2 * pi * tau)
        else:
            f = c[0] + rise * tau**3 * (10.0 + tau * (6.0 * tau - 15.0))
            d = rise / T * 30.0 * tau**2 * (1.0 - tau) ** 2
            dd = rise / T**2 * 60.0 * tau * (1.0 - tau) * (1.0 - 2.0 * tau)
    elif kind == SPLINE:
        n = (count + 4) // 5
        low, high = 0, n - 1
        while high - low > 1:
            mid = (low + high) // 2
            if c[mid] <= t:
                low = mid
            else:
                high = mid
        inside = min(max(t, c[0]), c[n - 1])
        s = inside - c[low]
        a = c[n + 4 * low : n + 4 * low + 4]
        f = ((a[0] * s + a[1]) * s + a[2]) * s + a[3]
        d = (3.0 * a[0] * s + 2.0 * a[1]) * s + a[2]
        dd = 6.0 * a[0] * s + 2.0 * a[1]
        if t != inside:  # the end slope goes on outside the table
            f += d * (t - inside)
            dd = 0.0
    elif kind == EXPRESSION:
        f = run_program(program, refs[0], refs[1], data, 0.0, 0.0, t, stack)
        d = run_program(program, refs[2], refs[3], data, 0.0, 0.0, t, stack)
        dd = run_program(program, refs[4], refs[5], data, 0.0, 0.0, t, stack)
    else:
        f = call(refs[0], t, 0.0, 0.0)
        d = call(refs[2], t, 0.0, 0.0)
        dd = call(refs[4], t, 0.0, 0.0)
    out[0], out[1], out[2] = f, d, dd
