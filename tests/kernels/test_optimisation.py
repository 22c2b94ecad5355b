"""How much LLVM optimises decides how long kernels take, not what they compute."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flexnet.kernels.compile import optimisation

ROOT = Path(__file__).parents[2]
SCRIPT = """
import hashlib
import flexnet as fx
from tests.catalogue import build
told = hashlib.sha256()
for name, step in (("squeezer", 1e-5), ("heavy_top", 1e-3), ("four_bar", 1e-5)):
    for method in (fx.hht(), fx.energy_decaying(0.9), fx.radau(), fx.dop853()):
        run = fx.simulate(build(name), 20 * step, step, method, engine="numeric")
        for column in ("state/q", "state/v", "state/lambda"):
            told.update(run[column].tobytes())
print(told.hexdigest())
"""


@pytest.mark.slow
def test_bits_do_not_depend_on_it(tmp_path: Path) -> None:
    def told(level: int) -> str:
        told_so = {"FLEXNET_OPTIMISE": str(level), "FLEXNET_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT)}
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-c", SCRIPT], cwd=ROOT, env=os.environ | told_so,
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip

    assert told(0) == told(1) == told(2) == told(3) != ""


def test_a_level_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEXNET_OPTIMISE", "fast")
    with pytest.raises(Exception, match="FLEXNET_OPTIMISE is 0, 1, 2 or 3, not 'fast'"):
        optimisation.__wrapped__()
