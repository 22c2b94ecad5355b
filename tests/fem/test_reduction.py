"""Choice of shapes, what is kept and what is reported, and answers of reduced bodies."""

import numpy as np
import pytest

from flexnet.errors import ModelError
from flexnet.fem.beam import BeamRegion, BeamSection, circle
from flexnet.fem.bodies import beam_body, panel_body
from flexnet.fem.body import Body
from flexnet.fem.links import AverageLink
from flexnet.fem.material import Material, Rayleigh
from flexnet.fem.modes import natural_modes
from flexnet.fem.reduction import Reduction
from flexnet.fem.shell import ShellSection
from flexnet.fem.statics import Loads, solve_static
from flexnet.fem.structure import supported
from flexnet.fem.supports import Clamped, Free, Pinned
from flexnet.fem.table_builder import TableOptions, build_table
from flexnet.mesh import beam_mesh, polyline_mesh

STEEL = Material(E=210e9, nu=0.3, rho=7850.0)
BAR = BeamSection(A=1e-4, Iy=8e-10, Iz=2e-9, J=2e-9)
PLAIN = TableOptions(geometric=False)


def beam(elements=8, **options):
    return Body(
        beam_mesh(1.0, elements),
        [BeamRegion("beam", STEEL, BAR)],
        frames={"root": "start", "mid": "middle", "tip": "end"},
        **options,
    )


def bare():
    return Body(beam_mesh(1.0, 4), [BeamRegion("beam", STEEL, BAR)])


def table(*arguments, body=None, **options):
    return build_table(body or beam(), Reduction(*arguments, **options), PLAIN)


def test_modes_by_number_list_and_frequency_are_the_same_modes():
    exact = natural_modes(supported(beam(), Clamped("start")), 8).frequency
    assert np.allclose(table(Clamped("start"), 5).modes.frequency, exact[:5])
    assert np.allclose(table(Clamped("start"), [2, 5]).modes.frequency, exact[[1, 4]])
    limited = table(Clamped("start"), frequency_limit=0.5 * (exact[5] + exact[6]))
    assert np.allclose(limited.modes.frequency, exact[:6])


def test_the_first_mode_left_out_is_reported():
    exact = natural_modes(supported(beam(), Clamped("start")), 8).frequency
    assert table(Clamped("start"), 4).modes.next_frequency == pytest.approx(exact[4])
    assert table(Clamped("start"), [1, 3]).modes.next_frequency == pytest.approx(exact[1])
    assert table(Clamped("start"), frequency_limit=exact[3] * 1.001).modes.next_frequency == pytest.approx(
        exact[4]
    )
    text = table(Clamped("start"), 4).modes.text()
    assert f"next eigenmode: {exact[4]:.6g} Hz" in text
    assert "left out" in text
    assert text.count("normal") == 4


def test_effective_masses_of_all_modes_are_the_moving_mass():
    """All modes of a clamped body: its mass less what the mass matrix couples to the clamped node."""
    body = beam(4)
    everything = table(Clamped("start"), 24, body=body)
    full = table(Clamped("start"), method="full", body=body)
    momentum = full.inertia.N1
    expected = np.einsum("ai,ij,aj->a", momentum, np.linalg.inv(full.M), momentum)
    assert np.allclose(everything.modes.effective_mass[:, :3].sum(axis=0), expected)
    assert (everything.modes.left_out[:3] < 0.1).all()
    assert np.isnan(everything.modes.next_frequency)
    assert np.isnan(full.modes.left_out).all()


@pytest.mark.parametrize("method", ["attachment", "craig_bampton"])
@pytest.mark.parametrize("frame", ["mid", "tip"])
def test_static_shapes_make_a_load_on_a_frame_exact(method, frame):
    """With no eigenmode at all the static answer at every node is exact."""
    reduced = table(Clamped("start"), 0, method=method)
    load = np.array([3.0, 1.0, 2.0, 0.4, 0.5, 0.6])
    f = reduced.frames.names.index(frame)
    rows = np.concatenate([reduced.frames.translation[f], reduced.frames.rotation[f]])
    q = np.linalg.solve(reduced.K, rows.T @ load)
    u = solve_static(supported(beam(), Clamped("start")), Loads({beam().frames[frame]: load}))
    assert np.allclose(reduced.output.translation @ q, u.reshape(-1, 6)[:, :3], rtol=1e-8, atol=1e-16)
    assert set(reduced.modes.kind) == {"attachment"}


