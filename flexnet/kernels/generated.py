"""What compiled equations know: parameters and functions of time, for functions that are generated."""

from typing import NamedTuple

import numpy as np

from flexnet.kernels.compile import shared
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


@shared
def evaluate_known(model: GeneratedModel, t: float, work: GeneratedWork) -> None:
    """Evaluate all known functions of time."""
    for i in range(model.functions.shape[0]):
        f = model.functions[i]
        evaluate(f.kind, f.refs, f.start, f.count, model.data, model.program, t, work.stack, work.f[i])
