"""The living report in a real browser, from the file system and without a network."""

import numpy as np
import pytest
from catalogue import build

import flexnet as fx
from flexnet.analysis.looking import stresses_seen
from flexnet.formulation.symbolic import symbolic
from flexnet.formulation.symbolic.page import page_sections
from flexnet.results import Results
from flexnet.results.rotation import rotate
from flexnet.view import write_page

#: case, parameters, end, step, output interval, an edge to pick
CASES = {
    "squeezer": ({}, 0.004, 1e-5, 4e-5, "E2"),
    "four_bar": ({}, 0.01, 2e-5, 1e-4, "coupler"),
    "panel_deployment": ({}, 1.0, 1e-2, 1e-2, "hinge_2"),
    "leger_a11_stewart": ({}, 0.2, 2e-3, 4e-3, "u1"),
    "motor_four_bar": ({}, 0.02, 1e-4, 4e-4, "coupler"),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Result file and page of every case, made when first asked for."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def page(name):
        if name not in made:
            parameters, end, step, interval, _ = CASES[name]
            run = fx.simulate(
                build(name, **parameters),
                end,
                step,
                interval=interval,
                out=folder / f"{name}.h5",
                throw=False,
            )
            results = Results.open(run.path)
            made[name] = results, write_page(results, folder / f"{name}.html")
        return made[name]

    return page


@pytest.fixture
def opened(browser, pages):
    """A page that is open and ready, with all it said on its console."""
    tabs = []

    def open_page(path):
        tab = browser.new_page()
        said = []
        tab.on("console", lambda m: said.append(m.text) if m.type == "error" else None)
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.goto(path.as_uri())
        tab.evaluate("() => window.flexnet.ready")
        tabs.append(tab)
        return tab, said

    yield open_page
    for tab in tabs:
        tab.close()


def is_drawn(tab) -> bool:
    """Whether the picture has more than its background: at least one pixel in a hundred differs."""
    return tab.evaluate("""() => {
        flexnet.stage().draw();
        const gl = document.getElementById("space").getContext("webgl2");
        const w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, p = new Uint8Array(4 * w * h);
        gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, p);
        let other = 0;
        for (let i = 4; i < p.length; i += 4)
            other += p[i] !== p[0] || p[i + 1] !== p[1] || p[i + 2] !== p[2];
        return other > 0.005 * w * h;
    }""")


@pytest.mark.parametrize("name", CASES)
def test_a_page_opens_without_a_word_of_complaint_and_shows_something(name, pages, opened):
    _, path = pages(name)
    tab, said = opened(path)
    assert said == []
    assert is_drawn(tab)
    assert tab.inner_text("#title") == name
    # the picture does not wait for graph, curves, equations and tables
    first, whole = tab.evaluate(
        "() => ['first picture', 'whole page'].map(x => performance.getEntriesByName(x)[0].startTime)"
    )
    assert first < whole


@pytest.mark.parametrize("name", CASES)
def test_bodies_are_where_the_file_says(name, pages, opened):
    results, path = pages(name)
    tab, _ = opened(path)
    time = results.time
    for row in (0, len(time) // 3, len(time) - 1):
        tab.evaluate("t => flexnet.seek(t)", float(time[row]))
        for body in results.mechanism().bodies:
            if body.is_ground:
                continue
            frame, last = results.frame(body.frame), len(body.points) - 1
            local = body.points[last]
            if body.modes.size:
                local = local + body.modes[last] @ results.elastic(body.name)[row]
            wanted = frame.position[row] + rotate(frame.quaternion[row], local)
            shown = tab.evaluate("([name, i]) => flexnet.pointOf(name, i)", [body.name, last])
            assert np.abs(np.array(shown) - wanted).max() < 1e-6, (body.name, row)


def test_play_moves_the_bodies_to_the_end_of_the_file(pages, opened):
    results, path = pages("squeezer")
    tab, _ = opened(path)
    tab.select_option("#speed", "0.01")
    before = tab.evaluate("() => flexnet.pointOf('K1', 2)")
    tab.click("#play")
    tab.wait_for_function("() => flexnet.state.t > 0 && !flexnet.state.playing")
    after = tab.evaluate("() => flexnet.pointOf('K1', 2)")
    assert np.abs(np.array(after) - before).max() > 1e-5
    assert np.abs(np.array(after) - results.read("frames/K1.F/position")[-1]).max() < 1e-6


@pytest.mark.parametrize("name", CASES)
def test_picking_an_edge_lights_its_partners(name, pages, opened):
    edge = CASES[name][-1]
    results, path = pages(name)
    tab, _ = opened(path)
    tab.evaluate(
        "name => document.querySelector(`#graph g[data-edge='${name}']`).dispatchEvent(new Event('click'))",
        edge,
    )
    lit = tab.evaluate("""() => [...document.querySelectorAll("#graph g[data-lit]")]
        .filter(g => g.dataset.lit).map(g => [g.dataset.edge, g.dataset.lit])""")
    assert [edge, "pick"] in lit
    sets = tab.evaluate("name => flexnet.partners(name)", edge)
    shown = {e for e, _ in lit} - {edge}
    expected = {e for e, _ in (*sets["cutset"], *sets["circuit"])} - {edge}
    dependent = {e.name for e in results.mechanism().edges if e.role == "dependent"}
    assert shown == expected - dependent
    assert edge in tab.inner_text("#picked")
    assert tab.locator("#picked math").count() > 0
    coordinates = [n for n in results.names("state/q") if n.rpartition(".")[0] == edge]
    checked = tab.evaluate(
        "() => [...document.querySelectorAll('#names input:checked')].map(x => x.dataset.curve)"
    )
    assert {f"state/q/{n}" for n in coordinates} <= set(checked)


def test_circuits_of_the_page_are_those_of_the_graph(pages, opened):
    _, path = pages("four_bar")
    tab, _ = opened(path)
    equations = fx.formulate(build("four_bar"))
    for key, tree in (("T", equations.T), ("R", equations.R)):
        for chord in tree.chords:
            if chord.kind is not fx.Kind.DEPENDENT:
                shown = tab.evaluate("([n, k]) => flexnet.partners(n, k).circuit", [chord.name, key])
                assert [tuple(step) for step in shown] == tree.circuit(chord)


@pytest.mark.parametrize("name", CASES)
def test_the_cursor_reads_what_is_in_the_file(name, pages, opened):
    results, path = pages(name)
    tab, _ = opened(path)
    row = results.rows // 2
    tab.evaluate("t => flexnet.seek(t)", float(results.time[row]))
    reads = tab.evaluate("""() => [...document.querySelectorAll("[data-read]")]
        .map(x => [x.dataset.read, Number(x.textContent)])""")
    assert reads
    for key, shown in reads:
        value = results.channel(key.partition(":")[2]).values[row]
        assert shown == pytest.approx(value, rel=1e-5, abs=1e-300)


def test_a_click_in_a_diagram_sets_the_time_and_a_drag_zooms(pages, opened):
    _, path = pages("squeezer")
    tab, _ = opened(path)
    box = tab.locator("#panes canvas").first.bounding_box()
    middle = box["y"] + box["height"] / 2
    tab.mouse.click(box["x"] + box["width"] / 2, middle)
    assert 0.0015 < tab.evaluate("() => flexnet.state.t") < 0.0025
    tab.mouse.move(box["x"] + 120, middle)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 220, middle, steps=4)
    tab.mouse.up()
    low, high = tab.evaluate("() => flexnet.state.window")
    assert 0 < low < high < 0.0025


def test_keys_step_through_the_rows_and_switch_the_graph(pages, opened):
    results, path = pages("squeezer")
    tab, _ = opened(path)
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("() => flexnet.state.t") == pytest.approx(results.time[2], rel=1e-12)
    assert tab.is_hidden("#tabs button[data-tab=events]")  # there are none
    tab.keyboard.press("g")
    assert tab.inner_text("#nettitle").startswith("rotational")


def test_joints_are_seen_on_a_light_and_on_a_dark_page(pages, opened):
    tab, said = opened(pages("squeezer")[1])
    light = """() => { const s = flexnet.stage(); s.draw();
        return s.joints[0].color.r + s.joints[0].color.g + s.joints[0].color.b; }"""
    before = tab.evaluate(light)
    tab.click("#shade")
    assert said == []
    assert tab.evaluate(light) > before + 1.0


def test_a_narrow_window_keeps_the_clock_and_every_section(pages, opened):
    tab, _ = opened(pages("squeezer")[1])
    tab.set_viewport_size({"width": 480, "height": 800})
    tab.evaluate(
        "() => { document.getElementById('title').textContent = 'a_parallel_manipulator_of_three_legs'; }"
    )
    assert tab.locator("header").bounding_box()["height"] < 90  # a long name leaves the status its line
    for part in ("#play", "#slider", "#names", "#side", "#graph"):
        box = tab.locator(part).bounding_box()
        assert box["height"] > 10, part
        assert box["x"] >= 0, part
        assert box["x"] + box["width"] <= 480, part
    assert tab.evaluate("() => document.elementFromPoint(...(() => {"
        " const b = document.getElementById('play').getBoundingClientRect();"
        " window.scrollTo(0, b.top - 100); const c = document.getElementById('play').getBoundingClientRect();"
        " return [c.left + 9, c.top + 9]; })()).id") == "play"  # fmt: skip


#: visible names of the graph that stand nearer to another node than to their own, or far from it
NAMES = """() => {
    const net = flexnet.told.graph[flexnet.state.graph];
    const scale = document.getElementById("graph").getScreenCTM().a;
    const away = (b, [x, y]) => scale * Math.hypot(
        Math.max(b.x - x, 0, x - b.x - b.width), Math.max(b.y + y, 0, -y - b.y - b.height));
    const drawn = [...document.querySelectorAll("#graph text")];
    const shown = net.texts.map((t, i) => ({ name: t.of, on: t.on, element: drawn[i] }))
        .filter((s) => s.element.style.display !== "none");
    const named = shown.filter((s) => s.on === "node" && s.name !== "ground")
        .map((s) => ({ ...s, box: s.element.getBBox() }))
        .map((s) => ({ ...s, own: away(s.box, net.nodes[s.name]) }));
    const stray = named.filter((s) => Object.entries(net.nodes)
        .some(([n, p]) => n !== s.name && away(s.box, p) + 3 < 0.7 * s.own));
    const far = named.filter((s) => s.own > 25);
    return { shown: shown.length, all: net.texts.length,
             stray: stray.map((s) => s.name), far: far.map((s) => s.name) };
}"""


@pytest.mark.parametrize("width", [420, 1400])
def test_names_of_a_graph_stand_beside_what_they_name(width, pages, opened):
    tab, said = opened(pages("leger_a11_stewart")[1])
    tab.set_viewport_size({"width": width, "height": 850})
    tab.wait_for_timeout(100)
    found = tab.evaluate(NAMES)
    assert said == []
    assert found["shown"] > 0.85 * found["all"]
    assert found["stray"] == found["far"] == []


def test_words_of_tables_are_not_broken(pages, opened):
    tab, _ = opened(pages("squeezer")[1])
    tab.click("[data-tab=model]")
    broken = """() => [...document.querySelectorAll("#model td:first-child")].filter(c => {
        const r = document.createRange();
        r.selectNodeContents(c);
        return r.getClientRects().length > 1; }).length"""
    assert tab.evaluate(broken) == 0


def test_paper_shows_all_of_it_in_the_light_and_nothing_squeezed(pages, opened):
    tab, said = opened(pages("squeezer")[1])
    tab.click("#shade")
    tab.emulate_media(media="print")
    tab.wait_for_function("() => document.documentElement.classList.contains('paper')")
    squeezed = """() => [...document.querySelectorAll("#space, #panes canvas")].map(c =>
        Math.abs(c.width / c.height / (c.clientWidth / c.clientHeight) - 1))"""
    assert max(tab.evaluate(squeezed)) < 0.02
    assert tab.evaluate("() => document.body.offsetWidth") < 720  # of a sheet of A4 between its margins
    assert not tab.evaluate("() => document.documentElement.classList.contains('dark')")
    for part, is_there in (("#model", True), ("#energy", True), ("#play", False), ("#list", False)):
        assert tab.is_visible(part) is is_there, part
    tab.emulate_media(media="screen")
    tab.wait_for_function("() => document.documentElement.classList.contains('dark')")
    assert tab.is_visible("#play")
    assert said == []


def test_a_button_that_the_keyboard_has_reached_is_pressed_by_space(pages, opened):
    tab, _ = opened(pages("squeezer")[1])
    tab.focus("#showT")
    tab.keyboard.press("Tab")
    tab.keyboard.press(" ")
    assert tab.inner_text("#nettitle").startswith("rotational")
    assert not tab.evaluate("() => flexnet.state.playing")


def test_pages_are_small(pages, tmp_path):
    system = build("squeezer")
    run = fx.simulate(system, 0.03, 1e-5, interval=6e-5, out=tmp_path / "whole.h5", throw=False)
    page = write_page(Results.open(run.path), tmp_path / "whole.html")
    assert page.stat().st_size < 1.5e6


@pytest.mark.slow
def test_a_page_of_many_triangles_and_frames_is_small(tmp_path, opened):
    run = fx.simulate(
        build("panel_deployment", triangles=512),
        20.0,
        1e-2,
        interval=1e-2,
        out=tmp_path / "p.h5",
        throw=False,
    )
    results = Results.open(run.path)
    assert results.rows >= 2000
    page = write_page(results, tmp_path / "p.html")
    assert page.stat().st_size < 6e6
    tab, said = opened(page)
    assert said == []
    assert is_drawn(tab)


def test_a_network_beside_a_mechanism_is_drawn_where_it_is_picked(pages, opened):
    _, path = pages("motor_four_bar")
    tab, said = opened(path)
    tab.evaluate("() => flexnet.pick('motor.R')")
    assert said == []
    assert tab.evaluate("() => flexnet.state.graph") == "N"
    assert tab.locator("#graph g[data-edge='motor.R'][data-lit='pick']").count() == 1
    assert "electrical" in tab.inner_text("#picked")
    checked = tab.evaluate(
        "() => [...document.querySelectorAll('#names input:checked')].map(x => x.dataset.curve)"
    )
    assert {"motor.R.current", "motor.R.voltage"} <= set(checked)
    tab.click("#showT")  # who asks for the other graph gets it
    assert tab.evaluate("() => flexnet.state.graph") == "T"


def test_a_network_alone_is_a_graph_and_curves_without_an_empty_picture(opened, tmp_path):
    run = fx.simulate(build("gtm_electrical"), 0.1, 1e-3, out=tmp_path / "n.h5")
    tab, said = opened(write_page(Results.open(run.path), tmp_path / "n.html"))
    assert said == []
    assert not tab.is_visible("#stage")
    assert "picture" not in tab.inner_text("#legend") + tab.inner_text("#picked")
    assert tab.locator("#graph g.edge").count() == 4
    tab.set_viewport_size({"width": 420, "height": 850})
    assert tab.locator("#clock").bounding_box()["height"] < 120  # not the room of a picture that is not there
    tab.set_viewport_size({"width": 1400, "height": 950})
    tab.click("[data-tab=energy]")
    cells = tab.evaluate("""() => [...document.querySelectorAll("#energy tr")]
        .map(r => [...r.cells].map(c => c.textContent))""")
    assert [row[0] for row in cells[1:]] == [
        "stored in networks", "work since the start", "put in by sources of networks", "lost in networks",
    ]  # fmt: skip
    stored, given, lost = (float(cells[k][2]) for k in (1, 3, 4))
    assert stored - float(cells[1][1]) == pytest.approx(given + lost, rel=1e-3)  # in less out is what is kept
    tab.click("#energy button")
    shown = tab.evaluate(
        "() => [...document.querySelectorAll('#names input:checked')].map(x => x.dataset.curve)"
    )
    assert set(shown) == {"energy/network", "energy/sources", "energy/losses", "energy/total"}
    tab.evaluate("() => flexnet.pick('R3')")
    lit = tab.evaluate("""() => [...document.querySelectorAll("#graph g[data-lit]")]
        .filter(g => g.dataset.lit).map(g => g.dataset.edge)""")
    tree = run.equations.system.network.tree
    (chord,) = (e for e in tree.chords if e.name == "R3")
    assert set(lit) == {name for name, _ in tree.circuit(chord)} | {"R3"}


def test_equations_too_long_to_be_written_are_followed_by_what_they_are_made_of(pages, opened, tmp_path):
    results, _ = pages("four_bar")
    sections = page_sections(symbolic(build("four_bar")))
    tab, said = opened(write_page(results, tmp_path / "e.html", sections))
    assert said == []
    tab.click("[data-tab=equations]")
    shown = tab.inner_text("#equations")
    assert "too long to be written out" in shown
    assert "--step equations writes them with names for intermediate results" in shown
    assert "T-cutset of O: δW(O) + δW(crank)" in shown
    typeset = tab.text_content("#equations")
    assert "r(B)" in typeset  # the circuit of the cut joint
    assert "Φ" in typeset
    assert "turn_f1(φ²) = (1 - cos φ)/φ²" in shown
    (circuit,) = (line for s in sections for line in s["lines"] if line["label"].startswith("circuit of B"))
    assert "before projection" in circuit["label"]
    factors = [line["label"] for s in sections for line in s["lines"] if line.get("pieces")]
    assert factors.count("with") == 1  # and below it all of them
    assert [s["title"][:6] for s in page_sections(symbolic(build("simple_pendulum")))] == ["Equati"]


def test_plates_of_a_condenser_face_each_other_at_their_frames(opened, tmp_path):
    run = fx.simulate(build("mems_mirror"), 4e-3, 4e-6, interval=4e-5, out=tmp_path / "c.h5")
    tab, said = opened(write_page(Results.open(run.path), tmp_path / "c.html"))
    assert said == []
    for row in (0, len(run.time) - 1):
        tab.evaluate("t => flexnet.seek(t)", float(run.time[row]))
        low, high, thick = tab.evaluate("""() => {
            flexnet.stage().draw();
            const plates = flexnet.stage().scene.children.find((g) => g.userData.edge === "field").children;
            return [...plates.map((p) => p.position.y), plates[0].geometry.parameters.height];
        }""")
        assert high - low - thick == pytest.approx(run.read("channels/gap")[row], rel=1e-5)


def test_events_are_listed_and_lead_to_their_time(opened, tmp_path):
    run = fx.simulate(build("bouncing_ball"), 1.2, 2e-3, interval=2e-2, out=tmp_path / "b.h5")
    results = Results.open(run.path)
    assert results.events == tuple(tuple(one) for one in run.events)
    assert len(results.events) >= 2
    tab, said = opened(write_page(results, tmp_path / "b.html"))
    tab.click("#tabs button[data-tab=events]")
    tab.click("#events tr:nth-child(3)")
    assert said == []
    assert tab.evaluate("() => flexnet.state.t") == results.events[1][0]
    assert tab.locator("#events tr").count() == 1 + len(results.events)


def test_colours_show_the_stress_of_each_cell_and_its_largest_value(opened, tmp_path):
    run = fx.simulate(build("four_bar"), 0.01, 2e-5, interval=1e-4)
    tab, said = opened(run.view(tmp_path / "s.html", stress=True))
    tab.select_option("#tint", "stress")
    assert said == []
    fields = stresses_seen(run)["stress"]
    largest = max(abs(values).max() for values in fields.values())
    assert tab.inner_text("#heatmost").startswith(f"{largest:.3g}"[:3])
    shown = tab.evaluate("() => flexnet.told.fields[0].largest")
    assert shown == pytest.approx(largest, rel=1e-12)


@pytest.mark.parametrize("words", [
    "</script><script>window.pwned=1</script>", '<img src=x onerror="window.pwned=1">', "`${window.pwned=1}`",
])  # fmt: skip
def test_words_of_a_file_are_shown_and_not_run(words, tmp_path, opened):
    from tests.view.test_page import write_hostile

    tab, said = opened(write_page(write_hostile(tmp_path / "x.h5", words), tmp_path / "x.html"))
    tab.evaluate("() => { for (const e of flexnet.told.edges) flexnet.pick(e.name); }")
    assert said == []
    assert tab.evaluate("() => window.pwned") is None
    assert tab.inner_text("#title") == words


def chain(bodies: int) -> fx.System:
    """Rods on pins, one after the other."""
    s = fx.System("chain")
    s.gravity([0, 0, -9.81])
    last = s.ground.origin
    for k in range(bodies):
        rod = s.rigid_body(
            f"b{k}", 0.1, [1e-4, 1e-5, 1e-4], {"a": [-0.05, 0, 0], "b": [0.05, 0, 0]},
            position=[0.05 + 0.1 * k, 0, 0],
        )  # fmt: skip
        s.revolute(f"j{k}", last, rod["a"], axis="y")
        last = rod["b"]
    return s


def test_links_of_a_long_chain_are_seen_between_their_pins(opened, tmp_path):
    run = fx.simulate(chain(40), 1e-3, 1e-3, out=tmp_path / "chain.h5", throw=False)
    tab, said = opened(write_page(Results.open(run.path), tmp_path / "chain.html"))
    widths = tab.evaluate("() => parts.filter(p => p.pin).map(p => 2 * p.pin.geometry.parameters.radiusTop)")
    assert said == []
    assert len(widths) == 40
    assert max(widths) < 0.5 * 0.1  # half the length of a link


def panel(cells: int) -> fx.System:
    """A clamped panel of two triangles a cell."""
    mesh = fx.panel_mesh(2.0, 1.0, cells, cells)
    edge = tuple(mesh.nodes[mesh.find_nodes("left")].mean(axis=0))
    section = fx.ShellSection.uniform(0.003, fx.Material(E=7e10, nu=0.33, rho=2700.0))
    body = fx.mesh_body(
        mesh, [fx.ShellRegion("panel", section)], points={"hinge": edge}, frames={"hinge": "hinge"},
        links=[fx.RigidLink("hinge", "left")],
    )  # fmt: skip
    s = fx.System("panel")
    s.gravity([0, 0, -9.81])
    wing = s.flexible_body("wing", body, support=fx.Clamped("hinge"), modes=4)
    s.weld("root", s.ground, wing["hinge"])
    return s


def two_wheels() -> fx.System:
    """A small and a large inertia on one axis."""
    s = fx.System("wheels", planar=True)
    for name, inertia in (("small", 1e-3), ("large", 20.0)):
        s.revolute(f"axis_{name}", s.ground, s.rigid_body(name, 1.0, inertia))
    return s


def test_a_small_body_is_seen_in_front_of_a_large_one_at_its_place(tmp_path, opened):
    run = fx.simulate(two_wheels(), 0.02, 1e-2, out=tmp_path / "w.h5")
    tab, said = opened(write_page(Results.open(run.path), tmp_path / "w.html"))
    seen = """name => { const s = flexnet.stage(), ray = new THREE.Raycaster(), d = 2 * s.r;
        ray.setFromCamera(new THREE.Vector3(d, d, 0).project(s.camera), s.camera);
        let hit = ray.intersectObjects(s.scene.children.filter(x => x.userData.edge), true)[0].object;
        while (!hit.userData.edge) hit = hit.parent;
        return hit.userData.edge; }"""
    assert said == []
    assert tab.evaluate(seen) == "small"


def test_an_axis_says_its_scale(pages, opened):
    tab, _ = opened(pages("squeezer")[1])
    marks = """() => [[-5.6, 4.4], [32, 73], [0.3, 0.9], [2e-10, 2.5e-10], [1000.00011, 1000.00044], [0, 1]]
        .map(([a, b]) => written(ticks(a, b, 3)))"""
    for written in tab.evaluate(marks):
        assert 2 <= len(set(written)) == len(written) <= 6, written


def test_coordinates_have_units_and_unlike_ones_diagrams_of_their_own(pages, opened):
    tab, _ = opened(pages("motor_four_bar")[1])
    tab.evaluate("() => ['O', 'crank', 'coupler'].forEach(name => flexnet.pick(name))")
    units = tab.evaluate("() => panes.map(p => [p.unit, p.curves.map(unitOf)])")
    assert tab.evaluate("() => ['N*m', 'N m', 'm/s^2', '1'].map(unit => unitOf({ unit }))") == [
        "N·m",
        "N·m",
        "m/s²",
        "",
    ]
    assert len(units) > 1
    assert all(set(inside) == {unit} for unit, inside in units if not unit.startswith("("))
    told = tab.evaluate("() => flexnet.told.runs[0].curves.map(c => [c.name, c.unit])")
    assert dict(told)["state/q/crank.angle"] == "rad"
    assert dict(told)["state/v/crank.angle"] == "rad/s"


def test_the_camera_follows_what_travels_far_and_forces_of_round_off_are_none(tmp_path, opened):
    s = fx.System("falling")
    s.gravity([0, 0, -9.81])
    one = s.rigid_body("one", 1.0, [0.1, 0.1, 0.1], {"a": [0.5, 0, 0]}, position=[0, 0, 0])
    two = s.rigid_body("two", 1.0, [0.1, 0.1, 0.1], {"a": [-0.5, 0, 0]}, position=[1, 0, 0])
    s.spherical("between", one["a"], two["a"])
    run = fx.simulate(s, 4.0, 1e-2, interval=4e-2, out=tmp_path / "f.h5")
    tab, said = opened(write_page(Results.open(run.path), tmp_path / "f.html"))
    assert said == []
    assert tab.is_checked("#follow")
    seen = """t => { flexnet.seek(t); const s = flexnet.stage(); s.draw();
        const at = (n, i) => new THREE.Vector3(...flexnet.pointOf(n, i)).project(s.camera);
        const a = at("one", 0), b = at("two", 0);
        return [...[a.x, a.y, b.x, b.y].map(Math.abs), Math.hypot(a.x - b.x, a.y - b.y)]; }"""
    for t in (0.0, 2.0, 4.0):
        *places, apart = tab.evaluate(seen, t)
        assert max(places) < 1.0, t
        assert apart > 0.2, t
    tab.check("#arrows")
    tab.wait_for_function("() => document.getElementById('scalebar').textContent.includes('no joint')")
    tab.uncheck("#follow")
    assert tab.evaluate(seen, 4.0)[-1] < 0.1


def test_branches_are_told_from_chords_in_a_long_graph(tmp_path, opened):
    run = fx.simulate(chain(24), 2e-3, 1e-3, out=tmp_path / "c.h5", throw=False)
    tab, _ = opened(write_page(Results.open(run.path), tmp_path / "c.html"))
    wide = tab.evaluate("""() => { const k = document.getElementById("graph").getScreenCTM().a;
        const is_branch = new Map(flexnet.told.graph.T.edges.map(e => [e.name, e.is_branch]));
        return [true, false].map(of => [...document.querySelectorAll("#graph g.edge")]
            .filter(g => is_branch.get(g.dataset.edge) === of)
            .map(g => k * g.querySelector("polyline").getAttribute("stroke-width"))); }""")
    branches, chords = wide
    assert min(branches) > 2.0
    assert max(chords) < 1.5


def test_names_of_a_long_graph_can_be_read_and_all_come_when_one_comes_near(tmp_path, opened):
    run = fx.simulate(chain(24), 2e-3, 1e-3, out=tmp_path / "c.h5", throw=False)
    tab, said = opened(write_page(Results.open(run.path), tmp_path / "c.html"))
    sizes = """() => { const g = document.getElementById("graph"), k = g.getScreenCTM().a;
        const texts = [...g.querySelectorAll("text")], shown = texts.filter(t => t.style.display !== "none"),
            sizes = shown.map(t => k * t.getAttribute("font-size"));
        return [Math.min(...sizes), shown.length, texts.length]; }"""
    smallest, shown, every = tab.evaluate(sizes)
    assert said == []
    assert smallest > 8.9
    assert shown < every
    outside = """() => { const g = document.getElementById("graph"), box = g.getBoundingClientRect();
        const shown = [...g.querySelectorAll("text")].filter(t => t.style.display !== "none");
        return shown.map(t => t.getBoundingClientRect()).filter(b => b.top < box.top - 3
            || b.bottom > box.bottom + 3 || b.left < box.left || b.right > box.right).length; }"""
    assert tab.evaluate(outside) == 0
    assert "names appear" in tab.inner_text("#legend")
    box = tab.locator("#graph").bounding_box()
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for _ in range(14):
        tab.mouse.wheel(0, -100)
    tab.wait_for_function("() => !document.getElementById('unnamed').textContent")
    assert tab.evaluate(sizes)[1] == every
    tab.locator("#graph").dispatch_event("dblclick")
    assert tab.evaluate(sizes)[1] == shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "said_out"), [(lambda: chain(200), "loads of the 200 joints"), (lambda: panel(100), "")]
)
def test_large_models_still_play_and_a_page_says_what_it_leaves_out(system, said_out, tmp_path, opened):
    run = fx.simulate(system(), 0.02, 1e-3, interval=1e-3, out=tmp_path / "large.h5", throw=False)
    tab, said = opened(write_page(Results.open(run.path), tmp_path / "large.html"))
    assert said == []
    assert said_out in tab.evaluate("() => document.getElementById('notes').textContent")
    shown = tab.evaluate("""() => { const a = performance.now(); let n = 0;
        while (performance.now() - a < 1000) { flexnet.seek(0.02 * (n % 10) / 10); n++; } return n; }""")
    assert shown >= 5  # pictures a second, by software on a busy machine; 20 and 124 were seen


