"""Value and first two derivatives of a known function of time.

What is a formula of its numbers is a family (:data:`flexnet.components.time_function.FORMULAS`), called by
its address; tables and users' callables are evaluated here.
"""

from typing import Any

from flexnet.kernels.callback import at, call, run
from flexnet.kernels.compile import shared
from flexnet.typing import Array, IntArray

CONSTANT, FORMULA, SPLINE, CALLABLE, SIGNAL = range(5)


@shared
def evaluate(
    kind: int, start: int, count: int, family: int, refs: IntArray, data: Array, families: Any, t: float,
    out: Array,
) -> None:  # fmt: skip
    """Write f, f', f'' at time t into ``out`` (3,).

    Its numbers are ``count`` of ``data`` from ``start`` on; ``refs`` holds three addresses (kind CALLABLE).
    """
    if kind == FORMULA:
        run(families[family], (t, at(data, start), at(out, 0)))
        return
    f, d, dd = 0.0, 0.0, 0.0
    c = data[start : start + count]
    if kind == CONSTANT:
        f = c[0]
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
    else:
        f = call(refs[0], t, 0.0, 0.0)
        d = call(refs[1], t, 0.0, 0.0)
        dd = call(refs[2], t, 0.0, 0.0)
    out[0], out[1], out[2] = f, d, dd
