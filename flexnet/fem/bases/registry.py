"""The registry of bases: what a body can be reduced to, a page each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from flexnet.errors import FlexnetError
from flexnet.fem.factor import Factor
from flexnet.fem.reduction import FAMILIES, Basis, Reduction
from flexnet.fem.structure import Structure


class Make(Protocol):
    """What a page of a basis is: a function of a supported body."""

    __name__: str

    def __call__(self, structure: Structure, reduction: Reduction, factor: Factor | None) -> Basis:
        """Return the shapes, roughly orthonormal in M and diagonal in K."""


@dataclass(frozen=True, slots=True)
class Family:
    """A page of the registry, and what it promises.

    Attributes
    ----------
    make : the function of the page.
    answers : loads whose static answer is exact whatever the number of modes: ``frames`` (on attachment
        frames, the support held), ``balanced`` (on frames, in balance with the inertia of the rigid motion
        they cause), ``gravity`` (any acceleration and angular acceleration of the frame), ``rotation``.
    needs_frames : whether it has nothing to say of a body without attachment frames.
    has_eigenmodes : whether ``frequency_limit`` and lists of modes mean something to it.
    """

    make: Make
    answers: frozenset[str]
    needs_frames: bool
    has_eigenmodes: bool

    @property
    def summary(self) -> str:
        """First sentence of the page's function."""
        return (self.make.__doc__ or "").strip().split("\n")[0]


LOADS = ("frames", "balanced", "gravity", "rotation")
BASES: dict[str, Family] = FAMILIES


def basis(*answers: str, needs_frames: bool = False, has_eigenmodes: bool = True) -> Callable[[Make], Make]:
    """Enter the function of a page under its name, with what it promises, see :class:`Family`."""

    def enter(make: Make) -> Make:
        name = make.__name__
        if name in BASES:
            raise FlexnetError(f"there already is a basis {name!r}")
        if not set(answers) <= set(LOADS):
            raise FlexnetError(f"basis {name!r} answers {answers}; there are {', '.join(LOADS)}")
        BASES[name] = Family(make, frozenset(answers), needs_frames, has_eigenmodes)
        return make

    return enter
