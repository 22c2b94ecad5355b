"""Take the pictures of the living report that the documentation shows: ``make page-pictures``.

Needs Chromium and playwright, as tests/browser does; pages are those that anyone gets by the commands below.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

MESH = Path(__file__).parents[1] / "meshes" / "panel_512.msh"
IMAGES = Path(__file__).parent / "images"
CASES = Path(__file__).parents[1] / "cases"
#: no graphics card, no network, nothing of the user's own
FLAGS = ("--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
#: commands that make a page of the same name
COMMANDS = {
    "squeezer": ([["run", str(CASES / "squeezer.py")], ["view", "squeezer.h5"]]),
    "panels": ([["run", str(CASES / "panel_deployment.py"), "--out", "panels.h5"], ["view", "panels.h5"]]),
    "stress": [
        ["new", "wing", "--template", "shell"],
        ["run", "wing.py", "--end", "2"],
        ["view", "wing.h5", "--stress", "--out", "stress.html"],
    ],
}


def _squeezer(tab: Any) -> None:
    """A joint is picked, its forces are arrows."""
    tab.evaluate("() => { flexnet.seek(0.012); flexnet.pick('E2'); }")
    tab.check("#arrows")


def _panels(tab: Any) -> None:
    """Deflections as colours, ten times as large."""
    tab.select_option("#factor", "10")
    tab.select_option("#tint", "deflection")
    tab.click("#tabs button[data-tab=energy]")
    tab.evaluate("() => flexnet.seek(11.0)")


def _stress(tab: Any) -> None:
    """Stresses of a plate as colours."""
    tab.select_option("#factor", "10")
    tab.select_option("#tint", "stress")
    tab.evaluate("() => flexnet.seek(1.4)")


SCENES: dict[str, Callable[[Any], None]] = {"squeezer": _squeezer, "panels": _panels, "stress": _stress}


def main(names: list[str]) -> None:
    """Take the pictures named, or all."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), headless=True, args=list(FLAGS)
        )
        for name in names or list(SCENES):
            shutil.copy(MESH, Path(folder) / "wing.msh")  # a finer one than a new case brings
            for command in COMMANDS[name]:
                subprocess.run([sys.executable, "-m", "flexnet", *command], cwd=folder, check=True)
            tab = browser.new_page(viewport={"width": 1400, "height": 950})
            tab.goto((Path(folder) / f"{name}.html").as_uri())
            tab.evaluate("() => window.flexnet.ready")
            SCENES[name](tab)
            tab.wait_for_timeout(500)
            taken = Path(folder) / f"{name}.png"
            tab.screenshot(path=taken)
            Image.open(taken).convert("RGB").save(IMAGES / f"report_{name}.webp", quality=80, method=6)
            tab.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
