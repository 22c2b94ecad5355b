"""Energies of one body along a motion."""

from dataclasses import dataclass

import numpy as np

from flexnet.components import FlexibleBody, RigidBody
from flexnet.errors import ModelError
from flexnet.formulation.equations import Equations
from flexnet.formulation.state import State
from flexnet.kernels import entry
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class BodyEnergy:
    """Energies of a body at given times.

    Attributes
    ----------
    kinetic : (rows,) J.
    strain : ½ qᵀK q of its elastic coordinates, (rows,) J; zero for a rigid body.
    dissipation : power q̇ᵀC q̇ that its material turns into heat, (rows,) W.
    """

    kinetic: Array
    strain: Array
    dissipation: Array


def body_energy(equations: Equations, name: str, t: Array, q: Array, v: Array) -> BodyEnergy:
    """Find the energies of a body.

    Parameters
    ----------
    name : of a rigid or flexible body.
    t, q, v : (rows,) s, (rows, n_q), (rows, n_v) states.
    """
    part = equations.system.components.get(name)
    if isinstance(part, FlexibleBody):
        return _flexible(equations, part, t, q, v)
    if not isinstance(part, RigidBody):
        known = ", ".join(equations.system.bodies)
        raise ModelError(f"there is no body {name!r} in {equations.system.name!r}; there are {known}")
    zero = np.zeros(len(t))
    return BodyEnergy(_rigid(equations, part, t, q, v), zero, zero)


def _rigid(equations: Equations, part: RigidBody, t: Array, q: Array, v: Array) -> Array:
    """½ m v·v + ½ ω·J ω, (rows,) J."""
    k = equations.packer.bodies.index(part.name)
    out = np.zeros(len(t))
    for i, row in enumerate(zip(t, q, v, strict=True)):
        poses = equations.poses(State(*row))
        w = poses.R[k].T @ poses.omega[k]
        out[i] = 0.5 * (part.mass * poses.v[k] @ poses.v[k] + w @ part.inertia @ w)
    return out


def _flexible(equations: Equations, part: FlexibleBody, t: Array, q: Array, v: Array) -> BodyEnergy:
    place, m = equations.coordinates.elastic[part.name], part.table.m
    number = [p.name for p in equations.packer.parts if isinstance(p, FlexibleBody)].index(part.name)
    kinetic = np.zeros(len(t))
    for i, row in enumerate(zip(t, q, v, strict=True)):
        equations.poses(State(*row))
        kinetic[i] = entry.body_kinetic(equations.handle, number, v[i])
    x, rate = q[:, place.q : place.q + m], v[:, place.v : place.v + m]
    strain = 0.5 * np.sum((x @ part.table.K) * x, axis=1)
    return BodyEnergy(kinetic, strain, np.sum((rate @ part.table.C) * rate, axis=1))
