"""What an integrator calls: the kernels of :class:`~flexnet.dae.Dae` with the model behind a handle."""

from flexnet.kernels import constraints, dynamics, energy, kinematics
from flexnet.kernels.compile import kernel, typeof
from flexnet.kernels.handle import make_restore, store
from flexnet.kernels.model import Model, Work, empty_model, make_work
from flexnet.typing import Array, IntArray

_NOTHING = empty_model()
_KIND = typeof((_NOTHING, make_work(_NOTHING, 1, 1)))
_restore = make_restore(_KIND)


def handle(model: Model, work: Work) -> IntArray:
    """Pack a model and its workspace, both of which must outlive the handle."""
    assert typeof((model, work)) == _KIND, "an array of the model has an unexpected type"
    return store((model, work))


@kernel
def residual(
    data: IntArray, t: float, q: Array, v: Array, a: Array, lam: Array, work: Array, r: Array, phi: Array
) -> None:
    """``r = M v̇ + Gᵀλ - F`` (n_v,) and ``Φ`` (m,)."""
    model, w = _restore(data)
    dynamics.residual(model, t, q, v, a, lam, w, r, phi)


@kernel
def matrices(data: IntArray, work: Array, c_q: float, c_v: float, M: Array, G: Array) -> None:
    """M + c_q K + c_v C and the constraint Jacobian at the state of the last residual."""
    model, w = _restore(data)
    dynamics.newton_matrices(model, w, c_q, c_v, M, G)


@kernel
def compose(data: IntArray, q: Array, dq: Array, out: Array) -> None:
    """``out = q ⊕ dq``."""
    model, _ = _restore(data)
    kinematics.compose(model, q, dq, out)


@kernel
def rates(data: IntArray, v: Array, a: Array, work: Array, rate: Array, acceleration: Array) -> None:
    """Φ̇ and Φ̈ at the state of the last residual."""
    model, w = _restore(data)
    constraints.rates_and_accelerations(model, v, a, w, rate, acceleration)


@kernel
def power(data: IntArray, q: Array, v: Array, lam: Array, work: Array, out: Array) -> None:
    """Power of drivers, of forces without a potential and of damping at the state of the last residual, W."""
    model, w = _restore(data)
    energy.power(model, q, v, lam, w, out)


@kernel
def state_energy(
    data: IntArray, t: float, q: Array, v: Array, work: Array, phi: Array, rate: Array, out: Array
) -> None:
    """Φ and Φ̇ (m,), and kinetic, potential and strain energy (out, [J]) of a state."""
    model, w = _restore(data)
    energy.state_energy(model, t, q, v, w, phi, rate, out)
