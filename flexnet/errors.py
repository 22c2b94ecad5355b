"""The exception family: every error a user can meet is a :class:`FlexnetError`; and warnings."""

import sys
import warnings


class FlexnetError(Exception):
    """Base of every error raised on purpose by flexnet."""


class GraphError(FlexnetError):
    """A linear graph or a spanning tree that is not one."""


class ModelError(FlexnetError):
    """A mechanism that cannot be: a bad component, name, parameter or connection."""


class AssemblyError(FlexnetError):
    """A configuration that cannot be closed, or a velocity that cannot be."""


class MeshError(FlexnetError):
    """A mesh that cannot be used: names the element, node or group."""


class FileFormatError(FlexnetError):
    """A file from outside that is not what it should be: names the file and the place."""


class StorageError(FlexnetError):
    """A file that cannot be written: names the path and the reason."""


class ResultError(FlexnetError):
    """A question that results cannot answer: an unknown channel, unit or time."""


class ConvergenceError(FlexnetError):
    """A computation that stopped before its end: names the time and the worst equation."""


def warn(text: str) -> None:
    """Warn at the line that called flexnet, however deep in flexnet this is said."""
    level, frame = 1, sys._getframe()
    while (above := frame.f_back) is not None and frame.f_globals.get("__name__", "").startswith("flexnet."):
        level, frame = level + 1, above
    warnings.warn(text, stacklevel=level)
