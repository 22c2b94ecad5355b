"""Tables are computed once: the cache keeps them under what they were made from."""

import logging
from io import BytesIO
from pathlib import Path

from flexnet.cache import folder_of, load, save
from flexnet.errors import FileFormatError
from flexnet.fem.body import Body
from flexnet.fem.flex_table import FlexTable
from flexnet.fem.reduction import UNREDUCED, Reduction
from flexnet.fem.table_builder import TableOptions, build_table, table_key
from flexnet.fem.table_file import read_table, table_bytes

logger = logging.getLogger(__name__)

KIND = "tables"


def cache_folder() -> Path:
    """Return the folder of cached tables: in $FLEXNET_CACHE, else in the user's cache folder."""
    return folder_of(KIND)


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
    if reduction.method == UNREDUCED:
        return build_table(body, reduction, options)  # as fast as a file that holds it
    key = table_key(body, reduction, options)
    place = Path(folder) if folder else cache_folder()
    if (kept := load(KIND, key, place)) is not None:
        try:
            table = read_table(BytesIO(kept))
            if table.key == key:
                return table
            logger.warning("a file of %s holds another table than was asked for; computing it again", place)
        except FileFormatError as error:
            logger.warning("%s; computing the table again", error)
    table = build_table(body, reduction, options)
    save(KIND, key, table_bytes(table), place)
    return table
