"""Straight-line code that was made before, found by the hash of the model: nothing is written again.

Machine code lies in the user's cache under the hash of its formulas, so that variants of a mechanism share
it; to know that hash the formulas must be written. Here what is needed beside the machine code (its key, the
numbers it is called with, which entries it fills) lies under the hash of the model itself, every number
included, and of the pages the formulas come from: whatever could change them is in the key.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from flexnet.cache import load, save
from flexnet.dae import Sparsity
from flexnet.formulation.equations import Equations
from flexnet.formulation.model_hash import equations_hash
from flexnet.typing import Array, IntArray

KIND = "straight_line"
#: rooms whose pages decide what the formulas of a mechanism are
_ROOMS = ("algebra", "components", "fem", "formulation", "graph", "networks", "signals", "system")


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """All that a mechanism needs beside its machine code.

    Attributes
    ----------
    key : of the machine code in the cache.
    p : (·) numbers the code is called with: parameters, and what follows from them alone.
    kept : number of intermediate results that the residual leaves to other programs.
    known : places of the known functions of time in the packed model.
    loads_do_work : whether branches are driven.
    sparsity : entries of M and G that are not zero; ``None`` where there are states.
    said : operations, in words.
    """

    key: str
    p: Array
    kept: int
    known: IntArray
    loads_do_work: bool
    sparsity: Sparsity | None
    said: str


@lru_cache(maxsize=1)
def _pages() -> str:
    """Digest of the pages the formulas come from."""
    top, digest = Path(__file__).parent.parent.parent, sha256()
    for path in sorted(p for room in _ROOMS for p in (top / room).rglob("*.py")):
        digest.update(path.relative_to(top).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _key(equations: Equations) -> str:
    return f"{equations_hash(equations)} {_pages()}"


def find(equations: Equations) -> Kept | None:
    """What was kept of a model, or ``None``."""
    if (content := load(KIND, _key(equations))) is None:
        return None
    told = json.loads(content)
    entries = told["sparsity"]
    pairs = [np.array(x, dtype=np.int64).reshape(-1, 2) for x in entries or []]
    sparsity = Sparsity(pairs[0], pairs[1]) if pairs else entries
    p, known = np.array([float.fromhex(x) for x in told["p"]]), np.array(told["known"], dtype=np.int64)
    return Kept(told["key"], p, told["kept"], known, told["loads_do_work"], sparsity, told["said"])


def keep(equations: Equations, made: Kept) -> None:
    """Keep what was made of a model."""
    s = made.sparsity
    told = {
        "key": made.key,
        "p": [float(x).hex() for x in made.p],
        "kept": made.kept,
        "known": made.known.tolist(),
        "loads_do_work": made.loads_do_work,
        "sparsity": None if s is None else [s.mass.tolist(), s.jacobian.tolist()],
        "said": made.said,
    }
    save(KIND, _key(equations), json.dumps(told).encode())
