"""A joint, a force, a method, a format and a tree rule are each one file put into its folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import flexnet as fx

ADDED = Path(__file__).parent / "added"
USE = """
import sys
from pathlib import Path
import flexnet as fx
from flexnet.checks import check_component, check_joint, check_method
from flexnet.components import BUILDERS

assert Path(fx.__file__).is_relative_to(sys.argv[1])
check_joint(lambda tail, head: BUILDERS["helical"]("j", tail, head, 0.4, (1.0, -2.0, 2.0)), 1)
s = fx.System("nut")
s.gravity([0, 0, -9.81])
nut = s.rigid_body("nut", 2.0, [0.2, 0.2, 0.3])
s.helical("thread", s.ground, nut, pitch=0.5)
check_component(s.sail_spring("sail", s.ground.frame("P", [0.1, 0.2, 0.3]), nut, 3.0, (0.6, 0.0, 0.8)), 2)
assert min(check_method(fx.midpoint()).order) > 1.8
for tree in ("drivers", "absolute"):
    run = fx.simulate(s, 0.1, 1e-3, fx.midpoint(), tree)
    print(*run["frames/nut/position"][-1])
fx.export(run, "nut.org", "frames/nut/position/z", format="org")
print(Path("nut.org").read_text().splitlines()[0])
"""


def python(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)}, text=True,
        capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_files_put_into_the_folders_are_in_system_checks_and_command_line(tmp_path):
    shutil.copytree(
        Path(fx.__file__).parent, tmp_path / "flexnet", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ADDED, tmp_path / "flexnet", dirs_exist_ok=True)
    *places, head = python(tmp_path, "-c", USE, str(tmp_path)).splitlines()
    one, other = (float(place.split()[2]) for place in places)
    assert one < -1e-4
    assert abs(one - other) < 1e-7
    assert head.startswith("| time [s] | frames/nut/position/z")
    methods = python(tmp_path, "-m", "flexnet", "run", "--integrator", "?", "nothing.py")
    assert "Explicit midpoint rule, of second order." in methods
