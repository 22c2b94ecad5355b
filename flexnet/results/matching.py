"""Which channel of a result is which column of a reference."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from shlex import quote

from flexnet.errors import ResultError
from flexnet.results.channel_set import ChannelSet


def plain_name(name: str) -> str:
    """Return a name in lower case with everything but letters and digits as underscores."""
    return re.sub(r"\W", "_", name).lower()


def match_channels(
    result: ChannelSet,
    reference: ChannelSet,
    chosen: Mapping[str, str] | None = None,
    is_all: bool = False,
) -> dict[str, str]:
    """Pair the channels of a result with the columns of a reference.

    Parameters
    ----------
    result, reference : what is compared.
    chosen : columns by channel; if given, nothing else is compared.
    is_all : pair every column of the reference, and not only those that were asked for.

    Returns
    -------
    Column of the reference by channel of the result.

    Notes
    -----
    Without a choice, a column matches a channel if its name, or the end of its dotted full name, is the
    channel's, apart from case and punctuation: ``.model.run.frames_A_position.x`` is
    ``frames/A/position/x``. A column takes the channel with the longest such name; a tie, or a channel
    claimed twice, is left out. Where no column is found so, the ends of the channels' names are tried.

    Raises
    ------
    ResultError
        If a chosen name does not exist, or nothing matches.
    """
    if chosen:
        for channel, column in chosen.items():
            result.channel(channel)
            reference.channel(column)
        return dict(chosen)
    columns = reference.meant(is_all)
    found = _paired(columns, result.names())
    if not found:
        back = _paired(result.meant(is_all), columns)
        found = {channel: column for column, channel in back.items()}
    if not found:
        raise ResultError(
            f"no channel of {result.path} has the name of a column of {reference.path}; "
            f"say which is which with --map channel=column{_hint(result, columns)} "
            f"(columns: {_some(columns)}; channels: {_some(result.names())})"
        )
    return {name: found[name] for name in result.names() if name in found}


def _paired(columns: Sequence[str], channels: Sequence[str]) -> dict[str, str]:
    """Column by channel, where the end of the column's dotted name is the channel's and no other's."""
    plain: dict[str, list[str]] = {}
    for name in channels:
        plain.setdefault(plain_name(name), []).append(name)
    pairs: dict[str, list[str]] = {}
    for column in columns:
        if (match := _longest(column, plain)) is not None:
            pairs.setdefault(match, []).append(column)
    return {channel: matches[0] for channel, matches in pairs.items() if len(matches) == 1}


def _longest(column: str, plain: Mapping[str, list[str]]) -> str | None:
    """Return the one channel whose name is the longest end of a column's dotted name."""
    parts = column.split(".")
    for k in range(len(parts)):
        names = plain.get(plain_name(".".join(parts[k:])), [])
        if names:
            return names[0] if len(names) == 1 else None
    return None


def _hint(result: ChannelSet, columns: Sequence[str]) -> str:
    """Options to type for the names that are most alike, as far as any are."""
    bare = {_bare(name): name for name in reversed(result.names())}
    options = []
    for column in columns:
        for near in get_close_matches(_bare(column), bare, 1, cutoff=0.6):
            options.append(f"--map {quote(f'{bare[near]}={column}')}")
    return f", perhaps {' '.join(options[:3])}" if options else ""


def _bare(name: str) -> str:
    """Last part of a name, without the unit at its end, apart from case and punctuation."""
    return plain_name(re.sub(r"\s*[\[(].*$", "", name).split(".")[-1])


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
