"""``flexnet channels``: what any result or reference file contains."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flexnet.cli.console import say, show_table
from flexnet.cli.options import AnyFile, Everything, Steps, Units, named_values

if TYPE_CHECKING:
    from flexnet.results.series import Channel

#: panel and place in the list of verbs
PLACE = "Look", 34


def channels(file: AnyFile, unit: Units = None, steps: Steps = None, everything: Everything = False) -> None:
    """List the channels of a result or reference file, with units.

    The channels of the case come first, one a line; what every run records of its frames, joints, bodies and
    energies follows in groups. --all lists each by its full name, as `flexnet plot` and `export` take it.
    """
    from flexnet.results.readers import read_channels

    found = read_channels(file, named_values(unit, "--unit"), steps)
    is_listed = [everything or "/" not in c.name for c in found.channels]
    rows = [
        (c.name, c.unit or "?", c.kind, c.description)
        for c, listed in zip(found.channels, is_listed, strict=True)
        if listed
    ]
    show_table(("channel", "unit", "kind", "description"), rows, f"{file} ({found.format})")
    others = [c for c, listed in zip(found.channels, is_listed, strict=True) if not listed]
    if others:
        show_table(("group", "of", "quantities"), _grouped(others), "recorded besides, GROUP/OF/QUANTITY")
        say("--all lists them by their full names")
    told = [(key, value) for key, value in found.provenance.items() if value]
    if told:
        show_table(("provenance", ""), told)


def _grouped(found: "Sequence[Channel]") -> list[tuple[str, str, str]]:
    """Rows of what is named ``group/of/quantity``: those that record the same are one row."""
    groups: dict[str, dict[str, dict[str, str | None]]] = {}
    for channel in found:
        group, *middle, last = channel.name.split("/")
        if last in ("x", "y", "z") and middle[1:]:
            last = f"{'/'.join(middle[1:])}/x y z"
            middle = middle[:1]
        name = "/".join(middle)
        groups.setdefault(group, {}).setdefault(name, {})[last] = channel.unit
    rows = []
    for group, members in groups.items():
        alike: dict[str, list[str]] = {}
        for member, quantities in members.items():
            said = ", ".join(f"{q} [{u}]" if u else q for q, u in quantities.items())
            alike.setdefault(said, []).append(member)
        rows += [(group, ", ".join(filter(None, names)), text) for text, names in alike.items()]
    return rows
