"""Wrong calls of the public interface: one sentence with the name, the value and what was expected.

The first table is made from the signatures, so that a new function or option is in it by itself.
"""

import inspect
import math
import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import UnionType

import numpy as np
import pytest

import flexnet as fx
from flexnet.annotation import fits, words
from flexnet.door import imported, promises

#: what may be handed over by mistake
WRONG = [
    "fast", "a\nb", "a\0b", "\x1b[31m", math.nan, math.inf, -math.inf, None, True, 1.5, 3, b"bytes", object(),
    ["a", "b"], [1.0, math.nan], {"a": 1}, {3: 1}, lambda: 0, np.array(["a"]), 1j, fx.hht,
    10**400, 10**5000, np.array(1.0), np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]),
]  # fmt: skip


def doors() -> Iterator[tuple[str, typing.Callable]]:
    """Every public function and method, as the user calls it."""
    for name in fx.__all__:
        thing = getattr(fx, name)
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing) and not issubclass(thing, BaseException | Enum):
            for key, member in vars(thing).items():
                if inspect.isfunction(member) and is_door(member) and not is_written(thing, key):
                    yield f"{name}.{key}", member


def is_door(function: typing.Callable) -> bool:
    return function.__code__.co_name == "call" and function.__globals__["__name__"] == "flexnet.door"


def is_written(owner: type, key: str) -> bool:
    """Whether users write a method, in classes of their own, and flexnet calls it."""
    return key != "__init__" and any(key in vars(kin) for kin in owner.__subclasses__())


def raw(function: typing.Callable) -> typing.Callable:
    return inspect.unwrap(function)


def kinds_of(function: typing.Callable) -> tuple[inspect.Signature, dict[str, object]]:
    """Signature of a function, and of what kind its arguments are."""
    signature, kinds = promises(raw(function))
    return signature, {key: imported(kind, raw(function)) for key, kind in kinds.items()}


def own(function: typing.Callable) -> tuple[None, ...]:
    """Stands for ``self`` where the function is a method."""
    return (None,) if "self" in inspect.signature(function).parameters else ()


def sample(kind: object) -> object:
    """Something that fits an annotation."""
    candidates = [
        1.0,
        1,
        1j,
        Path("a"),
        "a",
        True,
        None,
        [1.0, 2.0, 3.0],
        {"a": [1.0]},
        ["a"],
        [1],
        np.eye(3),
        len,
    ]
    for value in candidates:
        if fits(value, kind):
            return value
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        return inner[0]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"a": sample(inner[1])}
    if origin in (typing.Union, UnionType):
        return sample(next(one for one in inner if one is not type(None)))
    if isinstance(origin, type) and issubclass(origin, tuple):
        return tuple(sample(one) for one in inner if one is not ...)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return [sample(inner[0])]
    if isinstance(kind, typing.TypeVar):
        return sample((kind.__constraints__ or (kind.__bound__,))[0])
    chosen = next(one for one in (kind, *inner) if isinstance(one, type) and one.__module__ != "builtins")
    while inspect.isabstract(chosen):
        chosen = chosen.__subclasses__()[0]
    return next(iter(chosen)) if issubclass(chosen, Enum) else object.__new__(chosen)


def wrong_calls() -> list:
    calls = []
    for name, function in doors():
        signature, kinds = kinds_of(function)
        before: dict[str, object] = {}
        for key, parameter in signature.parameters.items():
            kind = kinds[key]
            if key != "self" and parameter.kind not in (2, 4):
                needed = [
                    k
                    for k, p in signature.parameters.items()
                    if p.default is p.empty and p.kind not in (2, 4)
                ]
                rest = dict.fromkeys(k for k in needed if k not in before and k not in (key, "self"))
                wrong = [v for v in WRONG if not fits(v, kind) and v is not parameter.default]
                calls += [pytest.param(function, {**rest, **before}, key, v, id=f"{name}-{key}-{i}")
                          for i, v in enumerate(wrong)]  # fmt: skip
                before[key] = sample(kind)
    return calls


CALLS = wrong_calls()


