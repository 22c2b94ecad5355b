"""Start a foreign parser in a process of its own, within limits of time and memory."""

import io
import json
import os
import signal
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexnet.errors import MeshError
from flexnet.typing import AnyArray
from flexnet.validation import needs

PROGRAM = Path(__file__).with_name("parsing.py")
#: processor time: some seconds, and more for a long file [s, bytes/s]
SECONDS, PACE = 4, 200_000
#: memory: that of an empty program with room to work, and more for a long file [bytes, bytes/byte]
MEMORY, SWELLING = 1 << 30, 100
#: how much longer a busy machine may take
PATIENCE = 20


@dataclass(frozen=True, slots=True, eq=False)
class RawMesh:
    """What a parser found, unchecked.

    Attributes
    ----------
    points : coordinates of the nodes.
    cells : type and nodes of the elements of each block.
    cell_data : numbers of the elements of each block, by name.
    cell_sets : members in each block, by name of the set.
    point_sets : members by name of the set.
    field_data : two whole numbers by name.
    """

    points: AnyArray
    cells: list[tuple[str, AnyArray]]
    cell_data: dict[str, list[AnyArray]]
    cell_sets: dict[str, list[AnyArray | None]]
    point_sets: dict[str, AnyArray]
    field_data: dict[str, list[int]]


def read_guarded(path: Path) -> RawMesh:
    """Parse a mesh file in a process of its own.

    Raises
    ------
    MeshError
        If the parser refuses the file, or needs more time or memory than a file of its size may.
    """
    needs("meshio", "fe", "mesh files")
    size = path.stat().st_size
    seconds, memory = SECONDS + size // PACE, MEMORY + SWELLING * size
    command = [sys.executable, "-P", str(PROGRAM), str(path.absolute()), str(seconds), str(memory)]
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE * seconds, check=False,
            env=alone,
        )  # fmt: skip
    except (subprocess.TimeoutExpired, OSError, ValueError) as error:
        raise MeshError(f"its parser did not come to an end ({error})") from error
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise MeshError(f"its parser took longer than {seconds} s and was stopped")
    if done.returncode != 0:
        last = (done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1]
        raise MeshError(f"its parser failed ({last[:300]})")
    return decoded(done.stdout)


def decoded(answer: bytes) -> RawMesh:
    """Read the answer of :mod:`flexnet.mesh.parsing`."""
    head, _, body = answer.partition(b"\n")
    if head != b"mesh":
        raise MeshError(body.decode(errors="replace") or "no reason given")
    try:
        with np.load(io.BytesIO(body), allow_pickle=False) as arrays:
            told = json.loads(arrays["manifest"].tobytes())

            def one(name: str | None) -> Any:
                return None if name is None else arrays[name]

            return RawMesh(
                one(told["points"]),
                [(kind, one(data)) for kind, data in told["cells"]],
                {key: [one(x) for x in parts] for key, parts in told["cell_data"].items()},
                {key: [one(x) for x in parts] for key, parts in told["cell_sets"].items()},
                {key: one(x) for key, x in told["point_sets"].items()},
                told["field_data"],
            )
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise MeshError(f"it holds arrays that cannot be passed on ({error})") from error
