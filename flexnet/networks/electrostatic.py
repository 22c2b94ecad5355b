"""Condenser of two plates that move: the field draws them together, and their motion changes the voltage.

With the charge Q as state and the gap g,

    C = ε A/g,    v = Q/C,    Q̇ = i,    F = -∂E/∂g = -Q²/(2 ε A),    E = Q² g/(2 ε A),

so that dE/dt = v i - F ġ: what the edge takes and what the plates are given is what is stored, to round-off.
A plate on a spring k loses its balance at a third of the gap g₀, V² = 8 k g₀³/(27 ε A) (pull-in).
"""

from flexnet.components.component import Component
from flexnet.components.frame import Frame
from flexnet.components.registry import BUILDERS, Mechanism, builder
from flexnet.networks.dissipation import Dissipation
from flexnet.networks.drivers import AcrossDriver
from flexnet.networks.element import NodeLike, port, positive
from flexnet.networks.machines import ELECTRICAL, distance, in_unit, plain, put
from flexnet.networks.network import Variable
from flexnet.signals import integral


@builder
def plate_condenser(
    system: Mechanism,
    name: str,
    plus: NodeLike,
    minus: NodeLike,
    tail: Frame,
    head: Frame,
    area: float,
    gap: float,
    resistance: float,
    permittivity: float = 8.8541878128e-12,
    charge: float = 0.0,
) -> Component:
    """Draw two frames together by the charge between plates at their origins: v = Q g/(ε A), F = Q²/(2 ε A).

    Edges ``name.R`` and ``name.plates``, in series; the gap g is the distance of the origins. The field is
    that of wide plates: none beside them. Several on one flexible body share its area between them.

    Parameters
    ----------
    plus, minus : nodes.
    tail, head : frames, a gap apart; the force acts along the line between them.
    area : A, m².
    gap : about as wide as the gap is, m: the state is the voltage the charge would have there.
    resistance : of the leads, ohm.
    permittivity : ε, F/m; that of free space if left out (CODATA 2018).
    charge : Q at the start, C.
    """
    A, R = positive(area, f"area of {name!r}"), positive(resistance, f"resistance of {name!r}")
    eps = positive(permittivity, f"permittivity of {name!r}")
    put(
        system,
        Dissipation(f"{name}.R", (port(f"{name}.R", plus, f"{name}.1", ELECTRICAL),), "conductive", 1.0 / R),
    )
    wide, rate = distance(tail, head)
    across = positive(gap, f"gap of {name!r}")
    capacity = eps * A / across
    # U = Q g'/(ε A), a plain number: as large as a voltage is, where a charge is next to nothing
    current = plain(Variable("electrical", "through", f"{name}.plates"))
    state = integral(in_unit(current * (1.0 / capacity), "1/s"), float(charge) / capacity, f"{name}.charge")
    U = plain(state)
    force = U * U * (0.5 * capacity / across)
    edge = port(f"{name}.plates", f"{name}.1", minus, ELECTRICAL)
    voltage = U * wide * (1.0 / across)
    put(
        system,
        AcrossDriver(edge.name, (edge,), voltage, "condenser", 1.0, "ports", force * wide, force * rate),
    )
    return BUILDERS["spring"](name, tail, head, force=in_unit(-force, "N"))
