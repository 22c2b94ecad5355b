"""What comes in is checked at the door: names, numbers, texts and paths, each refused in one sentence."""

import math
import os
import stat
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from types import FunctionType
from typing import Any

from flexnet.errors import FlexnetError, ModelError

#: characters that mean something to LaTeX, HTML, shells, C or CSV; names go to all of them
MARKUP = frozenset('<>&"`$\\{}%^~;|')
LONGEST_NAME = 100
#: said where floating point ends in an error of Python or NumPy
OVERFLOW = "numbers are too large, too small or too far apart to be computed with"


def shown(value: object) -> str:
    """A value as it is shown in an error, in one short line."""
    try:
        plain = os.fspath(value) if isinstance(value, os.PathLike) else value
        text = f"the function {plain.__name__}" if isinstance(plain, FunctionType) else repr(plain)
        text = " ".join(text.split())
    except Exception:  # whatever an object of the user does; Python itself writes no number of 4301 digits
        text = f"a value of the type {type(value).__name__} that cannot be shown"
    return text if len(text) <= 60 else f"{text[:57]}…"


def needs(library: str, extra: str, what: str) -> None:
    """Refuse what a library that is not installed would do, and say how it comes.

    Raises
    ------
    FlexnetError
        If it is not installed.
    """
    from importlib.util import find_spec

    if find_spec(library) is None:
        raise FlexnetError(
            f"{what} need {library}, which is not installed; try: pip install 'flexnet[{extra}]'"
        )


def nearest(value: object, known: Iterable[str]) -> str:
    """The question whether a known word was meant; empty if none is near."""
    from difflib import get_close_matches  # rarely needed

    words = {word.lower(): word for word in known}
    near = get_close_matches(value.lower(), list(words), 1, 0.6) if isinstance(value, str) else []
    return f"; did you mean {words[near[0]]!r}?" if near else ""


def missing(of: object, name: str, instead: Mapping[str, str]) -> Any:
    """An attribute that is not there: what to use instead, or the nearest there is.

    Raises
    ------
    AttributeError
        Always, in words that are whole: Python adds none of its own.
    """
    if hasattr(type(of), name):  # it is there, and something was missing as it was made: that is the news
        return object.__getattribute__(of, name)
    hint = f"; use {instead[name]}" if name in instead else ""
    if not hint and not name.startswith("_"):
        hint = nearest(name, [word for word in dir(of) if not word.startswith("_")])
    raise AttributeError(f"{type(of).__name__} has no {name!r}{hint}", name=name, obj=None)


def one_of(value: object, known: Iterable[str], what: str) -> str:
    """A word out of several.

    Raises
    ------
    ModelError
        If it is none of them; the nearest is suggested.
    """
    words = list(known)
    if isinstance(value, str) and value in words:
        return value
    raise ModelError(
        f"{what} is {shown(value)}; expected {', '.join(map(repr, words))}{nearest(value, words)}"
    )


def is_finite(value: Real) -> bool:
    """Whether a number is one of floating point: not infinite, and no whole number too large for one."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def number(value: object, what: str, above: float = -math.inf, at_least: float = -math.inf) -> float:
    """A finite number within bounds.

    Parameters
    ----------
    value : what was given.
    what : what it is, for the error.
    above, at_least : its bounds.

    Raises
    ------
    ModelError
        If it is no number, not finite or out of bounds.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not is_finite(value):
        raise ModelError(f"{what} is {shown(value)}; expected a finite number")
    found = float(value)
    bounds = [f"above {above:g}"] * math.isfinite(above)
    bounds += [f"at least {at_least:g}"] * math.isfinite(at_least)
    if not (found > above and found >= at_least):
        raise ModelError(f"{what} is {shown(value)}; expected a number {' and '.join(bounds)}")
    return found


def whole(value: object, what: str, at_least: int) -> int:
    """A whole number not below a bound.

    Raises
    ------
    ModelError
        If it is anything else.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < at_least:
        raise ModelError(f"{what} is {shown(value)}; expected a whole number of at least {at_least}")
    return int(value)


def plain_text(value: object, what: str) -> str:
    """A text without control characters.

    Raises
    ------
    ModelError
        If it is no text, or holds a character that would steer a terminal or break a line.
    """
    if not isinstance(value, str) or not value.isprintable():
        raise ModelError(f"{what} is {shown(value)}; expected a text of one line without control characters")
    return value


def plain_name(value: object, what: str) -> str:
    """A name that may go into files, formulas, code and drawings as it is.

    Raises
    ------
    ModelError
        If it is no text, empty, too long, or holds control characters or markup.
    """
    if not isinstance(value, str) or not value.strip():
        raise ModelError(f"{what} is {shown(value)}; expected a name")
    if len(value) > LONGEST_NAME:
        raise ModelError(
            f"{what} has {len(value)} characters ({shown(value)}); expected at most {LONGEST_NAME}"
        )
    wrong = [c for c in value if c in MARKUP or not c.isprintable()]
    if wrong or value[0] in "=+-@" or value != value.strip():
        why = (
            f"without {wrong[0]!r}"
            if wrong
            else "that begins with a letter or digit and ends without a blank"
        )
        raise ModelError(f"{what} is {shown(value)}; expected a name {why}")
    return value


def existing_file(path: str | os.PathLike[str], error: type[FlexnetError]) -> Path:
    """A regular file that is there.

    Raises
    ------
    FlexnetError
        Of the given kind, if the path is missing, is a folder, a pipe or a device, or cannot be a path.
    """
    try:
        found = Path(path)
        mode = found.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise error(f"{path}: no such file") from None
    except (OSError, ValueError, TypeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise error(f"{shown(path)} cannot be read ({why})") from problem
    if stat.S_ISDIR(mode):
        raise error(f"{path}: is a folder, not a file")
    if not stat.S_ISREG(mode):
        raise error(f"{path}: not a regular file")
    return found


def place_to_write(path: Any, error: type[FlexnetError], ending: str = "") -> Path:
    """A path that a file could have, with something more at its end.

    Raises
    ------
    FlexnetError
        Of the given kind, if it could not.
    """
    try:
        found = Path(path)
        if not found.name:
            raise IsADirectoryError(0, "it is a folder")
        found = found.with_name(found.name + ending)
        found.exists()
    except (OSError, ValueError, TypeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise error(f"{shown(path)} cannot be written ({why})") from problem
    return found
