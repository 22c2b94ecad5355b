"""The one coordinate of a joint, which stops, friction and other elements ride on."""

from flexnet.components.component import Component
from flexnet.components.registry import Mechanism
from flexnet.errors import ModelError
from flexnet.typing import Array


def one_coordinate(system: Mechanism, joint: str, what: str, verb: str) -> tuple[Component, Array, bool]:
    """A joint, the axis of its one coordinate in the tail frame, and whether it turns about it.

    Raises
    ------
    ModelError
        If it has none, or several: there is nothing for ``what`` to ``verb``.
    """
    carrier = system.joint(joint, what)
    translation, about = carrier.terminal.translation, carrier.terminal.single_axis
    slides = () if translation is None else translation.free
    if about is not None and not slides:
        return carrier, about, True
    if len(slides) == 1 and about is None:
        return carrier, slides[0].vector, False
    raise ModelError(f"{what}: joint {joint!r} has no single coordinate to {verb}")