def refused(call: typing.Callable, /, *arguments: object, **named: object) -> str:
    with pytest.raises(fx.FlexnetError) as caught:
        call(*arguments, **named)
    message = str(caught.value)
    assert "\n" not in message
    assert message.isprintable()
    assert 10 < len(message) < 600
    return message


def test_the_table_is_long_and_leaves_out_nothing() -> None:
    assert len(CALLS) > 2000
    unchecked = set()
    for name, function in doors():
        signature, kinds = kinds_of(function)
        for key, parameter in signature.parameters.items():
            if key != "self" and parameter.kind not in (2, 4) and fits(object(), kinds[key]):
                unchecked.add((name, key))
    assert not unchecked


@pytest.mark.parametrize("part", range(8))
def test_a_wrong_argument_is_named_with_its_value_and_what_was_expected(part: int) -> None:
    for case in CALLS[part::8]:
        function, before, key, value = case.values
        message = refused(function, *own(function), **before, **{key: value})
        assert re.search(rf"\b{key}(\[.*\])? is ", message), (case.id, message)
        assert "expected " in message, (case.id, message)


@pytest.mark.parametrize(("name", "function"), list(doors()), ids=lambda x: x if isinstance(x, str) else "")
def test_an_unknown_keyword_is_named_with_the_nearest(name: str, function: typing.Callable) -> None:
    keys = [k for k, p in inspect.signature(function).parameters.items() if p.kind in (1, 3) and k != "self"]
    if any(p.kind == 4 for p in inspect.signature(function).parameters.values()):
        return
    message = refused(function, *own(function), no_such_option=1)
    assert "has no argument 'no_such_option'" in message
    if keys and len(keys[0]) > 3:
        assert f"did you mean {keys[0]!r}" in refused(function, *own(function), **{keys[0] + "s": 1})


def pendulum() -> fx.System:
    s = fx.System("pendulum", planar=True)
    s.gravity([0, -9.81, 0])
    bob = s.rigid_body("bob", 1.0, 0.1, frames={"pivot": [0, 1.0]})
    s.revolute("O", s.ground, bob["pivot"])
    return s


def simulated(**options: object) -> None:
    fx.simulate(pendulum(), **{"end": 0.1, "step": 1e-2, **options})


def failing(at: float) -> typing.Callable:
    def law(x: float, v: float, t: float) -> float:
        if t >= at:
            raise KeyError("no such entry")
        return 0.0

    return law


