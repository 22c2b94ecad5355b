"""Laws that were traced before: what changes around a law is seen, whatever its element's own fields say."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
import sympy as sp

import flexnet as fx
from flexnet.algebra import Expr, exp, mul, times
from flexnet.components.force_element import Motion

#: what laws read that is no field of their elements
AROUND = {"k": 1.0}


class Tire:
    """A law that is an object, and one that is its method."""

    def __init__(self) -> None:
        self.k = 1.0

    def __call__(self, x: Any, v: Any, t: Any) -> Any:
        return -self.k * x


TIRE = Tire()


def law(x: Any, v: Any, t: Any) -> Any:
    """Of a number that stands outside."""
    return -AROUND["k"] * x


def called(x: Any, v: Any, t: Any) -> Any:
    """The same with a comparison, so that it is called in every step."""
    return -AROUND["k"] * x if x > 0 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Pull(fx.ForceElement):
    """A user's page that reads its class and what stands around it."""

    noun: ClassVar[str] = "pull"
    acts: ClassVar[str] = "translation"
    shape: ClassVar[list[float]] = [1.0]

    stiffness: float = 1.0

    def law(self, motion: Motion, p: Any, t: Expr) -> fx.Action:
        k = mul(-AROUND["k"] * self.shape[0], p.stiffness)
        return fx.Action(force=times(k, motion.d), power=k * sum(map(mul, motion.d, motion.v)))


def spring(s: fx.System, bob: fx.Body, formula: Any) -> None:
    s.torsional_spring("spring", joint="O", law=formula)


def pull(s: fx.System, bob: fx.Body, formula: Any) -> None:
    s.add(Pull("pull", s.datum, bob["tip"]))


@pytest.mark.parametrize(
    ("add", "formula"),
    [
        pytest.param(spring, law, id="outside"),
        pytest.param(spring, called, id="called"),
        pytest.param(spring, TIRE, id="object"),
        pytest.param(spring, TIRE.__call__, id="method"),
        pytest.param(pull, None, id="page"),
        pytest.param(pull, "shape", id="class"),
    ],
)
@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
def test_a_law_that_reads_what_stands_around_it_sees_its_change(add: Any, formula: Any, engine: str) -> None:
    def reached(k: float) -> np.ndarray:
        AROUND["k"] = 1.0 if formula == "shape" else k
        Pull.shape[0] = k if formula == "shape" else 1.0
        TIRE.k = k
        s = fx.System("pendulum", planar=True)
        bob = s.rigid_body("bob", 1.0, 0.1, {"pivot": [0, 1.0], "tip": [0.2, 0.0]}, position=[0, -1.0])
        s.revolute("O", s.ground, bob["pivot"])
        s.start("O", angle=0.5)
        add(s, bob, formula)
        return np.asarray(fx.simulate(s, 0.05, 0.01, engine=engine)["state/v"][-1])

    # J θ̈ = -k θ or nearly so: to the first order the speed is that of the law
    one, three, again = reached(1.0), reached(3.0), reached(1.0)
    assert np.array_equal(one, again)
    assert abs(three[0]) == pytest.approx(3.0 * abs(one[0]), rel=0.02)


def held(k: float, how: str) -> fx.System:
    """A pendulum held by a formula with the numbers k and 0.3."""
    s = fx.System("held", planar=True)
    bob = s.rigid_body("bob", 1.0, 0.1, {"pivot": [0, 1.0]}, position=[0, -1.0])
    s.revolute("O", s.ground, bob["pivot"])
    s.start("O", angle=0.5)
    if how == "sympy":
        x, v = sp.symbols("x v")
        s.torsional_spring("spring", joint="O", law=-k * x**3 + sp.exp(-0.3 * k * v))
    elif how == "function":
        s.torsional_spring("spring", joint="O", law=lambda x, v, t: -k * x**3 + exp(-0.3 * k * v))
    else:
        turn, rate = fx.joint_coordinate("O"), fx.joint_rate("O")
        formula = fx.function(lambda x, v: -k * x**3 + exp(-0.3 * k * v), turn, rate, unit="N*m")
        s.torque("hand", joint="O", torque=formula)
    return s


@pytest.mark.parametrize("how", ["function", "sympy", "signal"])
def test_numbers_of_a_users_formula_are_arguments_of_its_machine_code(how: str) -> None:
    """Written into it, every variant of a study compiled its own, and none could be differentiated."""
    first, second = (fx.formulate(held(k, how)) for k in (2.4, 3.7))
    assert first.packer.families.digest == second.packer.families.digest
    for k, equations in ((2.4, first), (3.7, second)):
        run = fx.simulate(equations, 0.01, 0.01)
        J = 0.1 + 1.0  # about the pin
        moment = -k * 0.5**3 + 1.0
        assert run["state/a"][0, 0] == pytest.approx(moment / J, rel=1e-12)
