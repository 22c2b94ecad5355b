"""Channels as a table for a page of text."""

from flexnet.results.export import export_format
from flexnet.results.export.columns import columns_of


@export_format("markdown", ".md", b"| time")
def write_markdown(file, channels, names=()):
    """Write the named channels, or all of them, to six digits."""
    columns = columns_of(channels, names)
    heads = ["time [s]", *(f"{c.name} [{c.unit}]" for c in columns.channels)]
    rows = [heads, ["---"] * len(heads)]
    rows += [[f"{x:.6g}" for x in (t, *row)] for t, row in zip(columns.time, columns.data, strict=True)]
    file.writelines("| " + " | ".join(row) + " |\n" for row in rows)
