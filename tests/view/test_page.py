"""The living report as text: complete in itself, and closed to whatever a result file may say."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sample import LAYOUT, MECHANISM, rows, write_sample

import flexnet as fx
from flexnet.errors import FileFormatError, ResultError, StorageError
from flexnet.results import (
    BodyRecord,
    ChannelSpec,
    EdgeRecord,
    Mechanism,
    ResultLayout,
    Results,
    ResultWriter,
    Symbol,
)
from flexnet.view import page_text, write_page
from flexnet.view.numbers import Numbers
from flexnet.view.page import as_json, asset
from flexnet.view.page_data import MOST_ROWS, told_page
from flexnet.view.parts import drawn_parts, held_places, links
from flexnet.view.scene import scene_of

HOSTILE = (
    "</script><script>document.title='pwned'</script>",
    '<img src=x onerror="window.pwned=1">',
    "\"'><svg onload=window.pwned=1>",
    "<!--<script>",
    "]]>&lt;script&gt;${window.pwned=1}`",
    "javascript:window.pwned=1",
)


class Elements(HTMLParser):
    """Names of all elements of a page, in order, and the texts of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.scripts: list[str] = []
        self._is_script = False
        # the two scripts that are the same in every page take long to parse
        for name in ("three.min.js", "page.js"):
            assert asset(name) in text
            text = text.replace(asset(name), name)
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self._is_script = tag == "script"
        if self._is_script:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._is_script = False

    def handle_data(self, data):
        if self._is_script:
            self.scripts[-1] += data


def write_hostile(path, words):
    """The sample with its names, units and texts replaced."""
    # what names a dataset is printable and holds no slash
    name = "".join(c if c.isprintable() and c not in "/." else "_" for c in words)
    mechanism = Mechanism(
        words,
        nodes=MECHANISM.nodes,
        edges=(
            EdgeRecord(name, "body", words, "ground", "A"),
            EdgeRecord("O", "joint", words, "ground", "A"),
        ),
        trees={"translation": ("O",), "rotation": ("O",)},
        bodies=(MECHANISM.bodies[0], MECHANISM.bodies[1]),
        is_planar=True,
        parameters={words: words},
        symbols={name: Symbol(told=words), "O": Symbol(turns=((0.0, 0.0, 1.0),), told=words)},
    )
    layout = ResultLayout(**{
        **{key: getattr(LAYOUT, key) for key in LAYOUT.__dataclass_fields__},
        "channels": (ChannelSpec(name, words, words),), "q": (words,), "units": {"q": (words,)},
    })  # fmt: skip
    data = rows(np.linspace(0.0, 1.0, 11))
    data[f"channels/{name}"] = data.pop("channels/tip_x")
    del data["channels/tip_vx"]
    with ResultWriter.create(path, layout, case=words, mechanism=mechanism) as writer:
        writer.append(data)
    return Results.open(path)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return Results.open(write_sample(tmp_path_factory.mktemp("page") / "bar.h5"))


def test_a_page_refers_to_nothing_outside_itself(results, tmp_path):
    text = write_page(results, tmp_path / "bar.html").read_text()
    page = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r"""(src|href|url|@import)\s*[=(]""", page)
    assert "default-src 'none'" in text.replace("&#x27;", "'")
    assert "connect-src 'none'" in text.replace("&#x27;", "'")


@pytest.mark.parametrize("words", HOSTILE)
def test_words_of_a_file_cannot_become_markup(words, results, tmp_path):
    harmless = Elements(page_text(results))
    page = Elements(page_text(write_hostile(tmp_path / "x.h5", words)))
    assert page.names == harmless.names
    assert page.scripts[2:] == harmless.scripts[2:] == ["three.min.js", "page.js"]
    assert json.loads(page.scripts[0])["title"] == words


def test_a_file_with_words_that_cannot_be_printed_is_refused(tmp_path):
    with pytest.raises(FileFormatError, match=r"is '.u2028.*flexnet writes no such file"):
        page_text(write_hostile(tmp_path / "x.h5", "\u2028window.pwned=1\u2029"))


