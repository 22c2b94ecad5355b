"""How a run steps: what the user asks for, what the case likes, and what is left to choose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from flexnet.errors import FlexnetError, ModelError

if TYPE_CHECKING:
    from flexnet.integrators import Method

ROWS = 500  # output rows of a run that does not say
TOLERANCE = 1e-6  # of positions over their sizes, where nobody gives a step
AUTO = "auto"  # the method is left to the run


@dataclass(frozen=True, slots=True)
class Stepping:
    """Times of a run.

    Attributes
    ----------
    end, step, interval : s.
    tolerance : of an adaptive step, positions over their sizes; None for a fixed one.
    """

    end: float
    step: float
    interval: float
    tolerance: float | None = None

    @classmethod
    def choose(
        cls,
        case: Mapping[str, Any],
        step: float | None,
        tolerance: float | None,
        end: float | None,
        interval: float | None,
    ) -> "Stepping":
        """Take the user's word first, then END, STEP and INTERVAL of the case.

        Raises
        ------
        ModelError
            If nobody says when to end.
        """
        stop = _first(end, case, "END")
        if stop is None:
            raise ModelError("when does the run end? Give --end, or END = … in the case file")
        every = _first(interval, case, "INTERVAL")
        size = _first(step, case, "STEP")
        if tolerance is None and size is None:
            tolerance = TOLERANCE
        if tolerance is not None:
            return cls(stop, size or 1e-5 * stop, every or stop / ROWS, tolerance)
        assert size is not None
        return cls(stop, size, every or size * max(1, round(stop / ROWS / size)))

    def __str__(self) -> str:
        how = f"step {self.step:g} s" if self.tolerance is None else f"tolerance {self.tolerance:g}"
        return f"0 to {self.end:g} s, {how}, a row every {self.interval:g} s"


def interval_of(path: Path) -> float | None:
    """Time between the output rows of a result file that is to be resumed, s."""
    from flexnet.results import Results

    stored = Results.open(path).settings.get("interval")
    return float(stored) if isinstance(stored, int | float) else None


def choose_method(
    name: str, alpha: float | None, rho: float | None, parameters: Sequence[str] = ()
) -> "Method | Literal['auto']":
    """Method of integration by name; ``auto`` is left to the run.

    Raises
    ------
    FlexnetError
        If there is none of that name, or it does not have a parameter that is set.
    """
    from flexnet.integrators import METHODS, numbers_of

    name = name.replace("-", "_").replace("generalized", "generalised")
    if name == AUTO and alpha is None and rho is None and not parameters:
        return "auto"
    if name not in METHODS:
        near = get_close_matches(name, METHODS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(METHODS)}"
        raise FlexnetError(f"no integrator is called {name!r}; {hint}")
    given = {key: value for key, value in (("alpha", alpha), ("rho", rho)) if value is not None}
    given |= dict(_number(text) for text in parameters)
    known = numbers_of(name)
    wrong = next((key for key in given if key not in known), "")
    if wrong:
        has = f"its parameter is --{', --'.join(known)}" if known else "it has none"
        raise FlexnetError(f"{name} has no parameter --{wrong}; {has}")
    return METHODS[name](**given)


def method_names(incomplete: str = "") -> list[str]:
    """Names of the methods, for completion."""
    from flexnet.integrators import METHODS  # here: help must not wait for the compiler

    return [name for name in (*METHODS, AUTO) if name.startswith(incomplete)]


def method_rows() -> list[tuple[str, str, str]]:
    """Every method with its first sentence and its parameters."""
    from flexnet.integrators import METHODS, numbers_of, summary

    rows = [(name, summary(name), ", ".join(numbers_of(name))) for name in METHODS]
    return [*rows, (AUTO, "The one that has the least to do for a tolerance, found by short trials.", "")]


def _number(text: str) -> tuple[str, float]:
    """A parameter of a method given as ``name=value``."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise FlexnetError(f"--parameter needs name=number, got {text!r}") from None


def _first(given: float | None, case: Mapping[str, Any], name: str) -> float | None:
    value = case.get(name) if given is None else given
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise ModelError(f"{name.lower()} must be a positive time, got {value!r}")
    return float(value)


# options of the verbs that run
Integrator = Annotated[
    str,
    typer.Option(
        help="Method, such as hht, generalised_alpha or energy_preserving; auto: what has the"
        " least to do for a tolerance; ? lists them all.",
        autocompletion=method_names,
    ),
]
Alpha = Annotated[
    float | None,
    typer.Option(help="Damping of hht and acceleration_level, -1/3 (most) to 0.", show_default="-0.1"),
]
Rho = Annotated[
    float | None,
    typer.Option(help="Spectral radius of generalised_alpha and energy_decaying, 0 (most damping) to 1."),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--parameter", metavar="NAME=VALUE", help="Set any parameter of the method."),
]
Step = Annotated[
    float | None,
    typer.Option(help="Fixed step, or first step with --tolerance, s.", show_default="STEP of the case"),
]
Tolerance = Annotated[
    float | None,
    typer.Option(
        help="Wanted error of positions over the model's length, or in rad: the step is then chosen.",
        show_default="1e-6 if there is no step",
    ),
]
End = Annotated[float | None, typer.Option(help="Time to stop at, s.", show_default="END of the case")]
Interval = Annotated[
    float | None,
    typer.Option(help="Time between output rows, s.", show_default="INTERVAL of the case, or about 500 rows"),
]
Engine = Annotated[
    str,
    typer.Option(
        help="numeric; symbolic: the equations of this mechanism written out and compiled; auto: symbolic"
        " where a run is long enough to earn it back.",
        autocompletion=lambda: ["auto", "numeric", "symbolic"],
    ),
]
