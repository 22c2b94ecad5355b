r"""Adams' nine inertia invariants, from the tensors of a table.

With r = s + N̂ q, skew matrices :math:`\tilde{}` and N̂_j the displacement per coordinate j:

.. math::
    I_1 &= \int ρ, & I_2 &= \int ρ s, & I_3 &= \int ρ \hat N, & I_4 &= \int ρ \tilde s \hat N, \\
    I_{5j} &= \int ρ \tilde{\hat N}_j \hat N, & I_6 &= \int ρ \hat N^T \hat N, &
    I_7 &= \int ρ \tilde s^T \tilde s, & I_{8j} &= \int ρ \tilde s \tilde{\hat N}_j, &
    I_{9jk} &= \int ρ \tilde{\hat N}_j \tilde{\hat N}_k .                             \tag{1}
"""

from dataclasses import dataclass

import numpy as np

from flexnet.fem.inertia_tensors import InertiaTensors
from flexnet.typing import Array

CYCLE = ((1, 2), (2, 0), (0, 1))


@dataclass(frozen=True, slots=True)
class Invariants:
    """The invariants of eq. (1), with rotary inertia in all of them.

    Attributes
    ----------
    I1 : mass [kg].
    I2 : (3,). I3 : (3, m). I4 : (3, m). I5 : (m, 3, m), first axis j. I6 : (m, m). I7 : (3, 3).
    I8 : (m, 3, 3), first axis j. I9 : (m, m, 3, 3), first axes j, k.
    """

    I1: float
    I2: Array
    I3: Array
    I4: Array
    I5: Array
    I6: Array
    I7: Array
    I8: Array
    I9: Array


def adams_invariants(t: InertiaTensors) -> Invariants:
    """Return the nine invariants."""
    NN, sN = t.NN, t.sN
    I6 = NN[0, 0] + NN[1, 1] + NN[2, 2]
    one = np.eye(3)
    trace = sN[0, 0] + sN[1, 1] + sN[2, 2]
    return Invariants(
        I1=t.mass,
        I2=t.s1,
        I3=t.N1,
        I4=np.stack([sN[b, c] - sN[c, b] for b, c in CYCLE]),
        I5=np.stack([NN[b, c] - NN[c, b] for b, c in CYCLE], axis=1),
        I6=I6,
        I7=np.trace(t.s2) * one - t.s2,
        # ã b̃ = b aᵀ - (a·b) 1
        I8=np.einsum("baj->jab", sN) - trace[:, None, None] * one,
        I9=np.einsum("bajk->jkab", NN) - I6[:, :, None, None] * one,
    )
