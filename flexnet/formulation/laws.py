"""What laws of force elements are called with, and what is made of their answers, in both engines.

A field of an element that is a number, a known function or a formula becomes an expression: an argument of
a family, or a parameter of the equations. Everything else stays what it is.
"""

import itertools
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from numbers import Number
from types import SimpleNamespace
from typing import Any

import numpy as np

from flexnet.algebra import ZERO3, Expr, Node, TracedFunction, add, negative, symbols, traced
from flexnet.components import TimeFunction
from flexnet.components.force_element import Action, ForceElement, Motion, tail_torque, total_power
from flexnet.errors import FlexnetError, ModelError
from flexnet.typing import Array
from flexnet.validation import shown

#: what a user's formula is of
_OF = ("x", "v", "t")
#: a user's formula of three numbers is held against its trace here
_SAMPLES = (
    (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.37, -1.3, 0.9),
    (-2.1, 0.45, 3.7), (1e-3, -2e-3, 0.1), (7.3, 11.0, 23.0), (-0.02, -0.3, 0.5),
)  # fmt: skip


@dataclass(slots=True)
class Data:
    """How the data of an element become what its law reads.

    Attributes
    ----------
    number : an expression for a number that is not zero: its field, its indices, its value.
    function : an expression for a known function: its field, its index if there are several.
    direction : an expression for an entry of a direction.
    formula : an expression for a user's function that cannot be traced, of three expressions.
    """

    number: Callable[[str, tuple[int, ...], float], Expr]
    function: Callable[[str, int | None, TimeFunction], Expr]
    direction: Callable[[str, tuple[int, ...], float], Expr]
    formula: Callable[[str, Any], Callable[[Expr, Expr, Expr], Expr]]

    def read(self, element: ForceElement) -> Any:
        """All fields of an element by their names."""
        return SimpleNamespace(
            **{f.name: self._field(element, f.name, f.type) for f in fields(element) if f.name not in _ENDS}
        )

    def _field(self, element: ForceElement, name: str, kind: Any) -> Any:
        value = getattr(element, name)
        if isinstance(value, TimeFunction):
            return self.function(name, None, value)
        if isinstance(value, tuple) and value and all(isinstance(x, TimeFunction) for x in value):
            return tuple(self.function(name, i, x) for i, x in enumerate(value))
        numbers = as_numbers(value, kind)
        if numbers is not None:
            return self._numbers(element, name, numbers)
        if is_sympy(value):
            return self._opened(name, _of_sympy(element, value))
        if callable(value):
            made = traced(value, _OF, _SAMPLES)
            return self._opened(name, made) if made else self.formula(name, value)
        return value

    def _opened(self, name: str, made: TracedFunction) -> TracedFunction:
        """A user's formula whose numbers are numbers of the element, in the order in which they come."""
        count = itertools.count(1)
        return made.opened(lambda x: self.number(f"{name}_{next(count)}", (), x))

    def _numbers(self, element: ForceElement, name: str, values: Array) -> Any:
        """Expressions in the shape of an array; a symmetric matrix has its entries once."""
        make = self.direction if name in element.directions else self.number
        made: dict[tuple[int, ...], Expr] = {}
        is_symmetric = _is_symmetric(values)
        for where in np.ndindex(*values.shape):
            first = tuple(sorted(where)) if is_symmetric else where
            if first not in made:
                x = float(values[where])
                made[first] = 0 if x == 0.0 else make(name, first, x)
            made[where] = made[first]
        return _nested(made, values.shape)


_ENDS = ("name", "tail", "head")


def as_numbers(value: Any, kind: Any) -> Array | None:
    """Numbers of a field that has some: a float, or an array or sequence of floats."""
    is_float = isinstance(value, float) or (kind in (float, "float") and isinstance(value, int | np.number))
    if is_float or (isinstance(value, np.ndarray) and value.dtype.kind in "fi"):
        return np.asarray(value, dtype=float)
    if isinstance(value, tuple | list) and value and all(isinstance(x, float) for x in value):
        return np.array(value, dtype=float)
    return None


def _is_symmetric(values: Array) -> bool:
    return values.ndim == 2 and values.shape[0] == values.shape[1] and bool((values == values.T).all())


def _nested(made: dict[tuple[int, ...], Expr], shape: tuple[int, ...], before: tuple[int, ...] = ()) -> Any:
    if not shape:
        return made[before]
    return tuple(_nested(made, shape[1:], (*before, i)) for i in range(shape[0]))


def is_sympy(value: Any) -> bool:
    """Whether a value is a sympy expression; there is none where sympy was never imported."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Basic)


def _of_sympy(element: ForceElement, value: Any) -> TracedFunction:
    from flexnet.algebra.exchange import from_sympy

    unknown = {str(s) for s in value.free_symbols} - set(_OF)
    if unknown:
        raise ModelError(f"law of {element.name!r} contains {sorted(unknown)}; it may contain x, v and t")
    inputs = symbols(" ".join(_OF))
    return TracedFunction(inputs, from_sympy(value, dict(zip(_OF, inputs, strict=True))))


# -- answers -----------------------------------------------------------------------------------


def wrench(element: ForceElement, motion: Motion, load: Action) -> list[Expr]:
    """Force and torque on the head, force and torque on the tail."""
    back = ZERO3 if element.acts_from_datum else negative(load.force)
    return [*load.force, *load.torque, *back, *tail_torque(element, motion, load)]


def energies(element: ForceElement, motion: Motion, load: Action, rate: Callable[[Expr], Expr]) -> list[Expr]:
    """Potential, power of what neither stores nor damps, power of damping; ``rate`` is d/dt."""
    power = load.power
    if power is None:
        stored = 0 if type(load.potential) is not Node else rate(load.potential)
        power = add(total_power(element, motion, load), stored, load.dissipation)
    return [load.potential, power, -load.dissipation]


def answer(element: ForceElement, motion: Motion, p: Any, t: Expr) -> Action:
    """What the law of an element gives, checked."""
    try:
        load = element.law(motion, p, t)
    except FlexnetError:
        raise
    except Exception as error:  # a user's own page may do anything
        raise ModelError(f"law of {element.name!r} {_why(element, p, error)}") from error
    if not isinstance(load, Action):
        raise ModelError(f"law of {element.name!r} gives {type(load).__name__}; expected an Action")
    for name in ("force", "torque", "tail_torque"):
        given = getattr(load, name)
        if given is not None and not (len(given) == 3 and all(isinstance(x, Node | Number) for x in given)):
            raise ModelError(
                f"law of {element.name!r} gives the {name} {shown(given)}; expected three numbers or"
                " expressions"
            )
    return load


def _why(element: ForceElement, p: Any, error: Exception) -> str:
    """Why a law cannot be traced, and what to do."""
    if isinstance(error, AttributeError) and error.obj is p:
        names = [f.name for f in fields(element) if f.name not in _ENDS]
        return (
            f"asks for p.{error.name}, which is no field of {type(element).__name__}"
            f" ({', '.join(names) or 'it has none'}): write it under @dataclass(frozen=True) with its type,"
            f" as {error.name}: float"
        )
    return (
        f"cannot be traced ({type(error).__name__}: {error}); it is law(self, motion, p, t), written with the"
        " functions of flexnet.algebra: sqrt, tanh, where, …"
    )
