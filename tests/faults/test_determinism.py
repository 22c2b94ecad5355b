"""The same input gives the same bits, whatever the number of threads."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
from flexnet.fem import Body, Clamped, Material, Reduction, ShellRegion, ShellSection, TableOptions
from flexnet.fem.fingerprint import fingerprint
from flexnet.fem.table_builder import build_table
from flexnet.fem.table_file import _to_arrays
from flexnet.mesh import panel_mesh

mesh = panel_mesh(1.0, 0.5, 12, 8)
section = ShellSection.uniform(0.003, Material(E=2e11, nu=0.3, rho=7800.0))
body = Body(mesh, [ShellRegion("panel", section)], frames={})
print(fingerprint(_to_arrays(build_table(body, Reduction(Clamped(0), 6), TableOptions()))))
"""


def test_a_table_is_the_same_for_any_number_of_threads() -> None:
    found = set()
    for threads in ("1", "4"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True,
        )  # fmt: skip
        found.add(done.stdout)
    assert len(found) == 1
