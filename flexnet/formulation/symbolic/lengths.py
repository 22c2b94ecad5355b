"""Lengths of springs and dampers by name: a root is written once, ``l.spring``, and not multiplied out.

    F = k (r - l),    l = √(x² + y²)                                                                     (1)

Which component a root belongs to is told by the parameters beside it: its stiffness, its damping, its length
at rest. ``inverse``, which is 0 at a length of nothing, is written as the quotient it is elsewhere.
"""

from collections.abc import Iterator
from typing import Any

import sympy as sp

#: first parts of the names of parameters that a component in (1) has
_OWN = ("k", "c", "rest")


class Lengths:
    """Names of roots, given as they are met.

    Attributes
    ----------
    names : symbol of every root that has a name.
    """

    def __init__(self) -> None:
        self.names: dict[Any, Any] = {}
        self._taken: dict[str, int] = {}

    def written(self, e: Any) -> Any:
        """An expression with its lengths by their names."""
        if not e.has(sp.Function("inverse")) and not any(_is_root(x) for x in e.atoms(sp.Pow)):
            return e
        plain = e.replace(lambda x: x.func.__name__ == "inverse", lambda x: 1 / x.args[0])
        for root, owner in _owned(plain):
            if root not in self.names:
                number = self._taken[owner] = self._taken.get(owner, 0) + 1
                name = f"l.{owner}" if number == 1 else f"l.{owner}.{number}"
                self.names[root] = sp.Symbol(name, positive=True)
        powers = {
            x: self.names[r] ** (2 * x.exp)
            for x in plain.atoms(sp.Pow)
            for r in [sp.sqrt(x.base)]
            if r in self.names
        }
        return plain.xreplace(powers)


def _is_root(x: Any) -> bool:
    return bool(x.exp.is_Rational and x.exp.q == 2 and x.base.is_Add)


def _owned(e: Any) -> Iterator[tuple[Any, str]]:
    """Roots and the component each belongs to, as far as the parameters beside it tell one."""
    roots, owners = dict[Any, frozenset[Any]](), dict[Any, frozenset[str]]()
    for part in sp.postorder_traversal(e):  # of what stands inside first
        if part not in roots:
            own = {sp.sqrt(part.base)} if part.is_Pow and _is_root(part) else set()
            roots[part] = frozenset(own).union(*(roots[x] for x in part.args))
            first, _, name = part.name.partition(".") if part.is_Symbol else ("", "", "")
            owners[part] = frozenset({name} if first in _OWN else ()).union(*(owners[x] for x in part.args))
    for part in roots:
        if (part.is_Mul or part.is_Add) and len(roots[part]) == len(owners[part]) == 1:
            yield *roots[part], *owners[part]
