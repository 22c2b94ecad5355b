"""Force elements by their families: as written by hand, true to themselves, and open to anyone."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import flexnet as fx
from flexnet.algebra import FamilyTable, times
from flexnet.checks import check_component
from flexnet.checks.component import _Law, _random_state
from flexnet.components import COMPONENTS, ForceElement, rotation
from flexnet.components.force_element import Action
from flexnet.formulation.functions import FunctionTable
from flexnet.formulation.traced_law import LawTable, trace
from tests.components import oracles
from tests.components.elements import ELEMENTS, FURTHER, HEAD, TAIL, USERS, MagneticBearing, TireSpring, line

ALL = [pytest.param(e, id=f"{name}-{i}") for name, es in (ELEMENTS | USERS).items() for i, e in enumerate(es)]
ALL += [
    pytest.param(e, id=f"{name}-further-{i}", marks=pytest.mark.slow)
    for name, es in FURTHER.items()
    for i, e in enumerate(es)
]


def test_the_registry_and_the_samples_have_the_same_force_elements():
    assert {name for name, page in COMPONENTS.items() if issubclass(page, ForceElement)} == set(ELEMENTS)


@pytest.mark.sweep(18)
@pytest.mark.parametrize("element", ALL)
def test_a_force_element_keeps_what_must_be_true_of_one(element):
    check = check_component(element, motions=5)
    assert all(finding.holds for finding in check.findings)


BY_HAND = [
    *((e, oracles.spring) for e in ELEMENTS["TranslationalSpring"][:4:2]),
    (ELEMENTS["TranslationalSpring"][3], oracles.spring), (ELEMENTS["TorsionalSpring"][0], oracles.spring),
    *((e, oracles.bushing) for e in ELEMENTS["Bushing"]),
]  # fmt: skip


@pytest.mark.parametrize(("element", "by_hand"), BY_HAND)
def test_families_give_what_the_hand_written_kernels_gave(element, by_hand):
    law, rng = _Law(trace(element)), np.random.default_rng(2)
    for _ in range(10):
        s = _random_state(element, rng)
        ends = oracles.Ends(s.x, s.v, s.R, s.omega, s.axes, s.theta)
        wrench, potential, power, damping = by_hand(element, ends)
        assert np.allclose(law("load", s), wrench, rtol=1e-12, atol=1e-12 * np.abs(wrench).max())
        assert law("potential", s)[0] == pytest.approx(potential, rel=1e-12)
        assert law("power", s) == pytest.approx([power, damping], rel=1e-10, abs=1e-10)


#: places of the tangent that motions in the plane touch: x, y, θz, vx, vy, ωz of tail and head
IN_PLANE = [12 * end + k for end in range(2) for k in (0, 1, 5, 6, 7, 11)]
FLAT = [p for p in ALL if p.values[0].tail.rotation[2, 2] == p.values[0].head.rotation[2, 2] == 1.0]


@pytest.mark.sweep(18)
@pytest.mark.parametrize("element", FLAT)
def test_in_the_plane_a_law_is_the_same_with_fewer_terms(element):
    """Traced for frames that turn about z alone, at a motion in the plane: load, energies and tangent."""
    laws, rng = [_Law(trace(element, is_flat)) for is_flat in (False, True)], np.random.default_rng(3)
    for _ in range(5):
        s = _random_state(element, rng)
        angles = rng.uniform(-1.0, 1.0, 2)
        s = replace(
            s, x=s.x * [1.0, 1.0, 0.0], v=s.v * [1.0, 1.0, 0.0], omega=s.omega * [0.0, 0.0, 1.0],
            R=np.array([rotation("z", angle) for angle in angles]),
            axes=np.array([[0.0, 0.0, np.copysign(1.0, n[2])] for n in s.axes]),
        )  # fmt: skip
        for name in ("load", "potential", "power"):
            general, flat = (law(name, s) for law in laws)
            assert np.allclose(flat, general, rtol=1e-10, atol=1e-11 * (np.abs(general).max() + 1.0)), name
        if not laws[0].has_formulas:
            general, flat = (law("tangent", s).reshape(12, 24) for law in laws)
            size = np.abs(general).max() + 1.0
            assert np.abs(flat - general)[:, IN_PLANE].max() < 1e-10 * size


def test_elements_that_differ_in_their_numbers_only_are_one_family():
    table = LawTable(FamilyTable(), FunctionTable())
    places = [table.add(line(k=k, c=c, rest=x))["family"] for k, c, x in [(1.0, 2.0, 3.0), (4.0, 5.0, 6.0)]]
    assert places == [0, 0]
    assert table.add(line(c=0.0))["family"] == 3  # no damper: fewer terms
    assert table.add(line())["family"] == 0
    assert len(table.p) == 3 + 3 + 2 + 3


@dataclass(frozen=True, slots=True, eq=False)
class Reader(ForceElement):
    """A force whose law reads a number, and where that is positive another one, of itself."""

    stiffness: float = 1.0
    gain: float = 0.0
    more: float = 0.0

    def law(self, motion, p, t):
        gain = self.more if self.gain > 0 else 0.5
        return Action(force=times(-p.stiffness * gain, motion.d), power=0)


def test_a_law_is_traced_once_for_other_numbers_and_anew_for_numbers_it_reads_of_itself(monkeypatch):
    ends = "reader", TAIL, HEAD
    # a user's own page may read anything: it is always traced anew
    assert trace(Reader(*ends, 2.0)).law is not trace(Reader(*ends, 2.0)).law
    monkeypatch.setattr(Reader, "__module__", "flexnet.components.reader")
    first, second = trace(Reader(*ends, 2.0, -1.0, 5.0)), trace(Reader(*ends, 3.0, -1.0, 7.0))
    assert second.law is first.law  # `more` was not asked for
    assert second.p != first.p
    assert trace(Reader(*ends, 2.0, -2.0, 5.0)).law.wrench == first.law.wrench
    by_gain = [trace(Reader(*ends, 2.0, 1.0, more)).law.wrench for more in (7.0, 8.0, 7.0)]
    assert by_gain[0] == by_gain[2] != by_gain[1] != first.law.wrench
    # what was read later on is compared for those before, too
    assert trace(Reader(*ends, 2.0, -1.0, 5.0)).law.wrench == first.law.wrench
    assert trace(Reader(*ends, 0.0)).law.wrench[:3] == [0, 0, 0]


def test_a_law_that_is_no_formula_is_called_and_named_in_the_report():
    s = fx.System("m")
    a, b = s.rigid_body("a", 1.0, np.eye(3)), s.rigid_body("b", 1.0, np.eye(3))
    s.free("free", s.ground, a)
    s.prismatic("slide", a, b, axis="x")
    s.start("slide", displacement=1.0)
    s.spring("traced", a, b, law=lambda x, v, t: -x)
    s.spring("called", a, b, law=lambda x, v, t: -x if x > 0 else 0.0)
    report = fx.report(fx.formulate(s))
    assert report.python_laws == ("called",)
    assert "called" in str(report)


@dataclass(frozen=True, slots=True, eq=False)
class Careless(ForceElement):
    """Its force is not that of its potential."""

    stiffness: float

    def law(self, motion, p, t):
        return fx.Action(
            force=tuple(-p.stiffness * x for x in motion.d), potential=p.stiffness * motion.d[0] ** 2
        )


@dataclass(frozen=True, slots=True, eq=False)
class Driving(ForceElement):
    """Its damper puts energy in."""

    c: float

    def law(self, motion, p, t):
        return fx.Action(
            force=tuple(p.c * x for x in motion.v), dissipation=-p.c * sum(x * x for x in motion.v)
        )


def test_a_careless_page_is_found_out():
    with pytest.raises(fx.ModelError, match="potential: FAILS"):
        check_component(Careless("e", TAIL, HEAD, 3.0))
    with pytest.raises(fx.ModelError, match="dissipation: FAILS"):
        check_component(Driving("e", TAIL, HEAD, 3.0))
    with pytest.raises(fx.ModelError, match=r"'e' has no law: write ForceElement\.law"):
        check_component(ForceElement("e", TAIL, HEAD))


def wheel():
    """A wheel that falls on the ground and rolls away."""
    s = fx.System("wheel")
    s.gravity([0.0, 0.0, -9.81])
    body = s.rigid_body("hub", 3.0, 0.1 * np.eye(3), position=[0.0, 0.0, 1.2])
    s.free("free", s.ground, body)
    s.start("free", z=1.2)
    s.add(TireSpring("tire", s.ground.origin, body.origin, 1.0, 900.0, 5000.0, 30.0))
    return s


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
def test_the_energy_of_a_users_element_is_audited(engine):
    run = fx.simulate(wheel(), 0.5, 1e-3, engine=engine)
    total, work = run["energy/total"], run["energy/work"]
    assert np.ptp(run["energy/potential"]) > 1.0
    assert np.abs(total - total[0] - work).max() < 1e-4 * np.abs(total).max()


def test_a_users_element_is_exported_with_its_parameters(tmp_path):
    from flexnet.formulation.symbolic import SymbolicEquations
    from flexnet.formulation.symbolic.program import make_programs, to_c

    s = wheel()
    text = to_c(make_programs(SymbolicEquations(fx.formulate(s))))
    assert all(f"{name}.tire" in text for name in ("radius", "k", "hardening", "slip"))


def test_a_law_that_sees_the_orientation_turns_a_magnet_round():
    s = fx.System("magnets")
    a = s.rigid_body("needle", 1.0, 0.01 * np.eye(3), position=[1.0, 0.0, 0.0])
    s.revolute("pivot", s.ground.frame("P", [1.0, 0.0, 0.0]), a, axis="y")
    s.start("pivot", angle=0.1)
    s.add(MagneticBearing("magnet", s.ground.origin, a.origin, 0.3))
    equations = fx.formulate(s)
    # beside each other, dipoles want to lie opposite: V = c cos θ
    assert equations.motion(equations.initial).a[0] == pytest.approx(30.0 * np.sin(0.1), rel=1e-12)


def test_the_page_on_adding_a_force_does_what_it_says():
    text = (Path(__file__).parents[2] / "docs" / "howto_add.md").read_text().split("\n## … a force")[1]
    text = text.partition("\n## ")[0]  # what follows enters its pages in registries
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, "howto_add", "exec"), names)  # the page itself is under test
    assert names["run"]["energy/potential"].max() > 30.0
