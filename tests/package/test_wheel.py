"""The package as it leaves the house: built, installed where there is no checkout, and used."""

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with wheel and source archive."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(out)], cwd=ROOT, check=True)
    return out


@pytest.fixture(scope="module")
def python(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Interpreter of an environment that holds the wheel; what it depends on is lent by this one."""
    home = tmp_path_factory.mktemp("empty")
    venv.create(home, with_pip=False)
    made = next(home.glob("lib/python*/site-packages"))
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:  # a wheel of pure Python is installed by unpacking it
        archive.extractall(made)
    lent = [path for path in sys.path if path.endswith("site-packages")]
    # their own .pth files, the checkout's among them, are not read
    (made / "lent.pth").write_text("\n".join(lent))
    return home / "bin" / "python"


def use(python: Path, folder: Path, *words: str) -> str:
    """Run a command of the installed package in a folder of its own."""
    done = subprocess.run(
        [str(python), *words], cwd=folder, capture_output=True, text=True, env={"HOME": str(Path.home())}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_source_archive_holds_what_tests_and_documentation_need(dist):
    (archive,) = dist.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    for path in ("Makefile", "cases/squeezer.py", "meshes/panel_32.msh", "tests/conftest.py", "docs/conf.py"):
        assert path in names


def test_the_wheel_alone_runs_an_example_that_reads_a_mesh(python, tmp_path):
    said = use(python, tmp_path, "-c", "import flexnet.examples as e; print(e.CASES, e.MESHES)")
    assert str(ROOT) not in said
    assert all(Path(folder).is_relative_to(python.parents[1]) for folder in said.split())
    use(python, tmp_path, "-m", "flexnet", "examples", "run", "panel_deployment", "--end", "0.1")
    use(python, tmp_path, "-m", "flexnet", "view", "panel_deployment.h5")
    assert (tmp_path / "panel_deployment.html").stat().st_size > 500_000


def test_from_the_wheel_alone_a_user_begins_runs_looks_and_compares(python, tmp_path):
    flexnet = (python, tmp_path, "-m", "flexnet")
    use(*flexnet, "new", "mine")
    use(*flexnet, "run", "mine.py", "--set", "torque=3", "--end", "0.2", "--step", "1e-3")
    use(*flexnet, "plot", "mine.h5", "crank_speed", "--out", "speed.png")
    use(*flexnet, "examples", "copy", "simple_pendulum")
    use(*flexnet, "run", "simple_pendulum.py", "--step", "2e-4", "--interval", "0.02")
    pair = ("simple_pendulum.h5", "references/A01_simple_pendulum.csv")
    said = use(*flexnet, "compare", *pair, "--tolerance", "5e-6:max")
    assert "within" in said
    use(*flexnet, "export", "mine.h5", "--out", "mine.csv")
    rows = [x for x in (tmp_path / "mine.csv").read_text().splitlines() if not x.startswith("#")]
    assert "time [s]" in rows[0]
    assert np.loadtxt(rows[1:], delimiter=",").shape[1] == 4
