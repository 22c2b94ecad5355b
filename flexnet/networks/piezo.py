"""Piezoelectric layers and patches bonded to a flexible body.

A voltage across the layer strains it, a strain moves charge:

    f = Γ v,    i = C v̇ + Γᵀ u̇ ,        Γ = ∫ Bᵀ (N, zN) dA,    N = e₃₁ (1, 1, 0) ,

with f the loads on nodes under a layer on beams or shells and u their freedoms (:class:`~flexnet.fem.Piezo`).
A patch between two frames has T = Γ v, i = C v̇ + Γ θ̇, or along a line F = Γ v, i = C v̇ + Γ l̇, with θ the
turn (l the way) of the second frame against the first. All reach the elastic coordinates of the body through
its table, as every load on a frame does. What the edge takes besides the condenser's part, v Γᵀ u̇, is what
the body is given: lossless to round-off.

A bimorph of two layers poled alike (in parallel), of width b, modulus E and thickness h together, has
Γ = E d₃₁ b h/2; its tip moves by 3 d₃₁ L² V/h². A patch of thickness t at the distance z of a beam's axis has
Γ = E d₃₁ b z.
"""

import numpy as np

from flexnet.components.component import Component
from flexnet.components.frame import Frame
from flexnet.components.registry import BUILDERS, Mechanism, builder
from flexnet.components.spread_loads import FreeStrain, free_strain
from flexnet.components.spring_damper import known_as
from flexnet.networks.drivers import ThroughDriver
from flexnet.networks.electrical import ELECTRICAL
from flexnet.networks.element import NodeLike, port, positive
from flexnet.networks.machines import distance, in_unit, plain, put
from flexnet.networks.network import Variable
from flexnet.networks.storage import AcrossStorage
from flexnet.signals import Measure, Signal

_Z = np.array([0.0, 0.0, 1.0])


@builder
def piezo_patch(
    system: Mechanism,
    name: str,
    plus: NodeLike,
    minus: NodeLike,
    tail: Frame,
    head: Frame,
    constant: float,
    capacitance: float,
    start: float | None = None,
) -> Component:
    """Bend or stretch a flexible body between two of its frames by a voltage; edges ``name.C``, ``name.q``.

    In a planar system the patch bends: a pair of torques Γ v about z. In space it pulls: a pair of forces
    Γ v along the line between the frames, which stand off the middle surface where it is to bend.

    Parameters
    ----------
    plus, minus : nodes.
    tail, head : frames at the ends of the patch.
    constant : Γ, N m/V; in space N/V.
    capacitance : C of the patch where it cannot strain, F.
    start : voltage at the start, V.
    """
    G = float(constant)
    effort = G * _voltage(system, name, (plus, minus), capacitance, start)
    if system.is_planar:
        turns = [plain(Measure("angular_velocity", frame.name, _Z)) for frame in (tail, head)]
        rate = turns[1] - turns[0]
        back = f"{name}.tail"
        system.components[back] = BUILDERS["torque"](system, back, tail, in_unit(-effort, "N*m"))
        made = BUILDERS["torque"](system, name, head, in_unit(effort, "N*m"))
    else:
        rate = distance(tail, head)[1]
        made = known_as("piezo patch", BUILDERS["spring"](name, tail, head, force=in_unit(effort, "N")))
    _charge(system, name, (plus, minus), G * rate)
    return made


@builder
def piezo_layer(
    system: Mechanism,
    name: str,
    plus: NodeLike,
    minus: NodeLike,
    at: Frame,
    capacitance: float,
    start: float | None = None,
) -> FreeStrain:
    """Strain beams or shells of a flexible body by the voltage of a layer; edges ``name.C``, ``name.q``.

    Parameters
    ----------
    plus, minus : nodes.
    at : a frame of the body that was given as ``Piezo(group, e31, offset)``.
    capacitance : C of the layer where it cannot strain, F.
    start : voltage at the start, V.
    """
    v = _voltage(system, name, (plus, minus), capacitance, start)
    made = free_strain(system, name, at, v, "V", "Piezo")
    rate = plain(Measure("angular_velocity", at.name, _Z, seen_from=made.tail.name))
    _charge(system, name, (plus, minus), made.torque * rate)
    return made


def _voltage(
    system: Mechanism, name: str, nodes: tuple[NodeLike, NodeLike], capacitance: float, start: float | None
) -> Signal:
    """Voltage of the condenser that a layer is."""
    C, edge = positive(capacitance, f"capacitance of {name!r}"), port(f"{name}.C", *nodes, ELECTRICAL)
    put(system, AcrossStorage(edge.name, (edge,), C, start))
    return plain(Variable("electrical", "across", edge.name))


def _charge(system: Mechanism, name: str, nodes: tuple[NodeLike, NodeLike], rate: Signal) -> None:
    """Charge that a strain moves, A."""
    edge = port(f"{name}.q", *nodes, ELECTRICAL)
    put(system, ThroughDriver(edge.name, (edge,), rate, "piezo layer", "ports"))