def test_craig_bampton_frequencies_converge_from_above_and_are_named():
    exact = natural_modes(supported(beam(), Clamped("start")), 6).frequency
    few = table(Clamped("start"), 2, method="craig_bampton").modes
    many = table(Clamped("start"), 10, method="craig_bampton").modes
    assert (few.frequency[:6] >= exact * (1 - 1e-9)).all()
    assert np.abs(many.frequency[:6] / exact - 1).max() < np.abs(few.frequency[:6] / exact - 1).max()
    assert many.frequency[:6] == pytest.approx(exact, rel=2e-4)
    assert few.kind.count("normal") == 2
    assert few.kind.count("attachment") == 12


def test_attachment_shapes_leave_the_eigenmodes_alone():
    both = table(Clamped("start"), 3, method="attachment").modes
    assert np.allclose(both.frequency[:3], table(Clamped("start"), 3).modes.frequency)
    assert both.kind[:3] == ("normal",) * 3
    assert len(both.kind) == 3 + 12


def test_no_chosen_frame_leaves_the_eigenmodes():
    modes = table(Clamped("start"), np.int64(3), method="craig_bampton", frames=[]).modes
    assert modes.kind == ("normal",) * 3
    assert np.allclose(modes.frequency, table(Clamped("start"), 3).modes.frequency)


def test_only_the_chosen_frames_get_static_shapes():
    assert len(table(Clamped("start"), 3, method="attachment", frames=["tip"]).modes.kind) == 9
    with pytest.raises(ModelError, match="no frame 'hub' on the body; there are: root, mid, tip"):
        table(Clamped("start"), 3, method="attachment", frames=["hub"])


def test_a_free_body_with_one_frame_gains_no_constraint_shape():
    body = Body(beam_mesh(1.0, 8), [BeamRegion("beam", STEEL, BAR)], frames={"tip": "end"})
    reduced = table(Free(), 4, method="craig_bampton", body=body)
    assert reduced.modes.kind == ("normal",) * 4


def test_a_free_craig_bampton_body_balances_loads_between_its_frames():
    """Equal and opposite pulls on two frames stretch a free body as they stretch a clamped one."""
    reduced = table(Free(), 0, method="craig_bampton")
    load = reduced.frames.translation[2, 0] - reduced.frames.translation[0, 0]
    q = np.linalg.solve(reduced.K, load)
    assert load @ q == pytest.approx(1.0 / (STEEL.E * BAR.A), rel=1e-9)
    assert len(reduced.modes.kind) == 12


def test_an_averaged_interface_can_be_an_attachment_frame():
    mesh = polyline_mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0]], 2).with_nodes([0.9, 0.3, 0.2], "hub")
    body = Body(
        mesh,
        [BeamRegion("beam", STEEL, BAR)],
        links=[AverageLink("hub", [1, 2, 3, 4])],
        frames={"hub": "hub"},
    )
    for method in ("attachment", "craig_bampton"):
        reduced = table(Clamped("start"), 0, method=method, body=body)
        load = np.array([3.0, 1.0, 2.0, 0.4, 0.5, 0.6])
        rows = np.concatenate([reduced.frames.translation[0], reduced.frames.rotation[0]])
        q = np.linalg.solve(reduced.K, rows.T @ load)
        u = solve_static(supported(body, Clamped("start")), Loads({"hub": load}))
        assert np.allclose(reduced.output.translation @ q, u.reshape(-1, 6)[:, :3], rtol=1e-7)


def test_a_full_table_is_the_finite_element_model():
    full = table(Clamped("start"), method="full")
    lam = np.sort(np.linalg.eigvals(np.linalg.solve(full.M, full.K)).real)[:4]
    exact = natural_modes(supported(beam(), Clamped("start")), 4).omega
    assert np.allclose(np.sqrt(lam), exact, rtol=1e-8)
    assert set(full.modes.kind) == {"nodal"}


