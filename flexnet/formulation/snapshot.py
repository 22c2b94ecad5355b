"""Snapshots: frames, cutset sums, energies and constraint norms at many instants."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexnet.formulation.equations import Equations
from flexnet.kernels import entry
from flexnet.kernels.compile import specialise
from flexnet.kernels.outputs import Rows, evaluate_rows, make_rows
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """States at many instants and what follows from them.

    Attributes
    ----------
    t : (rows,) s.
    q, v, a, lam : (rows, ·) configuration, velocity, v̇, multipliers.
    values : frames, cutset sums, energies, norms (:class:`~flexnet.kernels.outputs.Rows`).
    """

    t: Array
    q: Array
    v: Array
    a: Array
    lam: Array
    values: Rows


def snapshot(
    equations: Equations,
    t: Sequence[float] | Array,
    q: Sequence[Array] | Array,
    v: Sequence[Array] | Array,
    a: Sequence[Array] | Array,
    lam: Sequence[Array] | Array,
) -> Snapshot:
    """Evaluate frames, cutset sums, energies and norms at many states."""
    packer = equations.packer
    arrays = [np.ascontiguousarray(x, dtype=float) for x in (t, q, v, a, lam)]
    frames = packer.frames.values()
    body = np.array([packer.body_index(f) for f in frames], dtype=np.int64)
    C = np.array([f.rotation for f in frames])
    out = make_rows(len(arrays[0]), equations.model, len(packer.node), len(packer.rotation_node))
    t_, q_, v_, a_, lam_ = arrays
    none = np.zeros(0)
    example = (equations.handle, 0.0, q_[0], v_[0], a_[0], lam_[0], none, out.r, out.phi)
    arguments = (equations.handle, none, body, C, t_, q_, v_, a_, lam_, out)
    run = specialise(evaluate_rows, [(entry.residual, example)], arguments)
    run(entry.residual, *arguments)
    return Snapshot(t_, q_, v_, a_, lam_, out)
