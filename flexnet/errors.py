"""The exception family: every error a user can meet is a :class:`FlexnetError`."""


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
