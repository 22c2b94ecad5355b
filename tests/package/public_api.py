"""The front door of the package, written down twice: for type checkers, and as a record of what is promised.

``make stubs`` writes ``flexnet/__init__.pyi`` and ``tests/package/public_api.txt``. What the pages of
components let a System do stands in ``flexnet/system/builders.pyi``, which is the record of it.
"""

import inspect
from enum import EnumType
from pathlib import Path
from typing import Any

import flexnet as fx
from flexnet.networks import BUILDERS

STUB = Path(fx.__file__).with_suffix(".pyi")
RECORD = Path(__file__).with_name("public_api.txt")


def stub() -> str:
    """What type checkers and editors read: every lazy name where it comes from."""
    lines = ['"""flexnet: flexible multibody dynamics from linear graphs; written by ``make stubs``."""', ""]
    for room, names in sorted(fx._ROOMS.items()):
        lines += [f"from {room} import ("]
        lines += [f"    {name} as {name}," for name in sorted(names)]
        lines += [")"]
    return "\n".join([*lines, "", "__version__: str", ""])


def record() -> str:
    """Every public name, and every argument a caller may name."""
    lines = []
    for name in sorted(fx.__all__):
        found = getattr(fx, name)
        lines.append(f"{name}{arguments(found) if callable(found) else ''}")
        if name == "System":
            own = (x for x in sorted(dir(found)) if not x.startswith("_") and x not in BUILDERS)
            lines += [f"System.{x}{arguments(getattr(found, x))}" for x in own if callable(getattr(found, x))]
    return "\n".join([*lines, ""])


def arguments(found: Any) -> str:
    """Names of the arguments, those that may be left out with ``=``; members of an enumeration."""
    if isinstance(found, EnumType):  # how one is called is Python's, and differs between its versions
        return f": {', '.join(found.__members__)}"
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return ""
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    words = [f"{marks.get(p.kind, '')}{p.name}{'' if p.default is p.empty else '='}" for p in parameters]
    return f"({', '.join(words)})"


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
    RECORD.write_text(record(), encoding="utf-8")
