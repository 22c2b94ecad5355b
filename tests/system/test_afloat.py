"""Bodies without a joint to the ground are named, unless they are said to float."""

import logging
from pathlib import Path

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import formulate, report
from flexnet.results import Results


def pair(order: tuple[str, ...] = ("a", "b", "c")) -> tuple[fx.System, dict[str, fx.Body]]:
    """A pendulum ``a`` on the ground and a pair ``b``, ``c`` on one pin."""
    s = fx.System("pair", planar=True)
    s.gravity([0, -9.81, 0])
    made = {name: s.rigid_body(name, 1.0, 0.1, {"p": [0, 1]}) for name in order}
    s.revolute("A", s.ground, made["a"]["p"])
    s.revolute("B", made["b"]["p"], made["c"]["p"])
    return s, made


@pytest.mark.parametrize("order", [("a", "b", "c"), ("b", "a", "c"), ("b", "c", "a")])
def test_a_pair_that_nothing_holds_is_named(order):
    (text,) = pair(order)[0].warnings
    assert text.startswith("bodies 'b', 'c' float without a joint")


@pytest.mark.parametrize("hold", ["free", "virtual", "spring", "bushing", "motion", "revolute", "floats"])
def test_what_holds_or_says_so_silences_it(hold):
    s, made = pair()
    {
        "free": lambda: s.free("x", s.ground, made["c"]),
        "virtual": lambda: s.virtual("x", "planar", s.ground, made["c"]),
        "spring": lambda: s.spring("x", made["a"], made["c"], 1.0),
        "bushing": lambda: s.bushing("x", s.ground, made["c"], np.eye(6)),
        "motion": lambda: s.motion("x", head=made["c"], angle=lambda t: t),
        "revolute": lambda: s.revolute("x", made["a"], made["b"]),
        "floats": lambda: s.floats(made["c"]),
    }[hold]()
    assert s.warnings == ()


def test_an_applied_force_holds_nothing():
    s, made = pair()
    s.force("F", made["b"], [1.0, 0.0])
    s.torque("M", made["c"], 1.0)
    lone = s.rigid_body("d", 1.0, 0.1)
    s.force("G", lone, [1.0, 0.0])
    assert [text.split(" without")[0] for text in s.warnings] == ["bodies 'b', 'c' float", "body 'd' floats"]


def test_it_is_said_in_the_report_on_the_terminal_and_in_the_file(tmp_path: Path, caplog):
    s, made = pair()
    assert "'b', 'c' float" in " ".join(str(report(formulate(s))).split())
    with caplog.at_level(logging.WARNING, "flexnet"):
        run = fx.simulate(s, 0.01, 0.001, out=tmp_path / "a.h5")
    assert "bodies 'b', 'c' float" in caplog.text
    assert run.warnings[0] == s.warnings[0]
    assert s.warnings[0] in Results.open(tmp_path / "a.h5").status.message
    s.floats(made["b"])
    assert "float" not in str(report(formulate(s)))


def test_a_lone_body_that_is_said_to_float_falls():
    s = fx.System("stone", planar=True)
    s.gravity([0, -10.0, 0])
    stone = s.rigid_body("stone", 1.0, 0.1)
    s.channel("y", fx.position(stone, "y"))
    s.floats(stone)
    np.testing.assert_allclose(fx.simulate(s, 1.0, 0.01).channel("y")[-1], -5.0, rtol=1e-12)


def test_a_body_of_another_system_is_refused():
    with pytest.raises(fx.FlexnetError, match="not in system"):
        pair()[0].floats(fx.System("b").rigid_body("z", 1.0, np.eye(3)))
