"""Expanded equations in the letters of a source, and whether two expressions are equal."""

import numpy as np
import sympy as sp


def symbols(names):
    return sp.symbols(names, real=True)


def is_zero(expression):
    """Expand in sines and cosines and write even powers of cosines in sines; what is left is simplified."""
    e = sp.expand(sp.expand_trig(sp.expand(expression)))

    def even(power):
        x, n = power.base.args[0], int(power.exp)
        return (1 - sp.sin(x) ** 2) ** (n // 2) * sp.cos(x) ** (n % 2)

    def is_even(p):
        return p.is_Pow and isinstance(p.base, sp.cos) and p.exp.is_Integer and p.exp > 1

    e = sp.expand(e.replace(is_even, even))
    return e == 0 or sp.simplify(e) == 0


def is_equal(found, expected):
    return all(is_zero(x - y) for x, y in zip(sp.Matrix(found), sp.Matrix(expected), strict=True))


def is_row(found, expected):
    """Equal up to the sign of the row, which goes into its multiplier."""
    return is_equal(found, expected) or is_equal(found, -sp.Matrix(expected))


class Reader:
    """Expanded equations with the coordinates renamed."""

    def __init__(self, made, names):
        self.made = made
        order = made.numeric.coordinates.v_names
        assert set(names.values()) == set(order)
        self.order = [order.index(name) for name in names.values()]
        x = made.variables
        self.swap = {}
        scalars = {v: q for q, v in made.numeric.coordinates.scalars}
        for short, name in names.items():
            k = order.index(name)
            q, v, a = symbols(f"{short} {short}' {short}''")
            self.swap |= {
                made.read(s): new for s, new in ((x.place[scalars[k]], q), (x.v[k], v), (x.a[k], a))
            }

    def read(self, entries):
        return self.made.read(entries).xreplace(self.swap)

    def vector(self, entries):
        """Three expressions as a column."""
        return self.read(np.array(entries, dtype=object))

    @property
    def M(self):
        return self.read(self.made.M).extract(self.order, self.order)

    @property
    def F(self):
        return self.read(self.made.F).extract(self.order, [0])

    @property
    def G(self):
        return self.read(self.made.G).extract(list(range(self.made.m)), self.order)

    @property
    def phi(self):
        return self.read(self.made.phi)
