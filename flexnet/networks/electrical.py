"""Electrical elements: voltage v = v_tail - v_head, V, and current i from tail to head, A (GTM table 1)."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import flexnet.algebra as algebra
from flexnet.components.registry import builder
from flexnet.errors import ModelError
from flexnet.graph import Domain, scalar_domain
from flexnet.networks.diode import Diode
from flexnet.networks.dissipation import Dissipation
from flexnet.networks.drivers import AcrossDriver, ThroughDriver
from flexnet.networks.element import Drive, Element, NodeLike, Port, drive, port, positive
from flexnet.networks.hybrid import Hybrid, Relation
from flexnet.networks.network import Variable, measure, measured
from flexnet.networks.storage import AcrossStorage, ThroughStorage

ELECTRICAL = scalar_domain(Domain("electrical", "voltage", "current", "V", "A"))


@measure
def voltage(edge: str = "", node: str = "") -> Variable:
    """Voltage of an edge, tail minus head, or of a node against the ground, V."""
    return measured(ELECTRICAL, "across", edge, node)


@measure
def current(edge: str) -> Variable:
    """Current through an edge, from tail to head, A."""
    return measured(ELECTRICAL, "through", edge)


def _port(name: str, tail: NodeLike, head: NodeLike) -> Port:
    return port(name, tail, head, ELECTRICAL)


@builder
def voltage_source(name: str, tail: NodeLike, head: NodeLike, voltage: Drive) -> Element:
    """Prescribe the voltage v_tail - v_head between two nodes, V; a number, function of time or signal."""
    value = drive(voltage, "V", f"voltage of {name!r}")
    return AcrossDriver(name, (_port(name, tail, head),), value, "voltage source")


@builder
def current_source(name: str, tail: NodeLike, head: NodeLike, current: Drive) -> Element:
    """Prescribe the current from tail to head, A; a number, a function of time or a signal."""
    value = drive(current, "A", f"current of {name!r}")
    return ThroughDriver(name, (_port(name, tail, head),), value, "current source")


@builder
def resistor(name: str, tail: NodeLike, head: NodeLike, resistance: float) -> Element:
    """Resistor: v = R i; R in ohm, not zero, negative where energy is supplied."""
    R = float(resistance)
    if R == 0.0 or not np.isfinite(R):
        raise ModelError(f"resistance of {name!r} must be a number other than zero, got {resistance!r}")
    return Dissipation(name, (_port(name, tail, head),), "conductive", 1.0 / R)


@builder
def nonlinear_resistor(
    name: str,
    tail: NodeLike,
    head: NodeLike,
    current: Callable[..., Any] | None = None,
    voltage: Callable[..., Any] | None = None,
    controls: Sequence[Drive] = (),
) -> Element:
    """Resistor with a law of its own: i = current(v, …) or v = voltage(i, …).

    Parameters
    ----------
    current, voltage : one of them, in arithmetic and functions of ``flexnet.algebra``.
    controls : signals the law takes besides.
    """
    if (current is None) == (voltage is None):
        raise ModelError(f"nonlinear resistor {name!r} needs one law: current=… or voltage=…")
    form, law = ("conductive", current) if voltage is None else ("resistive", voltage)
    given = tuple(drive(u, "1", f"control of {name!r}") for u in controls)
    return Dissipation(name, (_port(name, tail, head),), form, 0.0, law, given, "nonlinear resistor")  # type: ignore[arg-type]


@builder
def diode(
    name: str, tail: NodeLike, head: NodeLike, saturation: float = 1e-12, thermal: float = 0.02585,
    leakage: float = 0.0,
) -> Element:  # fmt: skip
    """Diode: i = I_s(exp(v/V_t) - 1) + G v.

    Parameters
    ----------
    saturation : I_s, A.
    thermal : V_t, V: k T/q times the ideality factor.
    leakage : G, 1/ohm, beside the junction.
    """
    Is, Vt = positive(saturation, f"saturation of {name!r}"), positive(thermal, f"thermal of {name!r}")
    G = positive(leakage, f"leakage of {name!r}", may_be_zero=True)
    return Diode(name, (_port(name, tail, head),), Is, Vt, G)


@builder
def switch(
    name: str, tail: NodeLike, head: NodeLike, closed: Drive, on: float = 1e-5, off: float = 1e-5
) -> Element:
    """Switch: closed while a signal is above 1/2; v = R_on i then, i = G_off v else.

    Parameters
    ----------
    closed : signal, function of time or number.
    on : R_on, ohm.
    off : G_off, 1/ohm.
    """
    R, G = positive(on, f"on of {name!r}"), positive(off, f"off of {name!r}")
    control = drive(closed, "1", f"closed of {name!r}")

    def law(v: Any, s: Any) -> Any:
        return v * algebra.where(s > 0.5, 1.0 / R, G)

    return Dissipation(name, (_port(name, tail, head),), "conductive", 0.0, law, (control,), "switch")


@builder
def capacitor(
    name: str, tail: NodeLike, head: NodeLike, capacitance: float, start: float | None = None
) -> Element:
    """Capacitor: i = C dv/dt; C in F, voltage ``start`` [V] at the start."""
    C = positive(capacitance, f"capacitance of {name!r}")
    return AcrossStorage(name, (_port(name, tail, head),), C, start)


@builder
def inductor(
    name: str, tail: NodeLike, head: NodeLike, inductance: float, start: float | None = None
) -> Element:
    """Inductor: v = L di/dt; L in H, current ``start`` [A] at the start."""
    L = positive(inductance, f"inductance of {name!r}")
    return ThroughStorage(name, (_port(name, tail, head),), ((L,),), (start,))


@builder
def coupled_inductors(
    name: str,
    windings: Sequence[tuple[NodeLike, NodeLike]],
    inductance: Sequence[Sequence[float]],
    starts: Sequence[float] | None = None,
) -> Element:
    """Coils on one core: v_j = Σ L_jk di_k/dt; edges ``name.1``, ``name.2`` and so on.

    Parameters
    ----------
    windings : tail and head of every coil.
    inductance : symmetric positive definite matrix, H.
    """
    n = len(windings)
    is_square = len(inductance) == n and all(len(row) == n for row in inductance)
    L = np.array(inductance if is_square else np.zeros((0, 0)), dtype=float)
    if n == 0 or L.shape != (n, n) or not np.allclose(L, L.T) or np.linalg.eigvalsh(L)[0] <= 0.0:
        raise ModelError(f"inductance of {name!r} must be a symmetric positive definite ({n}, {n}) matrix")
    ports = tuple(_port(f"{name}.{k + 1}", *ends) for k, ends in enumerate(windings))
    given = (None,) * n if starts is None else tuple(starts)
    if len(given) != n:
        raise ModelError(f"starts of {name!r} are {len(given)} currents; expected {n}, one a winding")
    return ThroughStorage(name, ports, tuple(map(tuple, L.tolist())), given, "coupled inductors")


@builder
def transformer(
    name: str, primary: tuple[NodeLike, NodeLike], secondary: tuple[NodeLike, NodeLike], ratio: float
) -> Element:
    """Ideal transformer: v₁ = n v₂, i₂ = -n i₁; edges ``name.1`` and ``name.2`` (GTM figure 2)."""
    ports = _port(f"{name}.1", *primary), _port(f"{name}.2", *secondary)
    return ideal_transformer(name, ports, float(ratio), "transformer")


@builder
def gyrator(
    name: str, primary: tuple[NodeLike, NodeLike], secondary: tuple[NodeLike, NodeLike], resistance: float
) -> Element:
    """Ideal gyrator: v₁ = r i₂, v₂ = -r i₁; r in ohm; edges ``name.1`` and ``name.2``."""
    ports = _port(f"{name}.1", *primary), _port(f"{name}.2", *secondary)
    r = float(resistance)
    relations = Relation({0: 1.0}, {1: -r}), Relation({1: 1.0}, {0: r})
    return Hybrid(name, ports, relations, "gyrator")


@builder
def op_amp(
    name: str, plus: NodeLike, minus: NodeLike, output: NodeLike, reference: NodeLike = "ground"
) -> Element:
    """Ideal operational amplifier: no voltage and no current between its inputs, edge ``name.in``.

    Its output, edge ``name.out`` from ``output`` to ``reference``, has the voltage and the current it needs.
    """
    ports = _port(f"{name}.in", plus, minus), _port(f"{name}.out", output, reference)
    return Hybrid(name, ports, (Relation({0: 1.0}), Relation({}, {0: 1.0})), "op-amp")


@builder
def controlled_source(
    name: str,
    control: tuple[NodeLike, NodeLike],
    output: tuple[NodeLike, NodeLike],
    gain: float,
    kind: str = "voltage by voltage",
) -> Element:
    """Source that follows another edge at once; edges ``name.in`` and ``name.out``.

    Parameters
    ----------
    control : nodes of the edge it follows: open for a voltage, a short for a current.
    gain : of pure numbers, ohm or 1/ohm.
    kind : ``"voltage by voltage"``, ``"current by voltage"``, ``"voltage by current"`` or ``"current by
        current"``.
    """
    words = kind.split(" by ")
    if len(words) != 2 or not set(words) <= {"voltage", "current"}:
        raise ModelError(f"kind of {name!r} is {kind!r}; expected such as 'voltage by current'")
    of, by = words
    ports = _port(f"{name}.in", *control), _port(f"{name}.out", *output)
    sensed = {0: -float(gain)}
    given: tuple[dict[int, float], dict[int, float]] = (sensed, {}) if by == "voltage" else ({}, sensed)
    own = ({1: 1.0}, {}) if of == "voltage" else ({}, {1: 1.0})
    follows = Relation(given[0] | own[0], given[1] | own[1])
    idle = Relation({}, {0: 1.0}) if by == "voltage" else Relation({0: 1.0})
    return Hybrid(name, ports, (idle, follows), "controlled source")


def ideal_transformer(name: str, ports: tuple[Port, Port], n: float, noun: str) -> Hybrid:
    """α₁ = n α₂, τ₂ = -n τ₁: lossless in every domain, and between domains."""
    relations = Relation({0: 1.0, 1: -n}), Relation({}, {0: n, 1: 1.0})
    return Hybrid(name, ports, relations, noun)
