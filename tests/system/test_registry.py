"""Pages enter themselves: what System, type checkers and the documentation know is what the pages say."""

import ast
import inspect
from dataclasses import dataclass
from pathlib import Path

import pytest

import flexnet as fx
from flexnet.components import BUILDERS, COMPONENTS, Joint
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.errors import ModelError
from flexnet.system import builders

ROOT = Path(__file__).parents[2]


def test_the_stub_says_what_the_pages_say():
    written = (ROOT / "flexnet" / "system" / "builders.pyi").read_text()
    made, kept = ast.parse(builders.stub()), ast.parse(written)
    assert {ast.dump(x) for x in made.body} == {ast.dump(x) for x in kept.body}, "run `make stubs`"


@pytest.mark.parametrize("name", BUILDERS)
def test_system_has_a_method_of_every_builder_with_its_text_and_arguments(name):
    method, page = getattr(fx.System, name), BUILDERS[name]
    assert method.__doc__ == page.__doc__
    assert list(inspect.signature(method).parameters)[1:] == [
        key for key in inspect.signature(page).parameters if key != "system"
    ]


def test_every_component_is_entered_under_its_name_and_says_what_it_is():
    for name, page in COMPONENTS.items():
        assert page.__name__ == name
        assert page.__doc__
        assert page.symbol
        assert page.noun


@dataclass(frozen=True, slots=True, eq=False)
class Ring(Joint):
    """A joint of one's own: a ball on a pin."""

    @property
    def terminal(self):
        return Terminal(Translation(fixed=XYZ[:2], free=XYZ[2:]), Rotation("free", names=("a", "b", "c")))


def test_a_joint_of_ones_own_is_added_and_checked_as_any_other():
    s = fx.System("ring")
    body = s.rigid_body("b", 1.0, [1.0, 1.0, 1.0], frames={"A": [0, 0, 0]})
    assert s.add(Ring("ring", s.ground.origin, body["A"])) is s.components["ring"]
    with pytest.raises(ModelError, match="the name 'ring' is used twice"):
        s.add(Ring("ring", s.ground.origin, body["A"]))
    with pytest.raises(ModelError, match="joint 'loop' connects two frames of body 'b'"):
        s.add(Ring("loop", body.origin, body["A"]))
    other = fx.System("other").rigid_body("c", 1.0, [1.0, 1.0, 1.0])
    with pytest.raises(ModelError, match="frame of 'c', which is not in system 'ring'"):
        s.add(Ring("far", s.ground.origin, other.origin))
    assert fx.formulate(s, "joint").n_v == 4
