"""The operating point of a System that is a network."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from flexnet.errors import ModelError
from flexnet.formulation import Equations
from flexnet.formulation.formulate import formulate
from flexnet.networks import Variable
from flexnet.networks.operating_point import newton_with_homotopy, write_balance
from flexnet.signals import Known, Signal, StateOf, Time, evaluate
from flexnet.system import System
from flexnet.validation import nearest


@dataclass(frozen=True)
class OperatingPoint:
    """A network at rest.

    Attributes
    ----------
    equations : of the System.
    t : time at which known functions are taken, s.
    z : states and algebraic states, SI.
    """

    equations: Equations
    t: float
    z: tuple[float, ...]

    @cached_property
    def values(self) -> dict[str, float]:
        """Every variable of every edge by the name of its channel, SI."""
        channels = self.equations.system.channels
        found = evaluate([c.measure for c in channels], self._leaf, of_arrays=True)
        return {c.name: c.factor * float(x) for c, x in zip(channels, found, strict=True)}

    def __getitem__(self, channel: str) -> float:
        """A variable, such as ``point["R2.current"]``."""
        if channel not in self.values:
            raise ModelError(f"the network has no {channel!r}{nearest(channel, self.values)}")
        return self.values[channel]

    def _leaf(self, signal: Signal) -> float | Signal:
        if isinstance(signal, Variable):
            return self.equations.system.network.signal(signal)
        if isinstance(signal, Time):
            return self.t
        if isinstance(signal, Known):
            return self.equations.known_value(signal, self.t)
        if isinstance(signal, StateOf):
            return self.z[self.equations.states.places[signal.block, signal.index]]
        return float("nan")


def operating_point(system: System, t: float = 0.0, hold: bool = False) -> OperatingPoint:
    """Find where nothing stored in a network changes, by Newton with homotopy in the sources.

    Parameters
    ----------
    system : a System without bodies; a mechanism with a network: see ``equilibrium``.
    t : time at which known functions are taken, s.
    hold : keep what is stored at its start, and find the rest: the state a run begins with.

    Raises
    ------
    ConvergenceError
        Naming the branch that did not converge.
    """
    if system.bodies or not system.elements:
        raise ModelError(
            f"operating point of {system.name!r}: it needs a network, and no bodies: see equilibrium"
        )
    equations = formulate(system)
    network = system.network

    def known(function: Known) -> float:
        return equations.known_value(function, t)

    balance = write_balance(network, known, hold)
    X = newton_with_homotopy(balance, f"operating point of {system.name!r}")
    if hold:
        n = len(equations.states.start) - len(X)
        X = np.concatenate([equations.states.start[:n], X])
    return OperatingPoint(equations, float(t), tuple(X.tolist()))
