"""Piezoelectric patch bonded to a flexible body between two of its frames.

A voltage across the patch strains it, a strain moves charge:

    T = Γ v,    i = C v̇ + Γ θ̇,        or along a line    F = Γ v,    i = C v̇ + Γ l̇ ,

with θ the turn (l the way) of the second frame against the first. Both reach the elastic coordinates of the
body through its table, as every load on a frame does. What the edge takes besides the condenser's part, Γ v
θ̇, is what the body is given: lossless to round-off.

A bimorph of two layers poled alike (in parallel), of width b, modulus E and thickness h together, has
Γ = E d₃₁ b h/2; its tip moves by 3 d₃₁ L² V/h². A patch of thickness t at the distance z of a beam's axis has
Γ = E d₃₁ b z.
"""

import numpy as np

from flexnet.components.component import Component
from flexnet.components.frame import Frame
from flexnet.components.registry import BUILDERS, Mechanism, builder
from flexnet.networks.drivers import ThroughDriver
from flexnet.networks.element import NodeLike, port, positive
from flexnet.networks.machines import ELECTRICAL, direction, distance, in_unit, plain, put
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
    C = positive(capacitance, f"capacitance of {name!r}")
    G = float(constant)
    put(system, AcrossStorage(f"{name}.C", (port(f"{name}.C", plus, minus, ELECTRICAL),), C, start))
    effort = G * plain(Variable("electrical", "across", f"{name}.C"))
    if system.is_planar:
        turns = [plain(Measure("angular_velocity", frame.name, _Z)) for frame in (tail, head)]
        rate = turns[1] - turns[0]
        pair = [
            BUILDERS["torque"](system, n, f, in_unit(x, "N*m")) for n, f, x in _ends(name, tail, head, effort)
        ]
    else:
        rate = distance(tail, head)[1]
        u = direction(tail, head)
        pair = [
            BUILDERS["force"](system, n, f, [in_unit(x * along, "N") for along in u])
            for n, f, x in _ends(name, tail, head, effort)
        ]
    edge = port(f"{name}.q", plus, minus, ELECTRICAL)
    put(system, ThroughDriver(edge.name, (edge,), G * rate, "piezo patch", "ports"))
    back, front = pair
    system.components[back.name] = back
    return front


def _ends(name: str, tail: Frame, head: Frame, effort: Signal) -> list[tuple[str, Frame, Signal]]:
    """Name, frame and effort of the two loads: ``name.tail`` and ``name``."""
    return [(f"{name}.tail", tail, -effort), (name, head, effort)]
