"""Which variants a study has: values of parameters, taken from lists, ranges and spreads by a rule.

A parameter is written as

    50:100:6       six values from 50 to 100, both included
    50:100         anything from 50 to 100, to be sampled
    9.81~0.02      normally distributed about 9.81 with the standard deviation 0.02, to be sampled
    1,2,5          these values; in Python any sequence of numbers, texts, True and False

and the rule is one of :data:`SAMPLINGS`.
"""

import ast
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from flexnet.errors import ModelError
from flexnet.typing import Array
from flexnet.validation import one_of, shown, whole

Value = float | int | str | bool
#: most variants of one study: what is left to do is kept as a list
MOST = 10_000_000


@dataclass(frozen=True, slots=True)
class Listed:
    """Values one after the other."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """Anything from ``low`` to ``high``."""

    low: float
    high: float

    def at(self, u: Array) -> Array:
        """The values at shares u of the range, in [0, 1)."""
        return self.low + (self.high - self.low) * u


@dataclass(frozen=True, slots=True)
class Spread:
    """Normally distributed about ``mean`` with the standard deviation ``sigma``."""

    mean: float
    sigma: float

    def at(self, u: Array) -> Array:
        """The values below which the share u of all lies."""
        from scipy.stats import norm

        # a share of zero would be at minus infinity
        out: Array = self.mean + self.sigma * norm.ppf(np.clip(u, 1e-12, 1 - 1e-12))
        return out


Wish = Listed | Range | Spread


@dataclass(frozen=True, slots=True)
class Plan:
    """The variants of a study.

    Attributes
    ----------
    names : of the parameters that vary.
    columns : values of each, one per variant.
    sampling, seed : how they were chosen.
    """

    names: tuple[str, ...]
    columns: tuple[tuple[Value, ...], ...]
    sampling: str = "grid"
    seed: int = 0

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, index: int) -> dict[str, Value]:
        return {name: column[index] for name, column in zip(self.names, self.columns, strict=True)}

    @property
    def digest(self) -> str:
        """Of all names and values."""
        return f"{zlib.crc32(json.dumps([self.names, self.columns]).encode()):08x}"


def make_plan(
    parameters: Mapping[str, Any], sampling: str = "grid", samples: int | None = None, seed: int = 0
) -> Plan:
    """Choose the variants.

    Parameters
    ----------
    parameters : by name, what each may be.
    sampling : name of a rule: one of :data:`SAMPLINGS`.
    samples : number of variants, where the rule samples.
    seed : of what is random; the same seed gives the same variants.

    Raises
    ------
    ModelError
        If a range is empty, a rule cannot use what it is given, or there is nothing to vary.
    """
    one_of(sampling, SAMPLINGS, "sampling")
    if not parameters:
        raise ModelError("a study varies at least one parameter; none is given")
    wishes = {name: read_wish(name, value) for name, value in parameters.items()}
    columns = SAMPLINGS[sampling](wishes, samples, whole(seed, "seed", 0))
    if len(columns[0]) > MOST:
        raise ModelError(f"the study has {len(columns[0])} variants; expected at most {MOST}")
    return Plan(tuple(wishes), tuple(columns), sampling, seed)


def read_wish(name: str, value: Any) -> Wish:
    """What a parameter may be, from a text as above or a sequence of values.

    Raises
    ------
    ModelError
        If it is neither, or empty.
    """
    if isinstance(value, str):
        return _parsed(name, value)
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    if not isinstance(value, Sequence):
        raise ModelError(f"parameter {name!r} is {shown(value)}; expected values, or a text such as '1:2:5'")
    values = [x.item() if isinstance(x, np.generic) else x for x in value]
    for x in values:
        if not isinstance(x, str | bool | int | float) or (isinstance(x, float) and not isfinite(x)):
            raise ModelError(f"parameter {name!r} has the value {shown(x)}; expected a number or a text")
    if not values:
        raise ModelError(f"the range of {name!r} is empty: it has no value")
    return Listed(tuple(values))


def _parsed(name: str, text: str) -> Wish:
    parts = text.split(":")
    if len(parts) == 1 and "~" in text:
        mean, sigma = _numbers(name, text, text.split("~"), 2)
        if not sigma > 0:
            raise ModelError(f"the range of {name!r} is empty: {text!r} has no positive standard deviation")
        return Spread(mean, sigma)
    if len(parts) == 1:
        return read_wish(name, [_literal(x.strip()) for x in text.split(",") if x.strip()])
    low, high, *count = _numbers(name, text, parts, 3)
    if not low < high:
        raise ModelError(f"the range of {name!r} is empty: {text!r} does not begin below its end")
    if not count:
        return Range(low, high)
    if count[0] != int(count[0]) or not 2 <= count[0] <= MOST:
        raise ModelError(
            f"the range of {name!r} is {shown(text)}; expected a whole number of 2 to {MOST} values"
        )
    return Listed(tuple(np.linspace(low, high, int(count[0])).tolist()))


def _numbers(name: str, text: str, parts: Sequence[str], most: int) -> list[float]:
    try:
        found = [float(part) for part in parts]
    except ValueError:
        found = []
    if not 2 <= len(found) <= most or not np.all(np.isfinite(found)):
        raise ModelError(
            f"the range of {name!r} is {shown(text)}; expected 'low:high:count', 'low:high', 'mean~sigma' or"
            " values between commas"
        )
    return found


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


# -- rules -------------------------------------------------------------------------------------


Columns = list[tuple[Value, ...]]
#: rules by name; each gives the columns of the plan from what is wished
SAMPLINGS: dict[str, Callable[[Mapping[str, Wish], int | None, int], Columns]] = {}


def _rule(name: str) -> Callable[[Any], Any]:
    def enter(function: Any) -> Any:
        SAMPLINGS[name] = function
        return function

    return enter


@_rule("grid")
def grid(wishes: Mapping[str, Wish], samples: int | None, seed: int) -> Columns:
    """Every value of each parameter with every value of the others, the last one fastest."""
    lists = [_values(name, wish, "grid") for name, wish in wishes.items()]
    _refuse_samples(samples, "grid")
    total = float(np.prod([float(len(values)) for values in lists]))
    if total > MOST:
        raise ModelError(f"the study has {total:.3g} variants; expected at most {MOST}")
    places = np.indices([len(values) for values in lists]).reshape(len(lists), -1)
    return [tuple(values[k] for k in row) for values, row in zip(lists, places.tolist(), strict=True)]


@_rule("list")
def in_turn(wishes: Mapping[str, Wish], samples: int | None, seed: int) -> Columns:
    """The first values of all parameters, then the second ones, and so on."""
    columns = [_values(name, wish, "list") for name, wish in wishes.items()]
    _refuse_samples(samples, "list")
    for name, column in zip(wishes, columns, strict=True):
        if len(column) != len(columns[0]):
            first = next(iter(wishes))
            raise ModelError(
                f"parameter {name!r} has {len(column)} values and {first!r} {len(columns[0])}; a list needs"
                " as many of each"
            )
    return columns


@_rule("latin_hypercube")
def latin_hypercube(wishes: Mapping[str, Wish], samples: int | None, seed: int) -> Columns:
    """Every parameter once in each of as many equal shares of its range as there are variants."""
    from scipy.stats import qmc

    n = _count(samples, "latin_hypercube")
    return _spread_out(wishes, qmc.LatinHypercube(len(wishes), rng=np.random.default_rng(seed)).random(n))


@_rule("sobol")
def sobol(wishes: Mapping[str, Wish], samples: int | None, seed: int) -> Columns:
    """Sobol's sequence, scrambled: even in every pair of parameters; powers of two are best."""
    import warnings

    from scipy.stats import qmc

    n = _count(samples, "sobol")
    with warnings.catch_warnings():
        # any number is allowed; the documentation says which are best
        warnings.filterwarnings("ignore", "The balance properties", UserWarning)
        shares = qmc.Sobol(len(wishes), rng=np.random.default_rng(seed)).random(n)
    return _spread_out(wishes, shares)