STEEL = {"E": 2e11, "nu": 0.3, "rho": 7800.0}
SEMANTIC: Mapping[str, tuple[typing.Callable, str]] = {
    **{f"step {x}": (lambda x=x: simulated(step=x), "step") for x in (0.0, -1.0, "fast", math.nan, math.inf)},
    **{f"end {x}": (lambda x=x: simulated(end=x), "end") for x in (-1.0, "late", math.nan, math.inf)},
    **{f"tolerance {x}": (lambda x=x: simulated(tolerance=x), "tolerance") for x in (0.0, -1.0, math.nan)},
    **{f"newton {x}": (lambda x=x: simulated(newton=x), "newton") for x in (0.0, -1e-9, math.nan, "fine")},
    **{f"block {x}": (lambda x=x: simulated(block=x), "block") for x in (0, -1, 1.5)},
    **{f"interval {x}": (lambda x=x: simulated(interval=x), "interval") for x in (0.0, -1, math.nan, 0.015)},
    "method not called": (lambda: simulated(method=fx.hht), r"call it: fx\.hht\(\)"),
    "method as a text": (lambda: simulated(method="hht"), r"method is 'hht'; .*; call it: fx\.hht\(\)$"),
    "method as a number": (lambda: simulated(method=3), "method"),
    "engine": (lambda: simulated(engine="numerical"), "engine"),
    "tree": (lambda: simulated(tree="joints"), "joint"),
    "out too long": (lambda: simulated(out="x" * 5000), "written|long"),
    "out NUL": (lambda: simulated(out="a\0b"), "out is"),
    "alpha": (lambda: fx.hht(-1.0), "between -1/3 and 0"),
    "rho": (lambda: fx.generalised_alpha(2.0), "between 0 and 1"),
    "control": (lambda: fx.energy_preserving(control="eror"), "control is 'eror'"),
    "unit unknown": (lambda: recorded("parsec"), "unknown unit 'parsec'"),
    "unit of another dimension": (lambda: recorded("N"), "'N'; it is recorded in m"),
    "support as a text": (lambda: flexible(support="clamped"), r'; write fx\.Clamped\("start"\)$'),
    "support of a command": (lambda: flexible(support="pinned:a,b"), r'; write fx\.Pinned\("start", "end"'),
    "support as a class": (lambda: flexible(support=fx.Free), r"; write fx\.Free\(\)$"),
    "reduction method": (lambda: flexible(method="eigenmode"), "eigenmode"),
    "modes": (lambda: flexible(modes=-1), "modes"),
    "inertia": (lambda: flexible(inertia="lump"), "lump"),
    "material": (lambda: fx.Material(E=-1.0, nu=0.3, rho=1.0), "E = -1"),
    "section": (lambda: fx.rectangle(0.0, 1.0), "0"),
    "mesh": (lambda: fx.beam_mesh(1.0, 0), "0"),
    "mesh file": (lambda: fx.read_mesh("a\0b.msh"), "path is"),
    "mesh file too long": (lambda: fx.read_mesh("x" * 5000 + ".msh"), "cannot be read"),
    "results": (lambda: fx.Results.open("no_such.h5"), "no such file"),
    "results too long": (lambda: fx.Results.open("x" * 5000), "long|read"),
    "force of a body": (lambda: measured(fx.force("bob")), "force of the body 'bob'; expected a joint"),
    "expression as a text": (lambda: fx.expression("sin(t)"), r"formula is 'sin\(t\)'; expected"),
    "joint": (lambda: pendulum().start("P", angle=1.0), "no joint is called 'P'"),
    "coordinate": (lambda: pendulum().start("O", angel=1.0), "angel"),
    "points of two coordinates": (lambda: fx.polyline_mesh([[0, 0], [1, 0], [1, 1]], 1), "points are"),
    "points of unequal length": (lambda: fx.polyline_mesh([[0, 0, 0], [1, 0]], 1), "points are"),
    "more elements than memory": (lambda: fx.beam_mesh(1.0, 10**15), r"beam_mesh\(\): .* memory"),
    "nu of a section": (lambda: fx.circle(1.0, nu=-3.0), "circle: nu = -3"),
    "frame in a mapping": (lambda: framed("a", "x"), r"frames\['a'\] is 'x'; expected"),
    "frame of four numbers": (lambda: framed("a", [1, 2, 3, 4]), "position of frame 'b.a'"),
    "frame far away": (lambda: framed("a", [1e300] * 3, runs=True), "too large, too small"),
    "tracking": (lambda: fx.pid(fx.time(), 1.0, ki=1.0, low=-1.0, high=1.0, tracking=-0.1), "tracking"),
    "inductances of unequal length": (lambda: coupled([[1.0, 0.1], [0.1]]), "inductance of 'M'"),
    "currents of too many windings": (lambda: coupled([[1.0, 0.1], [0.1, 1.0]], [0.0]), "starts of 'M'"),
    "friction below zero": (lambda: rubbed(-1.0), "friction 'f' has the level -1"),
    "function in a channel": (lambda: computed(lambda x: failing(0.0)(x, 0.0, 1.0)), "signal: KeyError"),
    "function that gives a text": (lambda: computed(lambda x: "x"), "signal: ValueError"),
    "law at the start": (lambda: sprung(failing(0.0)), r"law of .*'s'|law of s"),
    "law in a run": (lambda: sprung(failing(0.05)), "law of s.*KeyError"),
}  # fmt: skip
for letter in '\n\0\x1b<>&"`$\\{}%;|\u202e':
    SEMANTIC = {
        **SEMANTIC,
        f"body named {letter!r}": (lambda c=letter: named(f"a{c}b"), "name"),
        f"system named {letter!r}": (lambda c=letter: fx.System(f"a{c}b"), "name"),
        f"channel named {letter!r}": (lambda c=letter: recorded("m", f"a{c}b"), "name"),
        f"frame named {letter!r}": (lambda c=letter: framed(f"a{c}b"), "name|frames"),
        f"node named {letter!r}": (
            lambda c=letter: fx.System("s").resistor("R", f"a{c}b", "b", 1.0),
            "node|tail",
        ),
    }


