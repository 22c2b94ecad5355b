"""Rigid bodies in symbols: the formulas of :mod:`flexnet.formulation.branch`, mass and inertia parameters."""

from typing import TYPE_CHECKING, Any

from flexnet.algebra import add, plus, times
from flexnet.components import RigidBody
from flexnet.formulation import branch as law
from flexnet.typing import AnyArray

if TYPE_CHECKING:
    from flexnet.formulation.symbolic.mechanism import Mechanism


def body_family(k: "Mechanism", part: RigidBody, record: Any) -> list[Any]:
    """A rigid body; its record receives its weight."""
    mass = k.parameters.scalar(f"m.{part.name}", part.mass)
    J = k.parameters.symmetric(f"J.{part.name}", part.inertia)
    record.weight = times(mass, k.gravity)

    def inertia(
        p: AnyArray, R: AnyArray, w: AnyArray, wd: AnyArray, a: AnyArray, force: AnyArray, torque: AnyArray
    ) -> None:
        force[0] = plus(force[0], times(-mass, a[0]))
        torque[0] = plus(torque[0], law.inertia_torque(R[0], J, w[0], wd[0]))

    def kinetic(p: AnyArray, R: AnyArray, w: AnyArray, v: AnyArray, out: AnyArray) -> None:
        out[0] = add(out[0], law.kinetic(R[0], mass, J, v[0], w[0]))

    return [inertia, None, kinetic, None]
