"""Closing an attachment: where its bodies are held, and the blow that takes the speeds it does not allow.

With M and G of the equations in which it holds, and the rates ε = G v⁻ + Φ_t that it does not allow,

    M (v⁺ - v⁻) + Gᵀ Λ = 0,      G v⁺ + Φ_t = 0.                                                         (1)

No other impulse acts, so that momentum is kept; where nothing is driven, the kinetic energy falls by
½ Δvᵀ M Δv. On the head of the attachment acts -Σ Λᵢ Fᵢ over its own rows, Fᵢ their unit forces.
"""

from dataclasses import replace

import numpy as np

from flexnet.dae import Reaction
from flexnet.errors import ModelError
from flexnet.formulation import Equations, State, snapshot
from flexnet.formulation.reactions import row_wrenches
from flexnet.integrators.motion import smallest_by
from flexnet.results.rotation import matrices
from flexnet.system.holding import Grip, Pose, grip
from flexnet.typing import Array

#: rate over those there are that a blow may leave
_LEFT = 1e-6


def grip_at(equations: Equations, name: str, state: State) -> Grip:
    """Frames by which an attachment holds its bodies as they are at a state."""
    none = np.zeros((1, equations.n_v)), np.zeros((1, equations.m))
    seen = snapshot(equations, [state.t], [state.q], [state.v], *none).values
    R = matrices(seen.quaternion[0])
    part, node = equations.system.components[name], equations.packer.node

    def pose(frame: str) -> Pose:
        return seen.position[0, node[frame]], R[node[frame]]

    ends = (part.tail, part.head)
    return grip(
        equations.system, name, {f.name: pose(f.name) for f in ends}, {f.body: pose(f.body) for f in ends}
    )


def joined(equations: Equations, name: str, event: str, state: State) -> Reaction:
    """What closing an attachment does to the motion: the blow (1), in the equations in which it holds."""
    M, G = equations.mass_and_jacobian(state.q, state.t)
    rate = equations.constraint_rates(state)
    force, torque = (x.copy() for x in row_wrenches(equations))
    n, m = equations.n_v, equations.m
    A = np.zeros((n + m, n + m))
    A[:n, :n], A[:n, n:], A[n:, :n] = M, G.T, G
    found = smallest_by(equations.weights, A, np.concatenate([np.zeros(n), -rate]))
    change, lam = found[:n], found[n:]
    v = state.v + change
    # rows that were dropped are asked, too
    whole = equations.complete
    before, after = (
        np.abs(whole.constraint_rates(x) / whole.row_sizes).max(initial=0.0)
        for x in (state, replace(state, v=v))
    )
    if after > _LEFT * max(before, np.abs(state.v / equations.sizes).max(initial=0.0)):
        raise ModelError(
            f"event {event!r} attaches {name!r}, whose bodies drivers move apart; let them move alike there"
        )
    return Reaction(
        np.concatenate([v, state.z]),
        _impulse(equations, name, lam, force, torque),
        float(state.v @ M @ change + 0.5 * change @ M @ change),
        changes=True,
    )


def _impulse(equations: Equations, name: str, lam: Array, force: Array, torque: Array) -> float:
    """Size of the impulse on the head of an attachment, N s; N m s where it holds no displacement."""
    own = [i for i, row in enumerate(equations.rows) if row.component.name == name]
    held = force if any(equations.rows[i].is_translation for i in own) else torque
    return float(np.linalg.norm(lam[own] @ held[own]))
