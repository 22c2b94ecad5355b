"""One face for every kind of file: a list of channels, read one by one when asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from flexnet.errors import ResultError
from flexnet.results.series import Channel, Series


@dataclass(frozen=True, slots=True, eq=False)
class ChannelSet:
    """The channels of one file.

    Parameters
    ----------
    path : where they come from.
    format : kind of file, such as ``"Adams results (XRF)"``.
    channels : what can be read, each name once.
    load : returns the history of a channel by name.
    provenance : what the file says of its origin: program, model, date.
    asked : names of the channels its author asked for; empty if nothing sets them apart.
    stretch : returns some rows of a history, of a file that need not be read as a whole.
    """

    path: Path
    format: str
    channels: tuple[Channel, ...]
    load: Callable[[str], Series] = field(repr=False)
    provenance: Mapping[str, str] = field(default_factory=dict)
    asked: tuple[str, ...] = ()
    stretch: Callable[[str, slice], Series] | None = field(default=None, repr=False)

    def names(self) -> tuple[str, ...]:
        """List the names of the channels."""
        return tuple(channel.name for channel in self.channels)

    def meant(self, is_all: bool = False) -> tuple[str, ...]:
        """Names of the channels that are meant where none is named: those asked for, or all."""
        return self.names() if is_all or not self.asked else self.asked

    def channel(self, name: str) -> Channel:
        """Return what a channel is.

        Raises
        ------
        ResultError
            If there is none of that name; the nearest names are given.
        """
        for channel in self.channels:
            if channel.name == name:
                return channel
        near = get_close_matches(name, self.names(), n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "flexnet channels lists them"
        raise ResultError(f"{self.path}: no channel {name!r} among {len(self.channels)}; {hint}")

    def read(self, name: str, rows: slice | None = None) -> Series:
        """Read the history of one channel, or some rows of it."""
        self.channel(name)
        if rows is not None and self.stretch is not None:
            return self.stretch(name, rows)
        return self.load(name) if rows is None else self.load(name).rows(rows)
