"""What a method of integration is, and the registry of all of them.

A page enters what makes its method with :func:`integrator`; command line, documentation and tests read
:data:`METHODS`, and nobody keeps a second list. A user's own page enters itself in the same way.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators.algebraic import consistent, sensing_row
from flexnet.integrators.magnitudes import sized
from flexnet.integrators.settings import Settings
from flexnet.validation import nearest, shown

if TYPE_CHECKING:
    from flexnet.integrators.march import March

#: what a method does to the energy of a conservative mechanism
Conduct = Literal["keeps", "removes", "errs"]


@dataclass(frozen=True, slots=True)
class Traits:
    """What a method declares of itself; :func:`flexnet.checks.check_method` measures it.

    Attributes
    ----------
    order : of the errors of q, v and λ at a time, as the step becomes smaller.
    index : of the equations it solves: 3 with constraints at position level, 2 at velocity level (or both),
        1 at acceleration level, 0 where independent velocities are integrated.
    is_adaptive : whether it can choose its step by a tolerance.
    is_fixed : whether it can keep a fixed step.
    energy : ``"keeps"`` the energy of a conservative mechanism, only ever ``"removes"`` some of it, or
        ``"errs"`` either way.
    needs_energy : whether the equations must give their energy.
    has_events : whether it stops at zeros inside a step.
    no_algebraic : why it cannot solve rows without a rate; empty if it does.
    senses : whether these rows may follow accelerations and loads: they are solved for together.
    eliminates : whether it eliminates unreduced bodies first, and makes no matrix of all coordinates.
    """

    order: tuple[int, int, int]
    index: int
    is_adaptive: bool = True
    is_fixed: bool = True
    energy: Conduct = "errs"
    needs_energy: bool = False
    has_events: bool = False
    no_algebraic: str = "advances rates alone"
    senses: bool = False
    eliminates: bool = False


class Method(ABC):
    """A method with its constants; frozen data.

    Attributes
    ----------
    name : what the user calls it.
    parameters : what the user chose, by name.
    """

    __slots__ = ()

    name: str

    @property
    @abstractmethod
    def parameters(self) -> Mapping[str, float]:
        """What the user chose, by name; written in result files."""

    @property
    @abstractmethod
    def traits(self) -> Traits:
        """What it declares of itself."""

    @abstractmethod
    def begin(self, dae: Dae, settings: Settings) -> "March":
        """A run of a DAE at its start."""


Make = TypeVar("Make", bound=Callable[..., Method])
#: every method by name: a function of its parameters, each with a value where none is given
METHODS: dict[str, Callable[..., Method]] = {}


def integrator(make: Make) -> Make:
    """Enter what makes a method: it is known by the name of the function, and told of by its text.

    Raises
    ------
    FlexnetError
        If another page has the name, or a parameter has no value of its own.
    """
    name = make.__name__
    if name in METHODS and METHODS[name].__module__ != make.__module__:
        raise FlexnetError(f"there already is an integrator {name!r}, of {METHODS[name].__module__}")
    bare = [p.name for p in inspect.signature(make).parameters.values() if p.default is p.empty]
    if bare:
        raise FlexnetError(f"integrator {name!r}: parameter {bare[0]!r} needs a value for when none is given")
    METHODS[name] = make
    return make


def numbers_of(name: str) -> tuple[str, ...]:
    """Names of the numbers a method is made from, in their order: those it tells of as its parameters."""
    told = METHODS[name]().parameters
    return tuple(key for key in inspect.signature(METHODS[name]).parameters if key in told)


def summary(name: str) -> str:
    """First sentence of what makes a method."""
    return (METHODS[name].__doc__ or "").strip().split("\n")[0]


def begin(dae: Dae, method: Any, settings: Settings) -> "March":
    """A run of a DAE at its start."""
    if not isinstance(method, Method):
        known = ", ".join(f"fx.{name}()" for name in METHODS)
        name = method if isinstance(method, str) and method in METHODS else getattr(method, "__name__", "")
        hint = f"; call it: fx.{name}()" if name else nearest(method, METHODS)
        raise FlexnetError(f"the method is {shown(method)}; expected one of {known}{hint}")
    traits = method.traits
    if dae.events is not None and not traits.has_events:
        known = ", ".join(f"fx.{name}()" for name, make in METHODS.items() if make().traits.has_events)
        raise FlexnetError(f"{method.name} passes over events; those that do not are {known}")
    if dae.unreduced is not None and not traits.eliminates:
        known = ", ".join(f"fx.{name}()" for name, make in METHODS.items() if make().traits.eliminates)
        raise FlexnetError(
            f"{method.name} makes a matrix of all {dae.n_v} coordinates, too large with unreduced bodies;"
            f" those that eliminate them first are {known}"
        )
    if dae.unreduced is not None and dae.events is not None:
        raise FlexnetError('unreduced bodies do not go with events; reduce them (modes="auto")')
    if traits.needs_energy and dae.energy is None:
        raise FlexnetError(f"{method.name} needs the energy of the equations; they do not give it")
    if dae.is_algebraic.any():
        if traits.no_algebraic:
            first = dae.equations[dae.n_v - dae.n_z + int(np.argmax(dae.is_algebraic))]
            raise FlexnetError(
                f"{method.name} {traits.no_algebraic}, so not the algebraic unknown {first!r}; take hht(-0.1)"
                " or generalised_alpha(0.8)"
            )
        sensing = "" if traits.senses else sensing_row(dae)
        if sensing:
            raise FlexnetError(
                f"the algebraic unknown {sensing!r} follows accelerations or loads, which {method.name} finds"
                " after it; take hht(-0.1) or generalised_alpha(0.8), or give it a rate (fx.lag)"
            )
        dae = consistent(dae)
    if settings.tolerance is not None and not traits.is_adaptive:
        raise FlexnetError(f"{method.name} keeps a fixed step: give a step, and no tolerance")
    is_fixed = traits.is_fixed and settings.tolerance is None
    if not is_fixed and dae.wakes is not None and settings.end > dae.t:
        found = dae.wakes(dae.t, settings.end, settings.step)
        settings = replace(settings, landings=tuple((float(at), float(after)) for at, after in found))
    return method.begin(sized(dae, settings, is_fixed), settings)
