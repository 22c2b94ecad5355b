"""Powers of the state now in the workspace."""

from flexnet.kernels.compile import inner
from flexnet.kernels.elastic import flexible_damping
from flexnet.kernels.feedback import POWERS, run_signals
from flexnet.kernels.forces import POWER, evaluate_law
from flexnet.kernels.model import OF_NETWORKS, ROW_TIME, Model
from flexnet.kernels.vector import dot
from flexnet.kernels.work import Work
from flexnet.typing import Array


@inner
def power(model: Model, q: Array, v: Array, lam: Array, work: Work, out: Array) -> None:
    """Power [W] of motion drivers (out[0]), of forces without a potential (out[1]), of damping (out[2]).

    Of networks: of sources (out[5]), ports to the mechanism (out[6]) and dissipation (out[7]).

    Elements say what of their power is damping; a spring whose law is a user's formula says none. Uses the
    cutset sums of the last residual, so it comes after it.
    """
    out[0] = _driver_power(model, lam, work)
    total = 0.0
    damping = flexible_damping(model, v, work)
    some = work.tmp[6, 0]
    for i in range(model.elements.shape[0]):
        evaluate_law(model, i, POWER, q, work, some)
        total += some[0]
        damping += some[1]
    out[1] = total
    out[2] = damping
    if model.sensed[OF_NETWORKS] == 1:
        run_signals(model, POWERS, 0.0, 0.0, work, out[5:8])


@inner
def _driver_power(model: Model, lam: Array, work: Work) -> float:
    """Power λ Φ_f ḟ of drivers in a cotree, load times rate of drivers in a tree."""
    total = 0.0
    if model.functions.shape[0] == 0:  # nothing is driven
        return total
    for i in range(model.rows.shape[0]):
        row = model.rows[i]
        if row.function >= 0:
            total += lam[i] * work.row[i, ROW_TIME] * work.f[row.function, 1]
    for i in range(model.r_edges.shape[0]):
        e = model.r_edges[i]
        if e.function >= 0:
            total -= e.sign * work.f[e.function, 1] * dot(work.u[i, 0], work.torque[e.child])
    for i in range(model.t_edges.shape[0]):
        edge = model.t_edges[i]
        for k in range(edge.n_driven):
            rate = work.f[edge.function + k, 1]
            total -= edge.sign * rate * dot(work.e[i, k], work.force[edge.child])
    return total