def test_all_of_it_stays_in_the_picture_when_deformations_are_magnified(pages, opened):
    tab, said = opened(pages("panel_deployment")[1])
    outermost = """() => { const s = flexnet.stage(); s.draw(); s.camera.updateMatrixWorld();
        const at = (n, i) => new THREE.Vector3(...flexnet.pointOf(n, i)).project(s.camera);
        return Math.max(...flexnet.told.bodies.flatMap((b) => Array.from({ length: b.points.shape[0] },
            (_, i) => { const p = at(b.name, i); return Math.max(Math.abs(p.x), Math.abs(p.y)); }))); }"""
    for factor in ("1", "10", "100"):
        tab.select_option("#factor", factor)
        for t in (0.0, 0.5, 1.0):
            tab.evaluate("t => flexnet.seek(t)", t)
            assert tab.evaluate(outermost) < 1.0, (factor, t)
    assert said == []


def test_equations_of_a_network_stand_on_its_page(opened, tmp_path):
    run = fx.simulate(build("gtm_electrical"), 0.1, 1e-3, out=tmp_path / "n.h5")
    sections = page_sections(symbolic(build("gtm_electrical")))
    assert [s["title"] for s in sections] == ["Equations of the network"]
    tab, said = opened(write_page(Results.open(run.path), tmp_path / "n.html", sections))
    assert said == []
    tab.click("[data-tab=equations]")
    shown = tab.locator("#equations .label").all_text_contents()
    for words in ("by cutsets", "by circuits", "terminal equations", "state equations"):
        assert shown.count(words) == 1
    assert tab.locator("#equations .equation").count() == 2 + 2 + 4 + 1