def test_damping_of_materials_and_of_the_body_adds_up():
    viscous = Material(E=210e9, nu=0.3, rho=7850.0, eta=1e-5)
    body = Body(beam_mesh(1.0, 8), [BeamRegion("beam", viscous, BAR)], damping=Rayleigh(alpha=2.0, beta=3e-5))
    reduced = table(Clamped("start"), 3, body=body)
    assert np.allclose(reduced.C, 2.0 * reduced.M + 4e-5 * reduced.K, rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Reduction(Free(), method="magic", modes=1), "no reduction method 'magic'"),
        (lambda: Reduction(Free()), "either modes or frequency_limit"),
        (lambda: Reduction(Free(), 3, frequency_limit=10.0), "either modes or frequency_limit"),
        (lambda: Reduction(Free(), -1), "must not be negative"),
        (lambda: Reduction(Free(), [0, 1]), "different numbers from 1"),
        (lambda: Reduction(Free(), [2, 2]), "different numbers from 1"),
        (lambda: table(Clamped("start"), 49), "mode 49 asked for; the body has 48"),
        (lambda: table(Free(), 49), "mode 49 asked for; the body has 48"),
        (lambda: table(Free(), method="full"), "needs a support"),
        (lambda: table(Free(), 3, method="craig_bampton", body=bare()), "needs attachment frames"),
        (lambda: TableOptions(inertia="heavy"), "no inertia 'heavy'"),
        (lambda: beam().mass_batches("heavy").__next__(), "no inertia 'heavy'"),
    ],
)
def test_a_reduction_that_cannot_be_is_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_a_shape_without_mass_is_refused():
    body = Body(
        beam_mesh(1.0, 8), [BeamRegion("beam", STEEL, BAR, rotary_inertia=False)], frames={"tip": "end"}
    )
    with pytest.raises(ModelError, match="moves no mass"):
        table(Clamped("start"), 1, method="attachment", body=body)


@pytest.mark.parametrize("inertia", ["linear", "lumped"])
def test_other_inertias_give_modes_too(inertia):
    exact = natural_modes(supported(beam(32), Clamped("start")), 2).frequency
    reduced = build_table(
        beam(32), Reduction(Clamped("start"), 2), TableOptions(inertia=inertia, geometric=False)
    )
    assert reduced.modes.frequency == pytest.approx(exact, rel=5e-3)


@pytest.mark.parametrize("direction", [(1.0, 0.0, 0.0), (1.0, 2.0, -0.7)])
@pytest.mark.parametrize("inertia", ["linear", "lumped"])
def test_a_beam_without_inertia_about_its_axis_is_refused_in_any_direction(direction, inertia):
    body = beam_body(1.0, 4, STEEL, circle(0.01), direction=direction)
    for reduction in (
        Reduction(Clamped("start"), 2, method="craig_bampton"),
        Reduction(Free(), 4),
        Reduction(Free(), 2, method="attachment"),
    ):
        with pytest.raises(ModelError, match=r"moves no mass|has no mean axes"):
            build_table(body, reduction, TableOptions(inertia=inertia))


def on_averages(unit):
    """A plate between two points, each of which follows the mean of an edge."""
    sheet = ShellSection.uniform(0.006 * unit, Material(E=7e9 / unit, nu=0.3, rho=2700.0 / unit**3))
    edges = {"root": ((-0.05, 0.15, 0.02), "left"), "tip": ((0.85, 0.1, 0.03), "right")}
    return panel_body(
        (0.8 * unit, 0.3 * unit), (4, 2), sheet, frames={name: name for name in edges},
        points={name: tuple(unit * x for x in place) for name, (place, _) in edges.items()},
        links=[AverageLink(name, edge, rotation_length=0.05 * unit) for name, (_, edge) in edges.items()],
    )  # fmt: skip


@pytest.mark.parametrize("support", [Clamped("root"), Pinned("root", "tip"), Free()])
@pytest.mark.parametrize("method", ["craig_bampton", "attachment", "craig_chang", "inertia_relief"])
def test_bases_are_the_same_in_any_unit(method, support):
    """A micrometre long, rotations were lost beside translations: 18 % of a frequency, shapes of noise."""
    tables = [
        build_table(on_averages(unit), Reduction(support, 2, method=method)) for unit in (1.0, 1e-6, 2.0**-30)
    ]
    exact, *others = (np.sqrt(np.diag(t.K) / np.diag(t.M)) for t in tables)
    for found in others:
        assert found == pytest.approx(exact, rel=1e-6)
