"""A run that is looked at while it goes, in a real browser: rows arrive, the page stops the run."""

import re
import subprocess
import sys
from pathlib import Path

from flexnet.results import Results


def test_a_page_follows_its_run_and_stops_it(live_browser, tmp_path: Path) -> None:
    case = Path(__file__).parents[2] / "cases" / "squeezer.py"
    command = [sys.executable, "-m", "flexnet", "run", str(case), "--live", "--step", "1e-7"]
    command += ["--end", "1", "--interval", "1e-6", "--out", "a.h5"]  # long, and rows come often
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        address = ""
        assert process.stdout is not None
        while not address:
            line = process.stdout.readline()
            assert line, "the run ended without an address"
            if found := re.search(r"http://127\.0\.0\.1:\d+/\S+/", line):
                address = found[0]
        tab, said = live_browser.new_page(), []
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.goto(address)
        tab.wait_for_function("() => window.flexnet", timeout=180000)
        tab.evaluate("() => flexnet.ready")
        first = tab.evaluate("() => flexnet.time().length")
        tab.wait_for_function("n => flexnet.time().length > n", arg=first, timeout=180000)
        assert tab.evaluate("() => flexnet.state.t") == tab.evaluate("() => flexnet.time().at(-1)")
        tab.click("#stop")
        tab.wait_for_function("() => flexnet.told.model.status !== 'running'", timeout=180000)
        rest = process.stdout.read()
        assert process.wait(120) == 130
        assert "--resume" in rest
        results = Results.open(tmp_path / "a.h5")
        assert results.status.state == "interrupted"
        assert tab.evaluate("() => flexnet.told.model.rows") == results.rows
        where = tab.evaluate("() => flexnet.pointOf('K1', 2)")
        assert abs(where[0] - results.read("frames/K1.F/position")[-1][0]) < 1e-6
        assert said == []
        assert tab.is_hidden("#stop")
    finally:
        process.kill()
        process.communicate()  # closes its output
