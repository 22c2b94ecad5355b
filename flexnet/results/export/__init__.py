"""Results in the formats of other programs."""

from flexnet.results.export.registry import FORMATS, export_channels

__all__ = ["FORMATS", "export_channels"]
