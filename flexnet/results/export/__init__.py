"""Results in the formats of other programs.

Every page of this folder is read when the folder is, and enters its format in :data:`FORMATS`.
"""

import pkgutil
from importlib import import_module

from flexnet.results.export.registry import FORMATS, Format, export_channels, export_format, format_by_ending

for _page in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_page.name}")

__all__ = ["FORMATS", "Format", "export_channels", "export_format", "format_by_ending"]