@given(
    st.recursive(
        st.text() | st.floats(allow_nan=False, allow_infinity=False) | st.none(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
@settings(max_examples=80, deadline=None)
def test_json_comes_back_as_it_was_and_holds_no_markup(told):
    text = as_json(told)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == told


@given(words=st.text(st.characters(codec="utf-8").filter(str.isprintable), min_size=1, max_size=40))
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_words_of_a_file_stay_words(words, results, tmp_path):
    page = Elements(page_text(write_hostile(tmp_path / "any.h5", words)))
    assert page.names == Elements(page_text(results)).names
    assert json.loads(page.scripts[0])["edges"][1]["kind"] == words


def test_a_page_thins_what_it_cannot_hold_and_says_so(tmp_path):
    long = Results.open(write_sample(tmp_path / "long.h5", np.linspace(0.0, 2.0, 3 * MOST_ROWS)))
    told = told_page([long], Numbers())
    assert told["time"]["shape"] == [MOST_ROWS]
    assert f"{MOST_ROWS} of the {3 * MOST_ROWS} rows" in told["notes"][0]


def test_scripts_hold_nothing_that_would_end_their_element():
    for name in ("three.min.js", "page.js"):
        assert "</script" not in asset(name)
        assert "<!--" not in asset(name)


def test_a_page_ends_in_html_and_needs_rows(results, tmp_path):
    with pytest.raises(StorageError, match=r"ends in \.html"):
        write_page(results, tmp_path / "bar.png")
    with pytest.raises(ResultError, match="at least one"):
        page_text([])
    with ResultWriter.create(tmp_path / "no.h5", LAYOUT, case="no", mechanism=MECHANISM):
        pass
    with pytest.raises(ResultError, match="no rows"):
        page_text(Results.open(tmp_path / "no.h5"))


def sketch(*joints: tuple[str, str, str, Symbol]) -> Mechanism:
    """Bodies a, b and c with frames of their names, and joints between them."""
    points = np.zeros((1, 3))
    bodies = [BodyRecord("ground", "ground", ("ground",), is_ground=True, points=points)]
    bodies += [BodyRecord(name, name, points=points) for name in "abc"]
    edges = tuple(EdgeRecord(name, "joint", "some", tail, head) for name, tail, head, _ in joints)
    return Mechanism(
        "m", ("ground", "a", "b", "c"), edges, {}, tuple(bodies), symbols={j[0]: j[3] for j in joints}
    )


AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def test_welded_bodies_are_one_link_and_a_pin_parts_two():
    mechanism = sketch(("w", "a", "b", Symbol()), ("p", "b", "c", Symbol(turns=AXES[:1])))
    numbers = links(mechanism)
    assert numbers["a"] == numbers["b"] != numbers["c"]


def test_the_ground_is_drawn_where_something_is_held_and_nowhere_else():
    floating = sketch(("free", "ground", "a", Symbol(turns=AXES, slides=AXES)))
    assert held_places(floating) == ()
    assert drawn_parts(floating) == ()
    held = sketch(("pin", "ground", "a", Symbol(turns=AXES[:1])))
    assert held_places(held) == ("ground",)


def test_the_scene_shows_springs_rails_and_one_colour_a_link(tmp_path):
    s = fx.System("cart", planar=True)
    s.ground.frame("wall", [-1.0, 0.0])
    cart = s.rigid_body("cart", 1.0, 0.1, frames={"left": [-0.1, 0.0], "top": [0.0, 0.1]})
    mast = s.rigid_body("mast", 1.0, 0.1, frames={"foot": [0.0, -0.5]}, position=[0.0, 0.6, 0.0])
    arm = s.rigid_body("arm", 1.0, 0.1, frames={"end": [0.0, 0.5]}, position=[0.0, -0.5, 0.0])
    s.prismatic("slide", s.ground, cart)
    s.weld("welded", cart["top"], mast["foot"])
    s.revolute("pin", cart, arm["end"])
    s.spring("coil", s.ground["wall"], cart["left"], stiffness=10.0)
    s.start("slide", displacement=0.2)
    run = fx.simulate(s, 0.5, 1e-2, out=tmp_path / "cart.h5")
    scene = scene_of(Results.open(run.path), np.array([0.0, 0.3]))
    looks = {part.name: part for part in scene.parts}
    assert looks["coil"].look == "spring"
    np.testing.assert_allclose(looks["coil"].ends[0], [[-1.0, 0.0, 0.0], [0.1, 0.0, 0.0]], atol=1e-9)
    slides = run["frames/cart/position"][[0, 30], 0]
    np.testing.assert_allclose(
        looks["slide"].ends[1, :, 0], [min(0.0, slides.min()), slides.max()], atol=1e-9
    )
    link = {shape.name: shape.link for shape in scene.shapes}
    assert link["cart"] == link["mast"] != link["arm"]
    np.testing.assert_allclose(scene.ground, [[0.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])


@pytest.mark.parametrize(
    ("kind", "size", "volume"),
    [("box", [1.0, 2.0, 3.0], 6.0), ("cylinder", [0.5, 2.0], 0.5 * np.pi), ("sphere", 0.5, np.pi / 6)],
)
def test_a_solid_encloses_its_volume_and_faces_outwards(kind, size, volume):
    body = fx.Body("b")
    body.shape(kind, size, position=[1.0, 2.0, 3.0])
    points, corners = body.surfaces[0]
    a, b, c = (points[corners[:, i]] for i in range(3))
    assert np.einsum("ki,ki->k", a, np.cross(b, c)).sum() / 6 == pytest.approx(volume, rel=0.06)
    np.testing.assert_allclose(points.mean(axis=0), [1.0, 2.0, 3.0], atol=1e-12)


def test_a_block_has_the_inertia_it_was_made_from():
    from flexnet.analysis.recording import block

    s = fx.System("b")
    part = s.components[s.rigid_body("b", 12.0, [13.0, 10.0, 5.0]).name]
    points, _ = block(part)
    np.testing.assert_allclose(sorted(np.ptp(points, axis=0)), [1.0, 2.0, 3.0], rtol=1e-12)


def test_a_shape_that_is_none_is_one_sentence():
    body = fx.Body("b")
    with pytest.raises(fx.ModelError, match="did you mean 'sphere'"):
        body.shape("spere", 1.0)
    with pytest.raises(fx.ModelError, match="a cylinder needs positive radius, length"):
        body.shape("cylinder", 1.0)
    with pytest.raises(fx.ModelError, match="names point 5 of 3"):
        body.surface(np.zeros((3, 3)), np.array([[0, 1, 5]]))


def test_what_ties_guides_or_turns_bodies_is_drawn(tmp_path):
    s = fx.System("yard", planar=True)
    s.gravity([0, -9.81])
    drum = s.rigid_body("drum", 1.0, 0.1, {"rim": [0.1, 0.0]})
    s.revolute("axle", s.ground, drum)
    s.motor("motor", "axle", 3.0, constant=0.3, resistance=1.0)
    for k, name in enumerate(("weight", "bob", "bead")):
        s.floats(s.rigid_body(name, 1.0, 0.1, position=[0.1 + k, -1.0]))
    s.cable("rope", drum["rim"], s.bodies["weight"], 1.0, 1e3)
    s.distance_rod("stick", s.ground.frame("nail", [1.1, 0.0]), s.bodies["bob"], 1.0)
    s.point_on_curve("wire", s.ground.frame("W", [2.1, -1.0]), s.bodies["bead"], y=0.0)
    run = fx.simulate(s, 2e-3, 1e-3, out=tmp_path / "a.h5")
    results = Results.open(run.path)
    parts = {part["name"]: part for part in told_page([results], Numbers())["parts"]}
    assert {name: parts[name]["look"] for name in ("rope", "stick", "wire")} == {
        "rope": "tie", "stick": "tie", "wire": "path",
    }  # fmt: skip
    assert parts["axle"]["acted"] == "motor"
    assert {"rope", "stick"} == {p.name for p in scene_of(results, results.time).parts if p.look == "tie"}


def test_every_coordinate_has_its_unit_but_elastic_ones(tmp_path):
    s = fx.System("units")
    rail = s.rigid_body("slide", 1.0, [1.0, 1.0, 1.0])
    top = s.rigid_body("top", 1.0, [1.0, 1.0, 1.0])
    s.prismatic("rail", s.ground, rail, axis="x")
    s.spherical("tip", rail, top)
    run = fx.simulate(s, 1e-2, 1e-2, out=tmp_path / "u.h5", tree="joint")
    units = {c.name: c.unit for c in Results.open(run.path).channel_set().channels}
    assert units["state/q/rail.displacement"] == "m"
    assert units["state/v/rail.displacement"] == "m/s"
    assert units["state/a/rail.displacement"] == "m/s^2"
    (turned,) = {n.rpartition(".")[0] for n in units if n.endswith("quaternion_w")}
    assert units[f"{turned}.quaternion_x"] == "1"
    assert units[turned.replace("/q/", "/v/") + ".omega_z"] == "rad/s"
