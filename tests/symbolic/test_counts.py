"""Operation counts, as Léger counts them."""

from functools import cache

import pytest
import sympy as sp

from flexnet.algebra import sin, symbols
from flexnet.formulation.symbolic import Counts, count_operations, symbolic
from flexnet.formulation.symbolic.counts import count_expressions
from tests.catalogue import build
from tests.symbolic.leger_tables import EXCEPTIONS, TABLES, TIMES, trees
from tests.symbolic.written_out import count_written_out

#: printed counts closer than this are not ranked
FACTOR = 1.3


def test_an_expression_is_counted_by_hand():
    x, y = symbols("x y")
    assert count_expressions([x * y + 2 * x**3 - y]) == Counts(2, 4, 0)
    assert count_expressions([sin(x + y) / y]) == Counts(1, 1, 1)
    assert str(Counts(1, 2, 3)) == "6 operations: 1 additions, 2 multiplications, 3 function calls"


def test_what_is_multiplied_out_is_the_same_expression():
    """Entries of M as sums of products, cosines squared gone, are what the tape expands to."""
    made = symbolic(build("leger_a06_spatial_slider_crank"), "joint")
    expansion = made.expansion
    entries = [made.M[i, j] for i in range(made.n) for j in range(i + 1)]
    for entry, polynomial in zip(entries, expansion.read(entries), strict=True):
        found = made.read(expansion.write(polynomial))
        swap = {s: sp.Rational(k + 3, 7) for k, s in enumerate(sorted(found.free_symbols, key=str))}
        inputs = dict.fromkeys(made.read(entry).free_symbols, 1)
        rest = sp.N((found - made.read(entry)).subs(swap).subs(inputs))
        assert abs(rest) < 1e-12
        assert not any(isinstance(p.base, sp.cos) for p in found.atoms(sp.Pow))


def test_folding_what_follows_from_parameters_counts_less():
    made = symbolic(build("double_pendulum"), "joint")
    assert count_operations(made).total < count_operations(made, fold=False).total


@cache
def counted(table, **how):
    """Printed counts with those of the equations written out."""
    case, parameters, rows = TABLES[table]
    system = build(case, **parameters)
    counts = []
    for row in rows:
        R, T = trees(row)
        made = symbolic(system, rotations="xyz", numbers=True, translation=T, rotation=R)
        counts.append((row[2], count_written_out(made, **how).total))
        assert count_operations(made).total < row[2]
    return counts


def wrong(counts):
    """Pairs of printed counts, smaller first, that come out the other way round."""
    return [
        (a, b) for a, found_a in counts for b, found_b in counts if b >= FACTOR * a and found_b <= found_a
    ]


@pytest.mark.sweep(5)
@pytest.mark.parametrize("table", TABLES)
def test_printed_counts_come_out_in_their_order(table):
    """Where two differ by a factor of 1.3 or more, but for the exceptions listed; the tape needs fewer."""
    assert wrong(counted(table)) == EXCEPTIONS.get(table, [])


@pytest.mark.sweep(4)
@pytest.mark.parametrize("table", TIMES)
def test_printed_times_come_out_in_the_order_of_the_equations_written_out(table):
    """Where two differ by a factor of 1.3 or more: 120 pairs, 117 of them in order.

    The times are those of Maple's substituted equations, so they are held against equations written out, not
    against the clock: recursive kernels cost something else (docs/theory/trees.md). The identity cos² + sin²
    = 1 is left out of A.12, where Maple seems to have missed it (below). The exceptions are one row
    of A.1, printed with 639 operations in 0.50 s beside 635 in 0.69 s and 726 in 0.73 s, and one of A.8, with
    2731 in 1.09 s beside 2538 in 1.57 s: there the printed operations contradict the printed times, too.
    """
    how = {"identity": False} if table == "A.12" else {}
    found = [(time, size) for time, (_, size) in zip(TIMES[table], counted(table, **how), strict=True)]
    assert wrong(found) == {"A.1": [(0.50, 0.73), (0.50, 0.69)], "A.8": [(1.09, 1.57)]}.get(table, [])


@pytest.mark.slow
def test_the_exceptions_are_the_work_of_one_identity():
    """Nothing of A.12 is out of order where cos² + sin² = 1 is not used."""
    assert wrong(counted("A.12", identity=False)) == []


def test_axes_of_a_circuit_equation_are_what_puts_the_four_bar_in_order():
    """Written in the axes of the body that carries the chord, the first row of A.1 is the shortest."""
    case, parameters, rows = TABLES["A.1"]
    sizes = []
    for row in (rows[0], rows[3]):
        R, T = trees(row)
        made = symbolic(build(case, **parameters), rotations="xyz", numbers=True, translation=T, rotation=R)
        sizes.append(sum(map(len, made.expansion.read([*made.G.ravel(), *made.bias]))))
    assert sizes[0] < sizes[1]
