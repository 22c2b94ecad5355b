"""What of a System does not depend on its trees, read once for all equations that are made of it."""

from dataclasses import dataclass

from flexnet.components import Component, Frame, Terminal
from flexnet.dae import Scale
from flexnet.formulation.feedback import States, collect_states
from flexnet.formulation.scale import model_scale
from flexnet.graph import LinearGraph
from flexnet.signals import Signal
from flexnet.system import System, derive_graph, in_pieces, terminals_of
from flexnet.system.holding import freed_drivers


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """A System as it was when it was read.

    Attributes
    ----------
    system : the mechanism.
    frames, parts : all of them, in their order.
    terminals : terminal equation of every part, in a planar system its in-plane part.
    signals, states : what acts or is recorded, and the first-order states it rests on.
    scale : length, mass and time.
    graph : the linear graph of bodies and joints.
    """

    system: System
    frames: dict[str, Frame]
    parts: list[Component]
    terminals: dict[str, Terminal]
    signals: list[Signal]
    states: States
    scale: Scale
    graph: LinearGraph


def describe(system: System) -> Description:
    """Read a System.

    Raises
    ------
    ModelError
        If it has a body that nothing holds, or two blocks with one name.
    """
    system = in_pieces(system)
    system.check()
    parts, signals = system.parts, system.signals
    terminals = terminals_of(parts, system.is_planar)
    states, frames = collect_states(signals), system.frames
    graph = derive_graph(list(frames), parts, terminals, freed_drivers(system.events, system.components))
    return Description(system, frames, parts, terminals, signals, states, model_scale(system), graph)
