"""Applied forces: weights, and force elements through the table of their families.

Each adds to ``work.force`` (on nodes, ground axes, N) and ``work.torque`` (on bodies, N m): these are
the through variables of the dependent virtual work edges at its two ends.
"""

from flexnet.kernels.callback import run
from flexnet.kernels.compile import inner
from flexnet.kernels.model import Model
from flexnet.kernels.turns import twist
from flexnet.kernels.vector import add_scaled
from flexnet.kernels.work import Work
from flexnet.typing import Array

#: functions of a family, in their order
LOAD, POTENTIAL, POWER, TANGENT = range(4)


@inner
def apply_loads(model: Model, q: Array, work: Work) -> None:
    """Set node forces and body torques to the applied loads; after velocities."""
    work.force[:] = 0.0
    work.torque[:] = 0.0
    for i in range(model.bodies.shape[0]):
        add_scaled(1.0, model.weights[i], work.force[model.bodies[i].node])
    for i in range(model.elements.shape[0]):
        evaluate_law(model, i, LOAD, q, work, work.loads[i])
        add_load(model, i, work.loads[i], work)


@inner
def add_load(model: Model, i: int, load: Array, work: Work) -> None:
    """Add what element i does to the forces on its nodes and the torques on its bodies."""
    e = model.elements[i]
    if e.has[0] == 1:
        add_scaled(1.0, load[0:3], work.force[e.head])
    if e.has[1] == 1:
        add_scaled(1.0, load[3:6], work.torque[e.head_r])
    if e.has[2] == 1:
        add_scaled(1.0, load[6:9], work.force[e.tail])
    if e.has[3] == 1:
        add_scaled(1.0, load[9:12], work.torque[e.tail_r])


@inner
def find_tangents(model: Model, work: Work) -> None:
    """Derivatives of the loads of stiff elements at the state of the last residual."""
    for i in range(model.elements.shape[0]):
        k = model.elements[i].tangent
        if k >= 0:
            evaluate_law(model, i, TANGENT, work.places, work, work.tangents[k])


@inner
def add_stiffness(model: Model, k: int, c_q: float, c_v: float, work: Work) -> None:
    """Take what stiff elements answer to coordinate k, which moves frames by c_q and rates by c_v."""
    dv, dw = work.dv, work.dw
    for l in range(model.col_stiff_ptr[k, 0], model.col_stiff_ptr[k, 1]):
        e = model.elements[model.col_stiff[l]]
        T = work.tangents[e.tangent]
        work.turned[:] = 0.0
        for j in range(3):
            _subtract(T, j, dv[e.tail, j], c_q, c_v, work.turned)
            _subtract(T, 3 + j, dw[e.tail_r, j], c_q, c_v, work.turned)
            _subtract(T, 12 + j, dv[e.head, j], c_q, c_v, work.turned)
            _subtract(T, 15 + j, dw[e.head_r, j], c_q, c_v, work.turned)
        add_load(model, model.col_stiff[l], work.turned, work)


@inner
def _subtract(T: Array, column: int, x: float, c_q: float, c_v: float, out: Array) -> None:
    """Take what a tangent answers to the motion x of one place; most coordinates move few of them."""
    if x == 0.0:
        return
    for i in range(12):
        out[i] -= (c_q * T[24 * i + column] + c_v * T[24 * i + column + 6]) * x


@inner
def evaluate_law(model: Model, i: int, k: int, q: Array, work: Work, out: Array) -> None:
    """Write what function k of the family of element i gives into ``out``."""
    e = model.elements[i]
    first, second, theta = work.tmp[4, 0], work.tmp[4, 1], 0.0
    if e.angle >= 0 and model.angles[e.angle].has_axis == 1:
        theta = twist(model, e.angle, q, work)
        g = model.angles[e.angle]
        first, second = g.tail[2], g.head[2]
    a, b, A, B = e.tail, e.head, e.tail_r, e.head_r
    run(
        model.families[e.family + k],
        (
            model.parameters[e.p :], work.f[e.f :], model.laws[e.law :],
            work.p[a], work.v[a], work.R[A], work.omega[A], work.p[b], work.v[b], work.R[B], work.omega[B],
            first, second, theta, work.clock[0], out,
        ),
    )  # fmt: skip
