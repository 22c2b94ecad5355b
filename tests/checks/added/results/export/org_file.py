"""Channels as a table of Org."""

from typing import Any

from flexnet.results.export.columns import columns_of
from flexnet.results.export.registry import export_format


@export_format("org", ".org", b"| time")
def write_org(file: Any, channels: Any, names: Any = ()) -> None:
    """Write the named channels, or all of them, to six digits."""
    c = columns_of(channels, names)
    heads = ["time [s]", *(f"{x.name} [{x.unit}]" for x in c.channels)]
    rows = [heads] + [[f"{x:.6g}" for x in (t, *row)] for t, row in zip(c.time, c.data, strict=True)]
    file.writelines("| " + " | ".join(row) + " |\n" for row in rows)
