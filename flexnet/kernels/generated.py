"""What compiled equations know: parameters and functions of time, for functions that are generated."""

from typing import NamedTuple

import numpy as np

from flexnet.kernels.compile import shared, typeof
from flexnet.kernels.handle import make_restore, store
from flexnet.kernels.model import FUNCTION
from flexnet.kernels.time_function import STACK, evaluate
from flexnet.typing import AnyArray, Array, IntArray


class GeneratedModel(NamedTuple):
    """Numbers of a mechanism whose equations are code."""

    p: Array  # parameters, and what follows from them alone
    functions: AnyArray  # FUNCTION records of the known functions
    data: Array  # numbers of the known functions
    program: IntArray  # postfix programs of the known functions
    laws: IntArray  # addresses of users' Python laws


class GeneratedWork(NamedTuple):
    """Workspace of one evaluation, overwritten by every call."""

    y: Array  # intermediate results of the residual that other functions use
    f: Array  # (functions, 3) value and two derivatives of the known functions
    stack: Array  # scratch of expressions


def make_generated_work(kept: int, functions: int) -> GeneratedWork:
    """Allocate the workspace."""
    return GeneratedWork(np.zeros(max(kept, 1)), np.zeros((max(functions, 1), 3)), np.zeros(STACK))


_NONE = np.zeros(0, dtype=np.int64)
_KIND = typeof(
    (GeneratedModel(np.zeros(1), np.zeros(0, FUNCTION), np.zeros(0), _NONE, _NONE), make_generated_work(1, 1))
)
restore = make_restore(_KIND)


def generated_handle(model: GeneratedModel, work: GeneratedWork) -> IntArray:
    """Pack a model and its workspace, both of which must outlive the handle."""
    assert typeof((model, work)) == _KIND, "an array of the model has an unexpected type"
    return store((model, work))


@shared
def evaluate_known(model: GeneratedModel, t: float, work: GeneratedWork) -> None:
    """Evaluate all known functions of time."""
    for i in range(model.functions.shape[0]):
        f = model.functions[i]
        evaluate(f.kind, f.refs, f.start, f.count, model.data, model.program, t, work.stack, work.f[i])
