"""``flexnet channels``: what any result or reference file contains."""

from flexnet.cli.console import show_table
from flexnet.cli.options import AnyFile, Steps, Units, named_values


def channels(file: AnyFile, unit: Units = None, steps: Steps = None) -> None:
    """List the channels of a result or reference file, with units."""
    from flexnet.results.readers import read_channels

    found = read_channels(file, named_values(unit, "--unit"), steps)
    rows = [(c.name, c.unit or "?", c.kind, c.description) for c in found.channels]
    show_table(("channel", "unit", "kind", "description"), rows, f"{file} ({found.format})")
    told = [(key, value) for key, value in found.provenance.items() if value]
    if told:
        show_table(("provenance", ""), told)
