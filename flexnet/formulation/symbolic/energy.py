"""Energies of a state in symbols: kinetic, of gravity and springs, of strain, as in kernels/energy.py."""

from flexnet.algebra import Expr, add, dot, mul, rotate, rotate_back
from flexnet.formulation import branch as law
from flexnet.formulation.symbolic.dynamics import rigid_bodies
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates
from flexnet.formulation.symbolic.loads import Loads, gravity
from flexnet.formulation.symbolic.parameters import Parameters


def kinetic_energy(k: Kinematics, rates: Rates, parameters: Parameters) -> Expr:
    """½ Σ (m v·v + ω·Jω), and that of flexible bodies."""
    terms = []
    for node, turn, mass, J, R in rigid_bodies(k, parameters):
        terms.append(law.kinetic(R, mass, J, rates.linear[node], rates.angular[turn]))
    for i, b in enumerate(k.elastic.bodies):
        R = k.R[b.rotation].matrix
        V, w = rotate_back(R, rates.linear[b.node]), rotate_back(R, rates.angular[b.rotation])
        terms.append(k.elastic.kinetic(i, V, w, k.variables.v))
    return add(*terms)


def potential_energy(k: Kinematics, loads: Loads, parameters: Parameters) -> Expr:
    """Potential of gravity, springs and bushings."""
    g = gravity(k, parameters)
    terms = [loads.potential]
    for node, _, mass, _, _ in rigid_bodies(k, parameters):
        terms.append(-mul(mass, dot(g, k.p[node])))
    for b, s in zip(k.elastic.bodies, k.elastic.shapes, strict=True):
        terms.append(-mul(b.mass, dot(g, k.p[b.node])))
        terms.append(-dot(g, rotate(k.R[b.rotation].matrix, s.c)))
    return add(*terms)