def named(name: str) -> None:
    fx.System("s").rigid_body(name, 1.0, [1, 1, 1])


def framed(name: str, place: object = (0, 0, 0), runs: bool = False) -> None:
    s = fx.System("s")
    body = s.rigid_body("b", 1.0, [1, 1, 1], frames={name: place})
    if runs:
        s.revolute("O", s.ground, body[name])
        with np.errstate(all="ignore"):
            fx.simulate(s, 2e-3, 1e-3)


def coupled(inductance: object, starts: object = None) -> None:
    fx.System("s").coupled_inductors("M", [("a", "b"), ("c", "d")], inductance, starts=starts)


def rubbed(level: float) -> None:
    pendulum().joint_friction("f", joint="O", force=level, slip=0.01)


def computed(call: typing.Callable) -> None:
    s = pendulum()
    s.channel("x", fx.function(call, fx.position(s.bodies["bob"], along="x")))
    fx.simulate(s, 2e-3, 1e-3)


def recorded(unit: str, name: str = "x") -> None:
    s = pendulum()
    s.channel(name, fx.position(s.bodies["bob"], along="x"), unit=unit)


def measured(measure: fx.Signal) -> None:
    pendulum().channel("x", measure)


def test_a_channel_that_cannot_be_read_is_refused_before_there_is_a_file(tmp_path: Path) -> None:
    ball = fx.System("ball")
    ball.spherical("O", ball.ground, ball.rigid_body("bob", 1.0, [0.1] * 3, {"pivot": [0, 0, 1.0]})["pivot"])
    ball.channel("x", fx.joint_coordinate("O"))
    assert "no coordinate 'angle'" in refused(fx.simulate, ball, 0.1, 1e-2, out=tmp_path / "a.h5")
    driven = fx.System("driven", planar=True)
    bob = driven.rigid_body("bob", 1.0, 0.1, frames={"pivot": [0, 1.0]})
    driven.revolute("O", driven.ground, bob["pivot"])
    driven.motion("m", joint="O", angle=fx.ramp(0.0, 1.0))
    driven.channel("x", fx.joint_coordinate("m", "displacement"))
    times = np.linspace(0.0, 0.1, 3)
    assert "no coordinate 'displacement'" in refused(fx.kinematics, driven, times, out=tmp_path / "a.h5")
    assert not list(tmp_path.iterdir())


def flexible(**options: object) -> None:
    rod = fx.beam_body(1.0, 2, fx.Material(**STEEL), fx.rectangle(0.01, 0.01))
    fx.System("s").flexible_body("r", rod, **{"support": fx.Clamped("start"), "modes": 1, **options})


def sprung(law: typing.Callable) -> None:
    s = pendulum()
    s.torsional_spring("s", joint="O", law=law)
    with pytest.raises(fx.FlexnetError) as caught:
        fx.simulate(s, 0.1, 1e-2)
    assert isinstance(caught.value.__cause__, KeyError)
    raise caught.value


@pytest.mark.parametrize("name", SEMANTIC)
def test_what_makes_no_sense_is_refused(name: str) -> None:
    call, said = SEMANTIC[name]
    message = refused(call)
    assert re.search(said, message), message


def test_a_list_is_kept_as_the_tuple_and_a_fraction_as_the_number_that_is_asked_for() -> None:
    """A list in a section made it impossible to compare, a fraction ended in NumPy's errors."""
    ply = fx.Ply(fx.Material(**STEEL), Fraction(1, 100))
    assert hash(fx.ShellSection([ply])) == hash(fx.ShellSection((ply,)))
    assert fx.BeamSection(1.0, 1.0, 1.0, corners=np.array([[1.0, 2.0]])).corners == ((1.0, 2.0),)
    assert fx.lag(fx.time(), Fraction(1, 2)).dimension == (0, 0, 1)
    assert fx.quantity(Fraction(1, 2), "m").unit == "m"


def test_a_long_vector_is_a_direction() -> None:
    """The square of its length is no number: it became an axis of zeros."""
    assert fx.rotation([0.0, 0.0, 1e300], 1.0) == pytest.approx(fx.rotation("z", 1.0))


