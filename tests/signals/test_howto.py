"""What the page on control shows runs, and does what the page says."""

import re
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "howto_control.md"


def test_the_examples_of_the_page_run_and_do_what_it_says():
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S):
        exec(compile(code, str(PAGE), "exec"), names)
    assert abs(names["run"].channel("angle")[-1] - np.degrees(0.5)) < 0.2
    assert np.abs(names["run"].channel("motor")).max() <= 20.0
    with_model, without = names["with_model"], names["without"]
    for joint in ("shoulder", "elbow"):
        rigid, alone = (np.abs(r.channel(f"{joint} error")).max() for r in (with_model, without))
        assert rigid < 0.02 * alone
    assert 1.0 < np.abs(with_model.channel("tip")).max() < 1.5
    assert (
        np.abs(with_model.channel("tip")[600:]).max()
        < 0.01
        < 1.0
        < np.abs(without.channel("tip")[600:]).max()
    )
    assert names["second"].t[0] == names["run"].t[-1]