@_rule("random")
def random(wishes: Mapping[str, Wish], samples: int | None, seed: int) -> Columns:
    """Independent random values: plain Monte Carlo."""
    n = _count(samples, "random")
    return _spread_out(wishes, np.random.default_rng(seed).random((n, len(wishes))))


def _values(name: str, wish: Wish, rule: str) -> tuple[Value, ...]:
    if isinstance(wish, Listed):
        return wish.values
    raise ModelError(
        f"parameter {name!r} has no number of values, as {rule!r} needs; write low:high:count, or choose"
        " another sampling"
    )


def _count(samples: int | None, rule: str) -> int:
    if samples is None:
        raise ModelError(f"sampling {rule!r} needs the number of variants: samples")
    if (count := whole(samples, "samples", 1)) > MOST:
        raise ModelError(f"the study has {count} variants; expected at most {MOST}")
    return count


def _refuse_samples(samples: int | None, rule: str) -> None:
    if samples is not None:
        raise ModelError(f"samples is {samples}, but sampling {rule!r} takes all values; leave it out")


def _spread_out(wishes: Mapping[str, Wish], shares: Array) -> Columns:
    """Values at shares (n, parameters) of what is wished; of a list the value into whose share it falls."""
    columns: Columns = []
    for wish, u in zip(wishes.values(), shares.T, strict=True):
        if isinstance(wish, Listed):
            columns.append(tuple(wish.values[int(x * len(wish.values))] for x in u))
        else:
            columns.append(tuple(wish.at(u).tolist()))
    return columns
