"""Frequency responses and transfer functions of a whole: mechanism, controllers and networks, linearised.

A source of a network is held at its value and moved by a small u; what a channel y answers is
G(iω) = C (iω - A)⁻¹ B + D, from the linear system of the whole
(:mod:`~flexnet.analysis.linear_system`). Poles are the eigenvalues of A, zeros those s at which
[A - s, B; C, D] loses its rank.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy  # its rooms are loaded as they are entered

from flexnet.analysis.linear_system import LinearSystem, linear_system
from flexnet.components import constant
from flexnet.errors import ModelError
from flexnet.formulation import State, formulate
from flexnet.networks import AcrossDriver, ThroughDriver
from flexnet.signals import Known, Number, Signal
from flexnet.system import System
from flexnet.typing import AnyArray, Array
from flexnet.validation import nearest

#: points where nobody says how many
_POINTS = 400
#: frequencies beyond the slowest and fastest pole, as factors, where nobody says which
_BEYOND = 10.0
#: a zero beyond this many times the fastest pole is one at infinity
_INFINITE = 1e8


@dataclass(frozen=True, slots=True, eq=False)
class Bode:
    """Frequency response of a whole.

    Attributes
    ----------
    linear : the linear system it is of.
    frequencies : (k,) Hz.
    values : (k, outputs, inputs) complex, units of the outputs over those of the inputs.
    """

    linear: LinearSystem
    frequencies: Array
    values: AnyArray

    def response(self, output: str, source: str) -> AnyArray:
        """Response of a channel to an input, (k,) complex."""
        i, j = _place(self.linear.outputs, output, "output"), _place(self.linear.inputs, source, "input")
        return self.values[:, i, j]

    def magnitude(self, output: str, source: str) -> Array:
        """Magnitude, dB."""
        with np.errstate(divide="ignore"):
            return np.asarray(20.0 * np.log10(np.abs(self.response(output, source))))

    def phase(self, output: str, source: str) -> Array:
        """Phase without jumps, degrees."""
        return np.degrees(np.unwrap(np.angle(self.response(output, source))))

    def plot(self, out: str | Path) -> Path:
        """Draw magnitude and phase of every pair over frequency, and save the figure; returns its path."""
        from flexnet.view import plot_bode  # drawings are loaded when something is looked at

        pairs = [(y, u) for y in self.linear.outputs for u in self.linear.inputs]
        curves = {f"{y} / {u}": (self.magnitude(y, u), self.phase(y, u)) for y, u in pairs}
        return plot_bode(out, self.frequencies, curves, self.linear.equations.system.name)


@dataclass(frozen=True, slots=True, eq=False)
class Transfer:
    """A transfer function k Π (s - zᵢ)/Π (s - pⱼ).

    Attributes
    ----------
    output, source : from which input to which channel.
    gain : k.
    zeros, poles : 1/s; what cancels is left in.
    """

    output: str
    source: str
    gain: float
    zeros: AnyArray
    poles: AnyArray

    def __call__(self, s: complex) -> complex:
        """Value at s, 1/s."""
        return complex(self.gain * np.prod(s - self.zeros) / np.prod(s - self.poles))

    @property
    def numerator(self) -> Array:
        """Coefficients by falling powers of s."""
        return np.real(self.gain * np.atleast_1d(np.poly(self.zeros)))

    @property
    def denominator(self) -> Array:
        """Coefficients by falling powers of s, the first one."""
        return np.real(np.atleast_1d(np.poly(self.poles)))

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        above, below = (_polynomial(c) for c in (self.numerator, self.denominator))
        return f"{self.output} / {self.source} = ({above})/({below})"


def bode(
    system: System,
    inputs: Sequence[str] | Mapping[str, Signal],
    outputs: Sequence[str],
    low: float | None = None,
    high: float | None = None,
    points: int = _POINTS,
    state: State | None = None,
) -> Bode:
    """Frequency response of channels to sources of networks, or to other signals, about a state.

    Parameters
    ----------
    inputs : names of sources of networks, which are held at their value at the time of the state; or signals
        by name, as :func:`~flexnet.analysis.linear_system.linear_system` takes them.
    outputs : names of channels.
    low, high : first and last frequency, Hz; a decade beyond the poles if left out.
    points : number of frequencies, spaced evenly on a logarithmic axis.
    state : that is left a little; the start if left out, see ``equilibrium``.

    Raises
    ------
    ModelError
        If a name is none of a source or channel, or the frequencies are none.
    """
    linear = small_signal(system, inputs, outputs, state)
    first, last = _range(linear, low, high)
    if points < 2:
        raise ModelError(f"points must be 2 at least, got {points}")
    frequencies = np.geomspace(first, last, points)
    return Bode(linear, frequencies, linear.response(frequencies))


def transfer(
    system: System,
    source: str,
    output: str,
    state: State | None = None,
) -> Transfer:
    """Transfer function from a source of a network to a channel, of the whole linearised about a state.

    Parameters
    ----------
    source : name of a source of a network.
    output : name of a channel.
    state : that is left a little; the start if left out.
    """
    return transfer_of(small_signal(system, (source,), (output,), state), source, output)


def transfer_of(linear: LinearSystem, source: str, output: str) -> Transfer:
    """Transfer function of a linear system from an input to an output."""
    i, j = _place(linear.outputs, output, "output"), _place(linear.inputs, source, "input")
    A, b, c, d = linear.A, linear.B[:, [j]], linear.C[[i]], linear.D[i, j]
    poles = np.linalg.eigvals(A)
    n = len(A)
    fastest = float(np.abs(poles).max(initial=0.0)) or 1.0
    # s in units of the fastest pole, b and c of size one: what is left is no matter of units
    row, column = (float(np.abs(x).max(initial=0.0)) or 1.0 for x in (c, b))
    pencil = np.block([[A / fastest, b / column], [c / row, np.array([[d * fastest / (row * column)]])]])
    above, below = scipy.linalg.eigvals(pencil, np.diag([*np.ones(n), 0.0]), homogeneous_eigvals=True)
    is_finite = np.abs(above) < _INFINITE * np.abs(below)
    zeros = above[is_finite] / below[is_finite] * fastest
    at = 1j * fastest
    value = complex((c @ np.linalg.solve(at * np.eye(n) - A, b))[0, 0] + d) if n else complex(d)
    gain = float(np.real(value * np.prod((at - poles) / fastest) / np.prod((at - zeros) / fastest)))
    return Transfer(output, source, gain * fastest ** (n - len(zeros)), zeros, poles)


def small_signal(
    system: System,
    inputs: Sequence[str] | Mapping[str, Signal],
    outputs: Sequence[str],
    state: State | None = None,
) -> LinearSystem:
    """Linear system of the whole with sources of networks, or signals, as inputs."""
    if isinstance(inputs, Mapping):
        return linear_system(system, inputs, outputs, state)
    own, signals = copy(system), dict[str, Signal]()
    held: dict[str, float] = {}
    for name in inputs:
        source = system.elements.get(name)
        if not isinstance(source, AcrossDriver | ThroughDriver) or source.role != "sources":
            known = [e.name for e in system.elements.values() if e.role == "sources"]
            hint = nearest(name, known) or f"; there are {', '.join(map(repr, known)) or 'none'}"
            raise ModelError(f"the input {name!r} is no source of a network{hint}")
        held[name] = _value(system, source.value, 0.0 if state is None else state.t, name)
    parts = dict(system.elements)
    for name, value in held.items():
        signals[name] = Known(constant(value))
        parts[name] = replace(parts[name], value=signals[name])  # type: ignore[type-var]
    own.elements = parts
    own.network_tree(*system.network.branches)  # which forgets the network that was
    return linear_system(formulate(own), signals, outputs, state)


def _value(system: System, signal: Signal, t: float, name: str) -> float:
    """Value of what drives a source, a number or a function of time."""
    if isinstance(signal, Number):
        return float(signal.value)
    if isinstance(signal, Known):
        return formulate(system).known_value(signal, t)
    raise ModelError(f"the input {name!r} follows a signal: give what that follows as input")


def _range(linear: LinearSystem, low: float | None, high: float | None) -> tuple[float, float]:
    poles = np.abs(linear.eigenvalues) / (2.0 * np.pi)
    poles = poles[poles > 1e-9 * poles.max(initial=0.0)]
    if (low is None or high is None) and not len(poles):
        raise ModelError("no pole says at which frequencies to look: give low and high")
    first = float(poles.min()) / _BEYOND if low is None else float(low)
    last = float(poles.max()) * _BEYOND if high is None else float(high)
    if not 0.0 < first < last < np.inf:
        raise ModelError(f"frequencies must be positive and rising, got low = {first:g}, high = {last:g}")
    return first, last


def _place(names: Sequence[str], name: str, what: str) -> int:
    if name not in names:
        raise ModelError(f"{name!r} is no {what} of this response{nearest(name, names)}")
    return names.index(name)


def _polynomial(coefficients: Array) -> str:
    n = len(coefficients) - 1
    powers = ["" if k == 0 else " s" if k == 1 else f" s^{k}" for k in range(n, -1, -1)]
    terms = [f"{c:.6g}{p}" for c, p in zip(coefficients, powers, strict=True) if c or n == 0]
    return " + ".join(terms).replace("+ -", "- ") or "0"
