"""Which channel of a result is which column of a reference."""

import re
from collections.abc import Mapping

from flexnet.errors import ResultError
from flexnet.results.channel_set import ChannelSet


def plain_name(name: str) -> str:
    """Return a name in lower case with everything but letters and digits as underscores."""
    return re.sub(r"\W", "_", name).lower()


def match_channels(
    result: ChannelSet, reference: ChannelSet, chosen: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Pair the channels of a result with the columns of a reference.

    Parameters
    ----------
    result, reference : what is compared.
    chosen : columns by channel; if given, nothing else is compared.

    Returns
    -------
    Column of the reference by channel of the result.

    Notes
    -----
    Without a choice, a column matches a channel if its name, or the end of its dotted full name, is the
    channel's, apart from case and punctuation: ``.model.run.frames_A_position.x`` is
    ``frames/A/position/x``. A column takes the channel with the longest such name; a tie, or a channel
    claimed twice, is left out.

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
    plain: dict[str, list[str]] = {}
    for name in result.names():
        plain.setdefault(plain_name(name), []).append(name)
    pairs: dict[str, list[str]] = {}
    for column in reference.names():
        if (match := _longest(column, plain)) is not None:
            pairs.setdefault(match, []).append(column)
    found = {channel: columns[0] for channel, columns in pairs.items() if len(columns) == 1}
    if not found:
        raise ResultError(
            f"no channel of {result.path} has the name of a column of {reference.path}; "
            f"say which is which with --map channel=column "
            f"(columns: {_some(reference)}; channels: {_some(result)})"
        )
    return {name: found[name] for name in result.names() if name in found}


def _longest(column: str, plain: Mapping[str, list[str]]) -> str | None:
    """Return the one channel whose name is the longest end of a column's dotted name."""
    parts = column.split(".")
    for k in range(len(parts)):
        names = plain.get(plain_name(".".join(parts[k:])), [])
        if names:
            return names[0] if len(names) == 1 else None
    return None


def _some(channels: ChannelSet) -> str:
    names = channels.names()
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
