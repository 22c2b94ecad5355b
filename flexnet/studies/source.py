"""What builds the variants: a function, or a case file, in a form that another process can be given.

A case file goes as its text: workers need not see the file, and one that is edited while a study runs does
not change the variants that are still to come.
"""

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from flexnet.errors import FlexnetError, ModelError, ResultError
from flexnet.signals.function_told import function_told
from flexnet.system import System
from flexnet.units import parse_unit
from flexnet.validation import existing_file, nearest

_loaded: dict[tuple[str, str], ModuleType] = {}


@dataclass(frozen=True, slots=True)
class Source:
    """Where Systems come from.

    Attributes
    ----------
    path, text : of a case file; empty where a function is given.
    function : that returns a System; None where a case file is given.
    fixed : parameters that are the same for all variants.
    """

    path: str = ""
    text: str = field(default="", repr=False)
    function: Callable[..., System] | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def build(self) -> Callable[..., System]:
        """The function that returns a System."""
        if self.function is not None:
            return self.function
        found = getattr(self.module, "build", None)
        if not callable(found):
            raise ModelError(f"case file {self.path!r} has no function build() that returns a System")
        return found  # type: ignore[no-any-return]  # whatever it is, what it returns is checked

    @property
    def module(self) -> ModuleType:
        """The case file as a module, executed once a process."""
        key = (self.path, self.text)
        if key not in _loaded:
            name = f"flexnet_case_{Path(self.path).stem}"
            module = ModuleType(name)
            module.__file__ = self.path
            sys.modules[name] = module  # dataclasses and annotations of the case look their module up
            try:
                exec(compile(self.text, self.path, "exec"), module.__dict__)
            except FlexnetError:
                raise
            except Exception as error:
                raise ModelError(f"case file {self.path!r} fails: {type(error).__name__}: {error}") from error
            _loaded[key] = module
        return _loaded[key]

    @property
    def constants(self) -> Mapping[str, Any]:
        """END, STEP and INTERVAL of a case file, and whatever else it says."""
        return {} if self.function is not None else vars(self.module)

    @property
    def told(self) -> str:
        """What builds a variant, with all it reads: the same in every process while nobody edits it."""
        return function_told(partial(self.build, **self.fixed))

    def check(self, names: tuple[str, ...]) -> None:
        """Refuse parameters that ``build`` does not have.

        Raises
        ------
        ModelError
            Naming the nearest one it has, or one that is missing.
        """
        known = inspect.signature(self.build).parameters
        takes_any = any(p.kind is p.VAR_KEYWORD for p in known.values())
        named = {n: p for n, p in known.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        for name in (*names, *self.fixed):
            if name not in named and not takes_any:
                hint = nearest(name, named) or f"; it has {', '.join(named) or 'none'}"
                raise ModelError(f"build() has no parameter {name!r}{hint}")
        twice = [name for name in names if name in self.fixed]
        if twice:
            raise ModelError(f"parameter {twice[0]!r} is varied and set to one value")
        missing = [n for n, p in named.items() if p.default is p.empty and n not in {*names, *self.fixed}]
        if missing:
            raise ModelError(f"build() needs a value for {missing[0]!r}")

    def system(self, values: Mapping[str, Any]) -> System:
        """One variant.

        Raises
        ------
        ModelError
            If ``build`` returns anything but a System.
        """
        given = {**self.fixed, **values}
        system = self.build(**given)
        if not isinstance(system, System):
            raise ModelError(f"build() must return a System, not {type(system).__name__}")
        system.parameters |= {k: x for k, x in given.items() if isinstance(x, str | int | float)}
        return system

    def described(self, name: str) -> tuple[str, str]:
        """Description and unit of a parameter as the docstring of ``build`` has them, or nothing."""
        lines = (inspect.getdoc(self.build) or "").splitlines()
        for k, line in enumerate(lines):
            names, colon, text = line.partition(" : ")
            if colon and name in [x.strip() for x in names.split(",")]:
                more = [x.strip() for x in lines[k + 1 :]]
                stops = [i for i, x in enumerate(lines[k + 1 :]) if not x.startswith("    ")]
                text = " ".join([text.strip(), *more[: stops[0] if stops else None]])
                return text, _unit_of(text)
        return "", ""


def read_source(build: Callable[..., System] | str | Path, fixed: Mapping[str, Any] | None) -> Source:
    """A function as it is, a case file with its text.

    Raises
    ------
    ModelError
        If there is no such file.
    """
    if callable(build):
        return Source(function=build, fixed=dict(fixed or {}))
    path = existing_file(build, ModelError)
    try:
        return Source(str(path), path.read_text(encoding="utf-8"), fixed=dict(fixed or {}))
    except UnicodeDecodeError as error:
        raise ModelError(f"case file {str(path)!r} is not a Python file") from error


def _unit_of(text: str) -> str:
    """What follows the last comma of the first sentence that ends in a unit; empty if none does."""
    for sentence in text.replace(";", ".").split(". "):
        unit = sentence.rstrip(" .").rpartition(", ")[2]
        try:
            parse_unit(unit)
        except ResultError:
            continue
        return unit
    return ""
