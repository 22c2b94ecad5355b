"""The equations behind the protocol of the integrators."""

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.components import RigidBody
from flexnet.components.wakes import wakes
from flexnet.dae import Counting, Dae, Links
from flexnet.formulation.links import find_links
from flexnet.formulation.sparsity import sparsity
from flexnet.formulation.state import State
from flexnet.formulation.symmetry import symmetry
from flexnet.formulation.unreduced import elastic_blocks
from flexnet.kernels import entry

if TYPE_CHECKING:
    from flexnet.formulation.equations import Equations


def shared_fields(equations: "Equations", start: State) -> dict[str, Any]:
    """What a :class:`~flexnet.dae.Dae` says of a mechanism whichever engine evaluates it."""
    rows = (row.name for row in equations.rows)
    return {
        "q": start.q,
        "v": np.concatenate([start.v, equations.z_of(start)]),
        "t": start.t,
        "equations": (*equations.coordinates.v_names, *equations.states.names, *rows),
        "is_coupled": equations.is_coupled,
        "symmetry": partial(symmetry, equations),
        "counting": Counting(equations.handle, entry.count) if equations.counts_turns else None,
        "wakes": partial(wakes, tuple(equations.functions.known)),
        "scale": equations.scale,
        "sizes": np.concatenate([equations.sizes, equations.states.sizes(equations.scale)]),
        "row_sizes": equations.row_sizes,
        "q_sizes": equations.q_sizes,
        "n_z": equations.n_z,
        "is_algebraic": equations.states.is_algebraic,
        "rotations": np.array([k for _, k in equations.coordinates.quaternions], dtype=np.int64),
    }


def numeric_dae(equations: "Equations", start: State) -> Dae:
    """The equations as the numeric engine evaluates them, starting at a state."""
    model = equations.model
    blocks = elastic_blocks(equations)
    is_driven = np.any(model.r_edges["function"] >= 0) or np.any(model.t_edges["n_driven"] > 0)
    return Dae(
        model=equations.handle,
        work=np.zeros(0) if blocks is None else blocks.P,
        residual=entry.residual,
        matrices=entry.matrices if blocks is None else entry.port_matrices,
        compose=entry.compose,
        rates=entry.rates,
        power=entry.power,
        loads_do_work=equations.is_coupled or equations.has_networks or bool(is_driven),
        energy=entry.state_energy,
        owner=(model, equations.work, equations.functions, equations.ports),
        sparsity=sparsity(model) if blocks is None else None,
        unreduced=blocks,
        links=None if equations.is_coupled else partial(_links, equations),
        **shared_fields(equations, start),
    )


def _links(equations: "Equations") -> Links | None:
    """The tree of bodies, where elimination along it pays."""
    bodies = [p for p in equations.parts if isinstance(p, RigidBody)]
    return find_links(equations.model, bodies, equations.system.is_planar, equations.m)
