"""Results in the formats of other programs."""

from flexnet.results.export import adams_tab, csv_file, json_file  # each enters its format
from flexnet.results.export.registry import FORMATS, Format, export_channels, export_format

__all__ = ["FORMATS", "Format", "adams_tab", "csv_file", "export_channels", "export_format", "json_file"]
