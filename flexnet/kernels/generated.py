"""Equations that are programs of their own: what they know, and the functions integrators call.

The formulas of a mechanism are machine code that LLVM made of them; it is called by its address, which is
data. So these kernels are compiled once and serve every mechanism, and their signatures are those of
:mod:`flexnet.kernels.entry`.
"""

from typing import Any, NamedTuple

import numpy as np

from flexnet.kernels.callback import run
from flexnet.kernels.compile import kernel, shared, typeof
from flexnet.kernels.handle import make_restore, make_store
from flexnet.kernels.model import FUNCTION
from flexnet.kernels.time_function import evaluate
from flexnet.typing import AnyArray, Array, IntArray

#: programs of a mechanism, in the order of their addresses
PROGRAMS = ("residual", "matrices", "rates", "power", "energy", "compose")


class GeneratedModel(NamedTuple):
    """Numbers of a mechanism whose equations are programs."""

    code: Any  # addresses of the programs; Python functions where kernels are interpreted
    p: Array  # parameters, and what follows from them alone
    functions: AnyArray  # FUNCTION records of the known functions
    data: Array  # numbers of the known functions
    families: Any  # addresses of their families, likewise
    laws: Any  # addresses of users' Python laws; the functions themselves where kernels are interpreted


class GeneratedWork(NamedTuple):
    """Workspace of one evaluation, overwritten by every call."""

    y: Array  # intermediate results of the residual that other programs use
    f: Array  # (functions, 3) value and two derivatives of the known functions


def make_generated_work(kept: int, functions: int) -> GeneratedWork:
    """Allocate the workspace."""
    return GeneratedWork(np.zeros(max(kept, 1)), np.zeros((max(functions, 1), 3)))


_NONE = np.zeros(0, dtype=np.int64)
_KIND = typeof(
    (
        GeneratedModel(_NONE, np.zeros(1), np.zeros(0, FUNCTION), np.zeros(0), _NONE, _NONE),
        make_generated_work(1, 1),
    )
)
restore, _store = make_restore(_KIND), make_store(_KIND)


def generated_handle(model: GeneratedModel, work: GeneratedWork) -> IntArray:
    """Pack a model and its workspace, both of which must outlive the handle."""
    return _store((model, work))


@shared
def _evaluate_known(model: GeneratedModel, t: float, work: GeneratedWork) -> None:
    """Evaluate all known functions of time."""
    for i in range(model.functions.shape[0]):
        f = model.functions[i]
        evaluate(
            f.kind, f.start, f.count, f.family, f.refs, model.data, model.families, t, work.f[i]
        )  # fmt: skip


@kernel
def residual(
    data: IntArray, t: float, q: Array, v: Array, a: Array, lam: Array, work: Array, r: Array, phi: Array
) -> None:
    """``r = M v̇ + Gᵀλ - F`` (n_v,) and ``Φ`` (m,)."""
    model, w = restore(data)
    _evaluate_known(model, t, w)
    run(model.code[0], (model.p, model.laws, w.f, t, q, v, a, lam, w.y, r, phi))


@kernel
def matrices(data: IntArray, work: Array, c_q: float, c_v: float, M: Array, G: Array) -> None:
    """M + c_q K + c_v C and the constraint Jacobian at the state of the last residual."""
    model, w = restore(data)
    run(model.code[1], (model.p, model.laws, w.f, w.y, c_q, c_v, M, G))


@kernel
def rates(data: IntArray, v: Array, a: Array, work: Array, rate: Array, acceleration: Array) -> None:
    """Φ̇ and Φ̈ at the state of the last residual."""
    model, w = restore(data)
    run(model.code[2], (model.p, model.laws, w.f, w.y, v, a, rate, acceleration))


@kernel
def power(data: IntArray, q: Array, v: Array, lam: Array, work: Array, out: Array) -> None:
    """Power of drivers, of forces without a potential and of damping at the state of the last residual, W."""
    model, w = restore(data)
    run(model.code[3], (model.p, model.laws, w.f, w.y, q, v, lam, out))


@kernel
def energy(
    data: IntArray, t: float, q: Array, v: Array, work: Array, phi: Array, rate: Array, out: Array
) -> None:
    """Φ and Φ̇ (m,), and kinetic, potential and strain energy (out, [J]) of a state."""
    model, w = restore(data)
    _evaluate_known(model, t, w)
    run(model.code[4], (model.p, model.laws, w.f, t, q, v, phi, rate, out))


@kernel
def compose(data: IntArray, q: Array, dq: Array, out: Array) -> None:
    """``out = q ⊕ dq``."""
    model, _ = restore(data)
    run(model.code[5], (q, dq, out))