def test_what_grows_much_is_seen_from_its_start_to_its_end(opened, tmp_path):
    run = fx.simulate(build("leger_a08_3rpr"), 10.0, 1e-2, interval=0.1, out=tmp_path / "g.h5")
    tab, said = opened(write_page(Results.open(run.path), tmp_path / "g.html"))
    assert said == []
    high = """() => { const s = flexnet.stage(), q = new THREE.Vector3();
        const p = new THREE.Vector3(...flexnet.pointOf("m7", 0));
        return Math.abs(p.project(s.camera).y - q.project(s.camera).y); }"""
    for time in (0.0, 5.0, 10.0):  # 2.7 m to 140 m above the ground: always most of the picture
        tab.evaluate("t => flexnet.seek(t)", time)
        tab.wait_for_timeout(100)
        assert 0.3 < tab.evaluate(high) < 2.0


def test_a_ball_is_seen_to_fall_to_the_floor(opened, tmp_path):
    """The plane of the impacts is part of where it begins: the camera stays, the floor is in the picture."""
    run = fx.simulate(build("bouncing_ball"), 0.6, 2e-3, interval=1e-2, out=tmp_path / "b.h5")
    tab, said = opened(write_page(Results.open(run.path), tmp_path / "b.html"))
    high = """t => { flexnet.seek(t); const s = flexnet.stage(); s.draw(); s.camera.updateMatrixWorld();
        return ["ball", null].map(n => new THREE.Vector3(...(n ? flexnet.pointOf(n, 0) : [0, 0, 0]))
            .project(s.camera).y); }"""
    assert not tab.is_checked("#follow")
    (first, floor), (last, same) = tab.evaluate(high, 0.0), tab.evaluate(high, 0.45)
    assert -1.0 < floor == same < last < first < 1.0
    assert first - last > 0.7
    # where the camera follows, lines of the ground go by
    assert not tab.evaluate("() => flexnet.stage().lattice.visible")
    tab.check("#follow")
    lines = """t => { flexnet.seek(t); const s = flexnet.stage(); s.draw(); s.camera.updateMatrixWorld();
        const p = s.lattice.position, cell = s.lattice.scale.x, at = p.y / cell;
        return [s.lattice.visible, Math.abs(at - Math.round(at)), p.clone().project(s.camera).y,
            Math.abs(s.controls.target.y - p.y) / cell]; }"""
    seen = [tab.evaluate(lines, t) for t in (0.05, 0.1, 0.15, 0.2)]
    assert all(is_there and off < 1e-9 and away <= 0.51 for is_there, off, _, away in seen)
    assert len({round(y, 3) for *_, y, _ in seen}) == 4
    assert said == []


def test_pins_are_seen_in_front_of_the_solids_they_hold(opened, tmp_path):
    run = fx.simulate(build("servo_axis"), 0.01, 1e-3, out=tmp_path / "s.h5", throw=False)
    tab, said = opened(write_page(Results.open(run.path), tmp_path / "s.html"))
    seen = """name => { const s = flexnet.stage(), ray = new THREE.Raycaster();
        const pin = parts.find(p => p.name === name).pin.position.clone();
        ray.setFromCamera(pin.project(s.camera), s.camera);
        return ray.intersectObjects([...parts, ...bodies].map(x => x.group), true)[0].object.material.color
            .getHexString() === s.joints[0].color.getHexString(); }"""
    assert said == []
    assert tab.evaluate(seen, "shaft")


def test_surfaces_that_lie_in_each_other_do_not_flicker(pages, opened):
    """Folded panels are in one plane: which is in front is the same at every pixel."""
    tab, _ = opened(pages("panel_deployment")[1])
    offsets = tab.evaluate(
        "() => bodies.filter(b => b.surface).map(b => b.surface.material.polygonOffsetUnits)"
    )
    assert len(set(offsets)) == len(offsets) == 2
