"""Case files: found by path, imported as a module, built with the parameters the user sets."""

import ast
import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from flexnet.cache import load, save
from flexnet.errors import FlexnetError, ModelError
from flexnet.examples import examples
from flexnet.system import System
from flexnet.validation import existing_file, nearest, shown

if TYPE_CHECKING:
    from flexnet.results import Results

#: kind of what the cache keeps: case files by the hash of their models
_CASES = "cases"


def load_case(path: str | Path) -> ModuleType:
    """Import a case file as a module.

    Raises
    ------
    ModelError
        If there is no such file, it is not Python, it fails, or it has no function ``build``.
    """
    module = load_page(path)
    if not callable(getattr(module, "build", None)):
        raise ModelError(f"case file {str(path)!r} has no function build() that returns a System")
    return module


def load_page(path: str | Path) -> ModuleType:
    """Import a file of the user: a case, or a page that enters methods, formats, readers or tree rules.

    Raises
    ------
    ModelError
        If there is no such file, it is not Python, or it fails.
    """
    file = Path(path)
    try:
        existing_file(file, ModelError)
    except ModelError as error:
        raise ModelError(f"there is no case file {shown(str(file))}{_nearby(file)}") from error
    if file.suffix != ".py":
        raise ModelError(f"case file {str(file)!r} is not a Python file")
    name = f"flexnet_case_{file.stem}"
    spec = spec_from_file_location(name, file)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and annotations of the case look their module up
    try:
        # from its source: bytecode kept beside it would hide an edit of the same length within a second
        exec(compile(file.read_bytes(), str(file), "exec", dont_inherit=True), module.__dict__)
    except FlexnetError:
        raise
    except Exception as error:
        raise ModelError(f"case file {str(file)!r} fails: {_told(error, file)}") from error
    return module


def build_case(path: str | Path, settings: Sequence[str] = ()) -> System:
    """Build the System of a case file.

    Parameters
    ----------
    path : the case file.
    settings : parameters of its ``build`` as ``name=value``, the value a Python literal.
    """
    return build_system(load_case(path), path, settings)


def build_system(module: ModuleType, path: str | Path, settings: Sequence[str] = ()) -> System:
    """Build the System of a case file that has been imported."""
    parameters = inspect.signature(module.build).parameters
    values = parse_settings(settings, parameters)
    try:
        system = module.build(**values)
    except FlexnetError:
        raise
    except Exception as error:
        raise ModelError(f"build() of {str(path)!r} fails: {_told(error, Path(path))}") from error
    if not isinstance(system, System):
        raise ModelError(f"build() of {str(path)!r} must return a System, not {type(system).__name__}")
    built = {name: p.default for name, p in parameters.items()} | values
    system.parameters |= {k: x for k, x in built.items() if isinstance(x, str | int | float)}
    return system


def build_as(
    path: str | Path, known: Mapping[str, str | int | float], settings: Sequence[str] = ()
) -> System:
    """Build the System of a case file with parameters a result file remembers, ``settings`` before them."""
    module = load_case(path)
    parameters, given = (
        inspect.signature(module.build).parameters,
        {s.partition("=")[0].strip() for s in settings},
    )
    told = []
    for name, value in known.items():
        if name in parameters and name not in given:
            told.append(f"{name}={bool(value) if isinstance(parameters[name].default, bool) else value!r}")
    return build_system(module, path, [*told, *settings])


def remember_case(digest: str, case: Path) -> None:
    """Keep in the user's cache which case file a model was built from, for :func:`case_of`."""
    save(_CASES, digest, os.fsencode(case.absolute()))


def case_of(results: "Results", case: Path | None) -> Path:
    """Return the case file of a result file: the one given, or the one this user ran its model from.

    A case is a program, so that a result file, which may come from anywhere, has no say in which one runs.

    Raises
    ------
    ModelError
        If its model was not run here, or its case is gone.
    """
    if case is not None:
        return case
    told = load(_CASES, str(results.attributes["model_hash"]))
    if told is None:
        raise ModelError(f"the model of {results.path} was not run here; its case is needed: --case CASE.py")
    found = Path(os.fsdecode(told))
    if not found.is_file():
        raise ModelError(
            f"the case that {results.path} was run from, {shown(str(found))}, is no longer there:"
            " --case CASE.py"
        )
    return found


def parse_settings(settings: Sequence[str], parameters: Mapping[str, inspect.Parameter]) -> dict[str, Any]:
    """Turn ``name=value`` texts into arguments of a function with these parameters."""
    values: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        name = name.strip()
        if not equals or not name:
            raise ModelError(f"--set needs name=value, got {setting!r}")
        if name not in parameters:
            raise ModelError(f"the case has no parameter {name!r}{_hint(name, parameters)}")
        if name in values:
            raise ModelError(f"parameter {name!r} is set twice")
        values[name] = _value(name, text.strip(), parameters[name])
    missing = [
        name
        for name, p in parameters.items()
        if p.default is p.empty and name not in values and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    if missing:
        raise ModelError(f"the case needs a value for {missing[0]!r}: --set {missing[0]}=…")
    return values


def _value(name: str, text: str, parameter: inspect.Parameter) -> Any:
    """Read a literal; check that it is of the kind of the parameter's own value, or a word it takes, too."""
    default, is_word = parameter.default, "str" in str(parameter.annotation).split(" | ")
    if is_word and text.isidentifier():
        return text
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        if isinstance(default, str):
            return text
        raise ModelError(
            f"--set {name}={text}: the value is not a number, text, list, True or False"
        ) from None
    wanted = _kind(default)
    if wanted and wanted != _kind(value):
        raise ModelError(f"--set {name}={text}: the value must be {wanted}, as in {name}={default!r}")
    return value


def _kind(value: Any) -> str:
    """Kind of a value as a person calls it; empty where nothing is known about it."""
    if isinstance(value, bool):
        return "True or False"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, list | tuple):
        return "a list"
    return ""


def _hint(name: str, parameters: Mapping[str, Any]) -> str:
    near = get_close_matches(name, parameters, 1)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; it has {', '.join(parameters)}" if parameters else "; it has none"


def _nearby(file: Path) -> str:
    names = [p.stem for p in file.parent.glob("*.py")] if file.parent.is_dir() else []
    near = get_close_matches(file.stem, names, 1)
    if near:
        return f"; did you mean {str(file.parent / near[0]) + '.py'!r}?"
    is_example = file.stem in (each.name for each in examples())
    return f"; an example is run by: flexnet examples run {file.stem}" if is_example else ""


def _told(error: Exception, file: Path) -> str:
    """What went wrong, and on which line of the case file."""
    line = error.lineno if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(file):
            line = trace.tb_lineno
        trace = trace.tb_next
    where = f" (line {line})" if line else ""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    if isinstance(error, AttributeError) and error.name and "did you mean" not in text:
        text += nearest(error.name, dir(error.obj))
    return f"{type(error).__name__}: {text}{where}"
