"""Datasets seen as channels: a vector has one per component, a quaternion is one orientation."""

from collections.abc import Iterator

from flexnet.results.series import ORIENTATION, SCALAR, Channel
from flexnet.store import Column


def is_orientation(path: str) -> bool:
    """Say whether a dataset holds unit quaternions."""
    return path.endswith("/quaternion")


def channels_of(column: Column) -> Iterator[tuple[Channel, int | None]]:
    """Yield the channels of a dataset, each with the component it takes, or ``None`` for all."""
    names, units = column.attributes.get("names", ()), column.attributes.get("units", ())
    unit = column.attributes.get("unit")
    unit = str(unit) if unit else None
    text = str(column.attributes.get("description", ""))
    assert isinstance(names, tuple)
    assert isinstance(units, tuple)
    if column.path == "time" or column.path.startswith("solver/memory/"):
        return
    if is_orientation(column.path):
        yield Channel(column.path, "1", ORIENTATION, text), None
    elif not column.shape:
        yield Channel(column.path.removeprefix("channels/"), unit, SCALAR, text), None
    else:
        for k, name in enumerate(names):
            yield Channel(f"{column.path}/{name}", units[k] if units else unit, SCALAR, text), k
