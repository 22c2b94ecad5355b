"""Energies of a state in symbols: kinetic, of gravity and springs, of strain, as in kernels/energy.py."""

from flexnet.algebra import Expr, add, dot, mul, rotate, rotate_back
from flexnet.components import RigidBody
from flexnet.formulation.symbolic.dynamics import times_inertia
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates
from flexnet.formulation.symbolic.loads import Loads, gravity
from flexnet.formulation.symbolic.parameters import Parameters


def kinetic_energy(k: Kinematics, rates: Rates, parameters: Parameters) -> Expr:
    """½ Σ (m v·v + ω·Jω), and that of flexible bodies."""
    packer = k.equations.packer
    terms = []
    for body in [p for p in k.equations.parts if isinstance(p, RigidBody)]:
        v, w = rates.linear[packer.node[body.name]], rates.angular[packer.rotation_node[body.name]]
        terms.append(mul(parameters.scalar(f"m.{body.name}", body.mass) / 2, dot(v, v)))
        terms.append(dot(w, times_inertia(k, body, parameters, w)) / 2)
    for i, b in enumerate(k.elastic.bodies):
        R = k.R[b.rotation].matrix
        V, w = rotate_back(R, rates.linear[b.node]), rotate_back(R, rates.angular[b.rotation])
        terms.append(k.elastic.kinetic(i, V, w, k.variables.v))
    return add(*terms)


def potential_energy(k: Kinematics, loads: Loads, parameters: Parameters) -> Expr:
    """Potential of gravity, springs and bushings."""
    g = gravity(k, parameters)
    terms = [loads.potential]
    for body in [p for p in k.equations.parts if isinstance(p, RigidBody)]:
        height = dot(g, k.p[k.equations.packer.node[body.name]])
        terms.append(-mul(parameters.scalar(f"m.{body.name}", body.mass), height))
    for b, s in zip(k.elastic.bodies, k.elastic.shapes, strict=True):
        terms.append(-mul(b.mass, dot(g, k.p[b.node])))
        terms.append(-dot(g, rotate(k.R[b.rotation].matrix, s.c)))
    return add(*terms)
