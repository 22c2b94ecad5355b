"""The registries of this room: every component, and every method by which a System adds one.

A page enters itself, and nobody keeps a second list: System, command line, documentation and tests read
these.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from flexnet.components.component import Component
from flexnet.components.force_element import ForceElement
from flexnet.components.frame import Frame
from flexnet.graph import Kind

Page = TypeVar("Page", bound=type)
Make = TypeVar("Make", bound=Callable[..., Any])

#: every component by the name of its class
COMPONENTS: dict[str, type] = {}
#: what makes components, by the name of the System's method: functions of a name, frames and numbers, and
#: first of the ``system`` itself where they ask for it
BUILDERS: dict[str, Callable[..., Component]] = {}


#: where flexnet's own pages are
_HERE = f"{__name__.rpartition('.')[0]}."
#: arguments of a joint that is two frames and axes in them
_BY_AXES = {"name", "tail", "head", "axis", "axis_1", "axis_2", "slot"}


class Mechanism(Protocol):
    """What a builder may ask of the system it builds for."""

    is_planar: bool
    components: dict[str, Component]
    elements: dict[str, Any]

    @property
    def datum(self) -> Frame:
        """The frame of the ground."""

    def joint(self, name: str, what: str) -> Component:
        """The joint of a name, asked for by ``what``."""

    def event(self, name: str, signal: Any, action: Any, direction: Any = "either") -> Any:
        """Let something happen where a signal passes zero."""


def component(page: Page) -> Page:
    """Enter a component in the registry."""
    COMPONENTS[page.__name__] = page
    return page


def comes_with_flexnet(kind: type) -> bool:
    """Whether a class is a page of flexnet: of its fields alone follows what it does.

    A user's page may read whatever stands around it, which changes from one System to the next: what it
    answered before is not remembered.
    """
    return kind.__module__.startswith(_HERE)


def spoken(part: Component) -> str:
    """What a person reads for a component: what an element calls itself, else its class in words."""
    if isinstance(part, ForceElement) and part.called != ForceElement.noun:
        return part.called
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(part).__name__).lower()


def builder(make: Make) -> Make:
    """Enter a function that makes a component: System gets a method of its name, arguments and text."""
    BUILDERS[make.__name__] = make
    return make


def joints_by_axes() -> dict[str, Callable[..., Component]]:
    """Builders of joints that are two frames and axes in them, nothing else; ``axis`` is z if left out."""
    joints, out = of_kind(Kind.JOINT).values(), {}
    for key, make in BUILDERS.items():
        signature = inspect.signature(make)
        if signature.return_annotation in joints and set(signature.parameters) <= _BY_AXES:
            out[key] = make
    return out


def joint_like(like: str, name: str, tail: Frame, head: Frame, axes: Mapping[str, Any]) -> Component | None:
    """The joint of a name of :func:`joints_by_axes`; None if it is none of them."""
    make = joints_by_axes().get(like)
    if make is None:
        return None
    has_axis = "axis" in inspect.signature(make).parameters
    return make(name, tail, head, **({"axis": "z", **axes} if has_axis else axes))


def of_kind(kind: Kind) -> Mapping[str, type]:
    """Components of one kind, by their names."""
    return {name: page for name, page in COMPONENTS.items() if page.kind is kind}  # type: ignore[attr-defined]
