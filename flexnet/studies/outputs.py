"""What a study keeps of every variant: channels, numbers made of them, events, frequencies, functions.

An output is written as the name of a channel (kept over time), or as ``word:argument`` with a word of
:data:`OUTPUTS`: ``peak:crank_torque``, ``rms:crank_torque``, ``event:touch``, ``frequencies:3``; or it is a
function that takes the :class:`~flexnet.analysis.Run` and gives a number or an array.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexnet.analysis import Run, linearise
from flexnet.errors import ModelError, ResultError
from flexnet.formulation import Equations
from flexnet.signals import listed_events
from flexnet.signals.function_told import function_told
from flexnet.system import System
from flexnet.typing import AnyArray, Array
from flexnet.validation import nearest, plain_name, shown, whole

#: dimension of what is kept at every output time
TIME = "time"


@dataclass(frozen=True, slots=True)
class Word:
    """A way to make an output: of a channel, of events or of the equations.

    Attributes
    ----------
    of_channel : makes it of the times and values of a channel.
    of_events : makes it of the times of an event and the number of them that is written after its name.
    of_equations : makes it of the equations and the argument; needs no run.
    along : its dimension; empty for a number.
    unit : where it is not that of the channel.
    """

    of_channel: Callable[[Array, Array], AnyArray] | None = None
    of_events: Callable[[list[float], str], AnyArray] | None = None
    of_equations: Callable[[Equations, str], AnyArray] | None = None
    along: str = ""
    unit: str | None = None


#: ways to make outputs, by the word that is written before the colon
OUTPUTS: dict[str, Word] = {}


def _frequencies(equations: Equations, argument: str) -> AnyArray:
    """The lowest frequencies of small oscillations about the start, Hz; NaN where there are fewer."""
    found = [mode.frequency for mode in linearise(equations).modes if mode.frequency > 0.0]
    return _first(found, count_of(argument, "frequencies"))


def _event_times(times: list[float], count: str) -> AnyArray:
    """When an event happens first, s, or the first few times; NaN where it does not."""
    found = _first(times, count_of(count, "events") if count else 1)
    return found if count else found[0]


def _first(values: list[float], wanted: int) -> AnyArray:
    """As many as are wanted; NaN where there are fewer."""
    return np.array(values[:wanted] + [np.nan] * (wanted - len(values)))


OUTPUTS["channel"] = Word(lambda t, x: x, along=TIME)
OUTPUTS["peak"] = Word(lambda t, x: np.abs(x).max())
OUTPUTS["max"] = Word(lambda t, x: x.max())
OUTPUTS["min"] = Word(lambda t, x: x.min())
OUTPUTS["final"] = Word(lambda t, x: x[-1])
OUTPUTS["mean"] = Word(lambda t, x: np.trapezoid(x, t) / (t[-1] - t[0]))
OUTPUTS["rms"] = Word(lambda t, x: np.sqrt(np.trapezoid(x * x, t) / (t[-1] - t[0])))
OUTPUTS["time_of_peak"] = Word(lambda t, x: t[np.argmax(np.abs(x))], unit="s")
OUTPUTS["event"] = Word(of_events=_event_times, along="occurrence", unit="s")
OUTPUTS["frequencies"] = Word(of_equations=_frequencies, along="mode", unit="Hz")


@dataclass(frozen=True, slots=True)
class Output:
    """One thing that is kept of every variant.

    Attributes
    ----------
    name : in the Dataset.
    word : entry of :data:`OUTPUTS`; empty for a function.
    argument : channel; event, or event and number of its times; number of frequencies.
    function : of the run, where there is no word.
    """

    name: str
    word: str = ""
    argument: str = ""
    function: Callable[[Run], Any] | None = None

    @property
    def needs_run(self) -> bool:
        """Whether it is made of a motion."""
        return self.function is not None or OUTPUTS[self.word].of_equations is None

    @property
    def told(self) -> str:
        """What it is, as it is written: two studies with the same words keep the same things."""
        if self.function is None:
            return f"{self.word}:{self.argument}"
        return function_told(self.function)

    def check(self, system: System) -> None:
        """Refuse a channel or an event that a system does not have.

        Raises
        ------
        ResultError
            Naming the nearest one it has.
        """
        if self.function is not None or OUTPUTS[self.word].of_equations is not None:
            return
        if OUTPUTS[self.word].of_channel is not None:
            what, wanted, known = "channel", self.argument, [channel.name for channel in system.channels]
        else:
            what, wanted = "event", self.argument.partition(":")[0]
            known = listed_events(system.events)
        if wanted not in known:
            hint = nearest(wanted, known) or f"; it has {', '.join(known) or 'none'}"
            raise ResultError(f"output {self.name!r}: {system.name!r} has no {what} {wanted!r}{hint}")

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
        self.check(equations.system)
        if word.of_events is not None:
            name, _, count = self.argument.partition(":")
            times = [one.t for one in run.events if one.name == name]
            return np.asarray(word.of_events(times, count), dtype=float)
        assert word.of_channel is not None
        return np.asarray(word.of_channel(run.t, run.channel(self.argument)), dtype=float)


def count_of(argument: str, what: str) -> int:
    """Number of frequencies or times of events that is wanted."""
    if not argument.isdecimal():
        example = "frequencies:3" if what == "frequencies" else "event:touch:3"
        raise ModelError(f"output {argument!r} of {what} needs a number, as in {example}")
    return whole(int(argument), f"the number of {what}", 1)


def make_outputs(wanted: Any, system: System, taken: Sequence[str] = ()) -> tuple[Output, ...]:
    """Outputs from what the user wrote; every channel of the system if nothing.

    Parameters
    ----------
    wanted : texts and functions, in a sequence or by the name they are to have.
    system : one of the variants.
    taken : names that something else of the study has.

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
        if made.name in {*taken, *(o.name for o in outputs)}:
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
    called = argument if word == "channel" else f"{word}_{argument}"
    if word == "frequencies":
        count_of(argument, word)
        called = word
    elif word == "event":
        event, colon, count = argument.partition(":")
        if colon:
            count_of(count, "events")
        called = f"{word}_{event}"
    return Output(plain_name(name or called, "the name of an output"), word, argument)