def test_there_are_two_hundred_of_them() -> None:
    assert len(SEMANTIC) + len(list(doors())) > 200
    assert isinstance(WRONG, Sequence)


def swinging() -> fx.System:
    s = fx.System("pendulum", planar=True)
    s.gravity([0.0, -9.81])
    s.revolute("O", s.ground, s.rigid_body("bob", 1.0, 0.1, {"O": [0.0, 1.0]})["O"])
    s.start("O", angle=1.0)
    return s


def test_what_is_handed_over_for_what_is_made_of_it_is_told_how() -> None:
    s = swinging()
    with pytest.raises(fx.ModelError, match=r"expected an Equations; fx\.formulate\(…\) makes them"):
        fx.linearise(s)
    with pytest.raises(fx.ModelError, match=r"expected a State or None; equations begin there by fx\.formu"):
        fx.linearise(fx.formulate(s), fx.simulate(s, 0.01, 1e-3).state())
    with pytest.raises(
        fx.ModelError, match=r"expected .* or a finite number or a function or a list of such$"
    ):
        s.torque("motor", joint="O", torque="5")
    with pytest.raises(fx.ModelError, match=r"force is \(1, 0\); expected \(anything, anything, anything\)"):
        fx.Action(force=(1, 0))
    with pytest.raises(fx.MeshError, match=r"elements is 0; expected a whole number from 1 on$"):
        fx.beam_body(1.0, 0, fx.Material(E=2e11, nu=0.3, rho=7800.0), fx.circle(0.01))
    with pytest.raises(fx.ModelError, match="at least one parameter; none is given"):
        fx.sensitivities(swinging, {}, 0.1, 1e-2)


def test_a_warning_is_at_the_line_that_called_flexnet() -> None:
    """Not at one of flexnet itself, where the second of two would be taken for the first and not shown."""
    with pytest.warns(UserWarning, match="not in balance") as said:
        fx.linearise(fx.formulate(swinging()))
    assert [Path(one.filename) for one in said] == [Path(__file__)]


def test_answers_are_shown_in_words() -> None:
    s = swinging()
    rest = fx.equilibrium(s)
    assert repr(rest).startswith("rest of 'pendulum': stable: no small motion grows; ")
    assert "loads: O" in repr(rest)
    assert "frequency [Hz]" in repr(fx.linearise(rest.equations, rest.state))


@pytest.mark.skipif(not hasattr(typing, "TypeAliasType"), reason="aliases are objects from Python 3.12 on")
def test_an_alias_is_what_it_stands_for():
    """NumPy 2.5 made ``NDArray`` one: every public call ended in a TypeError."""
    kind = typing.TypeVar("kind")
    several = typing.TypeAliasType("several", Sequence[kind], type_params=(kind,))
    number = typing.TypeAliasType("number", int | float)
    assert fits([1.5, 2], several[number])
    assert not fits(["a"], several[number])
    assert fits(None, several[number] | None)
    assert words(several[number]) == "a list, each a whole number or a finite number"


def test_what_becomes_of_an_array_that_was_handed_over_changes_nothing() -> None:
    """Arrays are copied: one that is read-only is as good, and what happens to it afterwards is not felt."""

    def build(is_spoiled: bool) -> np.ndarray:
        s = fx.System("s")
        mine = [np.array([0.0, 0.0, -9.81]), np.diag([0.1, 0.2, 0.3]), np.array([0.1, 0.0, 0.0]), np.eye(3)]
        g, J, place, R = mine
        K, C = (np.eye(6) for _ in range(2))
        s.gravity(g)
        body = s.rigid_body("b", 1.0, J, position=place, rotation=R, velocity=place, frames={"p": place})
        s.floats(body)
        s.bushing("k", s.ground, body["p"], K, damping=C)
        s.channel("x", fx.lookup(fx.position(body, along=place), np.linspace(0, 1, 3), mine[1][0]), unit="1")
        for array in (*mine, K, C):
            array.flags.writeable = is_spoiled
            if is_spoiled:
                array[...] = 7.0
        return fx.simulate(s, 3e-3, 1e-3).state().p

    np.testing.assert_array_equal(build(True), build(False))
