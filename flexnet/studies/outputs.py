"""What a study keeps of every variant: channels, numbers made of them, frequencies, functions of a run.

An output is written as the name of a channel (kept over time), or as ``word:argument`` with a word of
:data:`OUTPUTS`: ``peak:crank_torque``, ``rms:crank_torque``, ``frequencies:3``; or it is a function that
takes the :class:`~flexnet.analysis.Run` and gives a number or an array.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexnet.analysis import Run, linearise
from flexnet.errors import ModelError, ResultError
from flexnet.formulation import Equations
from flexnet.system import System
from flexnet.typing import AnyArray, Array
from flexnet.validation import nearest, plain_name, shown, whole

#: dimension of what is kept at every output time
TIME = "time"


@dataclass(frozen=True, slots=True)
class Word:
    """A way to make an output of a channel or of the equations.

    Attributes
    ----------
    of_channel : makes it of the times and values of a channel; None if it needs no run.
    of_equations : makes it of the equations and the argument; None if it needs a run.
    along : its dimension; empty for a number.
    unit : where it is not that of the channel.
    """

    of_channel: Callable[[Array, Array], AnyArray] | None = None
    of_equations: Callable[[Equations, str], AnyArray] | None = None
    along: str = ""
    unit: str | None = None


#: ways to make outputs, by the word that is written before the colon
OUTPUTS: dict[str, Word] = {}


def _frequencies(equations: Equations, argument: str) -> AnyArray:
    """The lowest frequencies of small oscillations about the start, Hz; NaN where there are fewer."""
    wanted = count_of(argument)
    found = [mode.frequency for mode in linearise(equations).modes if mode.frequency > 0.0][:wanted]
    return np.array(found + [np.nan] * (wanted - len(found)))


OUTPUTS["channel"] = Word(lambda t, x: x, along=TIME)
OUTPUTS["peak"] = Word(lambda t, x: np.abs(x).max())
OUTPUTS["max"] = Word(lambda t, x: x.max())
OUTPUTS["min"] = Word(lambda t, x: x.min())
OUTPUTS["final"] = Word(lambda t, x: x[-1])
OUTPUTS["mean"] = Word(lambda t, x: np.trapezoid(x, t) / (t[-1] - t[0]))
OUTPUTS["rms"] = Word(lambda t, x: np.sqrt(np.trapezoid(x * x, t) / (t[-1] - t[0])))
OUTPUTS["time_of_peak"] = Word(lambda t, x: t[np.argmax(np.abs(x))], unit="s")
OUTPUTS["frequencies"] = Word(of_equations=_frequencies, along="mode", unit="Hz")


@dataclass(frozen=True, slots=True)
class Output:
    """One thing that is kept of every variant.

    Attributes
    ----------
    name : in the Dataset.
    word : entry of :data:`OUTPUTS`; empty for a function.
    argument : channel, or number of frequencies.
    function : of the run, where there is no word.
    """

    name: str
    word: str = ""
    argument: str = ""
    function: Callable[[Run], Any] | None = None

    @property
    def needs_run(self) -> bool:
        """Whether it is made of a motion."""
        return self.function is not None or OUTPUTS[self.word].of_channel is not None

    @property
    def told(self) -> str:
        """What it is, as it is written: two studies with the same words keep the same things."""
        if self.function is None:
            return f"{self.word}:{self.argument}"
        code = getattr(self.function, "__code__", None)
        return f"function {code.co_code.hex() if code else type(self.function).__name__}"

    def check(self, system: System) -> None:
        """Refuse a channel that a system does not have.

        Raises
        ------
        ResultError
            Naming the nearest one it has.
        """
        if self.function is not None or OUTPUTS[self.word].of_channel is None:
            return
        known = [channel.name for channel in system.channels]
        if self.argument not in known:
            hint = nearest(self.argument, known) or f"; it has {', '.join(known) or 'none'}"
            raise ResultError(f"output {self.name!r}: {system.name!r} has no channel {self.argument!r}{hint}")

    def unit(self, system: System) -> str:
        """Unit of the output; empty where it is not known."""
        if self.function is not None:
            return ""
        own = OUTPUTS[self.word].unit
        if own is not None:
            return own
        return next((c.unit for c in system.channels if c.name == self.argument), "")

    def of(self, equations: Equations, run: Run | None) -> Array:
        """Its value for one variant.

        Raises
        ------
        ResultError
            If the variant lacks it, or a function gives anything but numbers.
        """
        if self.function is not None:
            assert run is not None
            value = np.asarray(self.function(run))
            if value.dtype.kind not in "biuf":
                raise ResultError(f"output {self.name!r} gives {shown(value)}; expected numbers")
            return value.astype(float)
        word = OUTPUTS[self.word]
        if word.of_equations is not None:
            return np.asarray(word.of_equations(equations, self.argument), dtype=float)
        assert run is not None
        assert word.of_channel is not None
        self.check(equations.system)
        return np.asarray(word.of_channel(run.t, run.channel(self.argument)), dtype=float)


def count_of(argument: str) -> int:
    """Number of frequencies wanted."""
    if not argument.isdecimal():
        raise ModelError(f"output 'frequencies:{argument}' needs a number, as in frequencies:3")
    return whole(int(argument), "the number of frequencies", 1)


def make_outputs(wanted: Any, system: System) -> tuple[Output, ...]:
    """Outputs from what the user wrote; every channel of the system if nothing.

    Parameters
    ----------
    wanted : texts and functions, in a sequence or by the name they are to have.
    system : one of the variants.

    Raises
    ------
    ModelError, ResultError
        If one is not understood, has a name that is taken, or asks for a channel that is not there.
    """
    if wanted is None or (isinstance(wanted, Sequence | Mapping) and len(wanted) == 0):
        wanted = [channel.name for channel in system.channels]
        if not wanted:
            raise ModelError(f"{system.name!r} has no channels; say which outputs the study keeps")
    if isinstance(wanted, str) or callable(wanted):
        wanted = [wanted]
    pairs = wanted.items() if isinstance(wanted, Mapping) else [(None, one) for one in wanted]
    outputs: list[Output] = []
    for name, one in pairs:
        made = _output(name, one, system)
        if made.name in {"variant", TIME, *(o.name for o in outputs)}:
            raise ModelError(
                f"two things of the study are called {made.name!r}; give outputs names: {{name: …}}"
            )
        made.check(system)
        outputs.append(made)
    return tuple(outputs)


def _output(name: str | None, wanted: Any, system: System) -> Output:
    if callable(wanted):
        called = name or getattr(wanted, "__name__", "")
        if not called or called == "<lambda>":
            raise ModelError("an output that is a function without a name needs one: {name: function}")
        return Output(plain_name(called, "the name of an output"), function=wanted)
    if not isinstance(wanted, str):
        raise ModelError(f"output {shown(wanted)} is neither a text nor a function of a run")
    word, colon, argument = wanted.partition(":")
    if not colon or (word not in OUTPUTS and wanted in [c.name for c in system.channels]):
        word, argument = "channel", wanted
    if word not in OUTPUTS:
        raise ModelError(
            f"output {shown(wanted)} begins with {word!r}; expected {', '.join(OUTPUTS)}"
            f"{nearest(word, OUTPUTS)}"
        )
    if word == "frequencies":
        count_of(argument)
        called = "frequencies"
    else:
        called = argument if word == "channel" else f"{word}_{argument}"
    return Output(plain_name(name or called, "the name of an output"), word, argument)
