"""Tables are computed once: a folder of files named by what they were made from."""

import logging
import os
from pathlib import Path

from flexnet.errors import FileFormatError
from flexnet.fem.body import Body
from flexnet.fem.flex_table import FlexTable
from flexnet.fem.reduction import Reduction
from flexnet.fem.table_builder import TableOptions, build_table, table_key
from flexnet.fem.table_file import read_table, write_table

logger = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Return the folder of cached tables: $FLEXNET_CACHE, else the user's cache folder."""
    if chosen := os.environ.get("FLEXNET_CACHE"):
        return Path(chosen) / "tables"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "flexnet" / "tables"


def flex_table(
    body: Body,
    reduction: Reduction,
    options: TableOptions | None = None,
    folder: str | Path | None = None,
) -> FlexTable:
    """Return the table of a body, from the cache if the same was computed before.

    Parameters
    ----------
    body, reduction, options : what the table is made from; any change of them makes a new table.
    folder : where tables are kept, :func:`cache_folder` if not given.
    """
    options = options or TableOptions()
    key = table_key(body, reduction, options)
    path = Path(folder or cache_folder()) / f"{key}.h5"
    if path.is_file():
        try:
            table = read_table(path)
            if table.key == key:
                return table
            logger.warning("%s holds another table than its name says; computing it again", path)
        except FileFormatError as error:
            logger.warning("%s; computing the table again", error)
    table = build_table(body, reduction, options)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(path, table)
    except (OSError, FileFormatError) as error:
        logger.warning("the table could not be kept (%s)", error)
    return table
