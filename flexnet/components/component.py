"""What every component declares: its edge, its ends and its terminal equation.

A component is a page: frozen data, validated at construction, that says what it is. It does not know
who assembles it, and enters itself in the registry (:mod:`~flexnet.components.registry`).
"""

from typing import ClassVar, Protocol, runtime_checkable

from flexnet.components.frame import Frame
from flexnet.components.terminal import Terminal
from flexnet.errors import ModelError
from flexnet.graph import Kind


@runtime_checkable
class Component(Protocol):
    """The contract of every component that is an edge between two frames.

    Attributes
    ----------
    symbol : letter of the edge in the seeds (``m``, ``r``, ``h``, ``s``, …).
    kind : what tree selection takes the edge for.
    noun : what messages call it.
    acts_from_datum : acts on its head alone, as an applied force does; the tail is the ground.
    branch_coordinates : coordinates (translation, rotation) of a branch in space (Léger, table C.1).
    name : unique name.
    tail, head : frames the edge leaves and enters.
    """

    symbol: ClassVar[str]
    kind: ClassVar[Kind]
    noun: ClassVar[str]
    acts_from_datum: ClassVar[bool]

    @property
    def branch_coordinates(self) -> tuple[int, int]:
        """Coordinates (translation, rotation) of a branch in space."""

    @property
    def name(self) -> str:
        """Unique name of the component and its edge."""

    @property
    def tail(self) -> Frame:
        """Frame the edge leaves."""

    @property
    def head(self) -> Frame:
        """Frame the edge enters."""

    @property
    def terminal(self) -> Terminal:
        """Terminal equations of translation and rotation."""


def check_ends(what: str, name: str, tail: Frame, head: Frame) -> None:
    """Refuse a component between two frames of one body."""
    if tail.body == head.body:
        raise ModelError(f"{what} {name!r} connects two frames of body {tail.body!r}; it needs two bodies")
