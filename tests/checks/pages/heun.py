"""Heun's method on the accelerations."""

import flexnet as fx


@fx.integrator
def heun() -> fx.OneStep:
    """Heun's method, of second order: the mean of the accelerations at both ends of a step."""
    return fx.OneStep("heun", step, order=2)


def step(e, t, q, v, h):
    """From t to t + h; e gives v̇ and λ, and q ⊕ dq."""
    a, _ = e.motion(t, q, v)
    a1, _ = e.motion(t + h, e.compose(q, h * v), v + h * a)
    return e.compose(q, h * v + h * h / 2 * a), v + h / 2 * (a + a1)
