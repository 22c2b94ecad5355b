"""Residuals at many states of one instant, each beyond a place by a way: what differences are made of."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexnet.kernels import entry
from flexnet.kernels.compile import specialise
from flexnet.typing import Array, IntArray

_NONE = np.zeros(0)


def residual_at(data: IntArray, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
    """Residual r and Φ at a state, one after the other; v and a end in states and their rates."""
    n = len(a)
    out = np.zeros(n + len(lam))
    entry.residual(data, t, q, v, a, lam, _NONE, out[:n], out[n:])
    return out


@dataclass(slots=True, eq=False)
class Residuals:
    """Residuals of one model.

    Attributes
    ----------
    data : handle of the model and its workspace.
    is_counted : whether q holds angles that are brought up to it.
    """

    data: IntArray
    is_counted: bool
    _run: Callable[..., Any] | None = None

    def beyond(self, t: float, q: Array, dq: Array, v: Array, a: Array, lam: Array) -> tuple[Array, Array]:
        """``q ⊕ dq`` (rows, n_q), and r and Φ there, one after the other, (rows, n + m).

        Parameters
        ----------
        q, dq : (rows, n_q) and (rows, n_v).
        v, a, lam : (rows, n) each, those of states last, and (rows, m).
        """
        rows, n, m, data = len(q), v.shape[1], lam.shape[1], self.data
        ends, r, phi = np.empty(q.shape), np.zeros((rows, n)), np.zeros((rows, m))
        arguments = (data, 1 if self.is_counted else 0, float(t), q, dq, v, a, lam, _NONE, ends, r, phi)
        functions = entry.compose, entry.count, entry.residual
        if self._run is None:
            examples = (
                (data, q[0], dq[0], ends[0]),
                (data, 0.0, ends[0]),
                (data, 0.0, q[0], v[0], a[0], lam[0], _NONE, r[0], phi[0]),
            )
            self._run = specialise(_evaluate, list(zip(functions, examples, strict=True)), arguments)
        self._run(*functions, *arguments)
        return ends, np.hstack([r, phi])


def _evaluate(
    compose: Any, count: Any, residual: Any, data: IntArray, is_counted: int, t: float,
    q: Array, dq: Array, v: Array, a: Array, lam: Array, none: Array, ends: Array, r: Array, phi: Array,
) -> int:  # fmt: skip
    """To be compiled by :func:`~flexnet.kernels.compile.specialise`."""
    for i in range(q.shape[0]):
        compose(data, q[i], dq[i], ends[i])
        if is_counted == 1:
            count(data, t, ends[i])
        residual(data, t, ends[i], v[i], a[i], lam[i], none, r[i], phi[i])
    return len(q)
