"""Tables, pages and files call an edge what a person calls it, by its own page."""

import pytest
from catalogue import build

import flexnet as fx
from flexnet.analysis.recording import make_mechanism
from flexnet.components import spoken
from flexnet.graph import Kind
from flexnet.view.page_graph import linear_graph
from flexnet.view.parts import drawn_parts

#: edges of cases and what a person calls them
CALLED = {
    "cylinder_boom": {"cylinder": "hydraulic cylinder"},
    "mems_mirror": {"field": "condenser", "spring": "spring", "field.R": "resistor", "guide": "prismatic"},
    "flexnet_figure_1": {"k7": "spring", "d8": "damper"},
    "servo_axis": {},
    "leger_a06_spatial_slider_crank": {},
}


@pytest.mark.parametrize("name", CALLED)
def test_an_edge_has_the_same_words_in_a_file_and_in_a_notebook_and_none_is_the_name_of_a_class(name):
    system = build(name)
    kinds = {e.name: e.kind for e in make_mechanism(fx.formulate(system)).edges}
    assert {edge: kinds[edge] for edge in CALLED[name]} == CALLED[name]
    shown = system._repr_html_()
    for edge, kind in kinds.items():
        assert kind == kind.lower(), (edge, kind)
        if edge in system.components:
            assert kind == spoken(system.components[edge])
            assert f">{edge}</td>" in shown
            assert f">{kind}</td>" in shown


def test_a_virtual_joint_is_known_by_its_words_and_not_drawn():
    mechanism = make_mechanism(fx.formulate(build("leger_a01_four_bar"), virtual=True))
    virtual = {e.name: e.kind for e in mechanism.edges if e.is_virtual}
    assert set(virtual.values()) == {"virtual joint"}
    assert not {part.edge.name for part in drawn_parts(mechanism)} & set(virtual)
    drawn = linear_graph(mechanism).edges
    assert {e.name for e in drawn if e.kind is Kind.VIRTUAL} == set(virtual)
