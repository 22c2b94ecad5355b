"""Trees are remembered by the graph and by what is asked: nothing else decides them."""

from mechanisms import four_bar, squeezer

import flexnet as fx
from flexnet.graph.selection.select import _made, select


def test_remembered_trees_are_those_that_would_be_chosen_again() -> None:
    for build in (four_bar, squeezer):
        for rule in ("default", "joint", "absolute", "formulation_based"):
            remembered = select(build().graph, rule)
            _made.cache_clear()
            again = select(build().graph, rule)
            assert (remembered.T.names, remembered.R.names) == (again.T.names, again.R.names)
            assert fx.formulate(build(), rule).T.names == again.T.names
