"""Explicit midpoint."""

from typing import Any

from flexnet.integrators.method import integrator
from flexnet.integrators.one_step import OneStep


@integrator
def midpoint() -> OneStep:
    """Explicit midpoint rule, of second order."""
    return OneStep("midpoint", step, order=2)


def step(e: Any, t: float, q: Any, v: Any, h: float) -> Any:
    """From t to t + h."""
    a, _ = e.motion(t, q, v)
    vm = v + h / 2 * a
    am, _ = e.motion(t + h / 2, e.compose(q, h / 2 * v), vm)
    return e.compose(q, h * vm), v + h * am
