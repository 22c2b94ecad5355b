"""What a run says of its first-order states: their errors, each beside what the state itself becomes.

A dimension does not tell how large a state is, and neither do its neighbours: of every state the local errors
are added up, its largest value and rate are kept, and the quotients are taken when the run is asked.
"""

from math import inf, nan

import numpy as np

from flexnet.dae import Dae
from flexnet.integrators.magnitudes import beside_their_kind
from flexnet.kernels.compile import shared
from flexnet.typing import Array

#: parts of an account, each (n_z,): sum of local errors, largest |z|, largest mean rate of a step, and
#: largest difference between the ż of a state at the end of a step and that by which the step led there
PARTS = 4


def make_account(n_z: int) -> Array:
    """An account of so many states, (4 n_z,)."""
    return np.zeros(PARTS * n_z)


@shared
def add_to_account(account: Array, k: int, error: float, z: float, rate: float) -> None:
    """Add the local error of state number k, and look at its value and rate."""
    n = account.shape[0] // PARTS
    account[k] += error
    account[n + k] = max(account[n + k], abs(z))
    account[2 * n + k] = max(account[2 * n + k], abs(rate))


@shared
def look_at_rate(account: Array, k: int, astray: float) -> None:
    """Remember how far the rate of state number k is from that of its step."""
    n = account.shape[0] // PARTS
    account[3 * n + k] = max(account[3 * n + k], astray)


def errors_of(account: Array, dae: Dae, power: float = 0.0) -> tuple[float, float]:
    """Estimated errors of states and of their rates over their largest, the worst; nan where there are none.

    An unknown without a rate has none of its own: its row is met in every step. Errors are those of ∫z dt,
    and become those of z by the time in which it changes, max |z| / max |ż|. With a ``power`` they are those
    of z and of its integral over the sizes of the DAE, to that power.
    """
    if not len(account) or dae.is_algebraic.all():
        return nan, nan
    error, largest, rates, astray = account.reshape(PARTS, -1)
    own = dae.sizes[dae.n_v - dae.n_z :]
    kinds = own / dae.magnitudes
    z, rate = (kinds * beside_their_kind(x, kinds, inf) for x in (largest, rates))
    found = error * (own / (dae.scale.time * z)) ** power if power else error * rates / z**2
    has_rate = ~dae.is_algebraic
    off = float((astray / rate)[has_rate].max()) if astray.any() else nan
    return float(found[has_rate].max()), off
