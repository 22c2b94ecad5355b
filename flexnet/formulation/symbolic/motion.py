"""Equations of motion as a person writes them: angle sums collected, terms grouped by what they are.

    Σ_j M_ij v̇_j - F_i + Σ_k G_ki λ_k = 0

Every equation is multiplied out. Products of sines and cosines become sines and cosines of sums, by

    cos x = (eⁱˣ + e⁻ⁱˣ)/2,    sin x = (eⁱˣ - e⁻ⁱˣ)/2i                                                  (1)

in which a sum of products has one form only: cos² + sin² = 1 and all angle sums come by themselves. Where the
equations are shorter with products of sines and cosines of single angles, these are kept. What multiplies the
same acceleration, or the same rates, is collected, and factors that come again get names. Principal moments
of inertia that a body has twice are one letter, which is said.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isclose, nan, prod
from typing import Any

import sympy as sp

from flexnet.algebra import Expr, Node, tape
from flexnet.algebra.exchange import to_sympy
from flexnet.algebra.scalar import children
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.writing import tidy, to_latex

#: groups in the order they are written
GROUPS = (
    "inertia", "Coriolis", "centrifugal", "driven", "damping", "elastic", "spring", "gravity", "applied",
    "reaction",
)  # fmt: skip
#: operations of an equation before it is multiplied out, and terms after it, beyond which it is not written
LONGEST, MOST_TERMS = 2000, 150
#: times as many may be there before they cancel
UNTIDY = 10
#: coefficients of more terms than this are not factored
FACTORED = 12

Exponentials = dict[tuple[tuple[Any, int], ...], tuple[Fraction, Fraction]]


@dataclass(frozen=True, slots=True)
class MotionEquation:
    """One equation: its groups sum to zero.

    Attributes
    ----------
    name : coordinate it belongs to.
    groups : word and expression of each group.
    """

    name: str
    groups: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Motion:
    """All equations, and what their names stand for.

    Attributes
    ----------
    equations : one for every velocity.
    definitions : name and expression of every factor with a name of its own.
    left_out : coordinates whose equations would fill pages.
    equal : parameters that have the same value in this model, and those that are written for them.
    """

    equations: tuple[MotionEquation, ...]
    definitions: tuple[tuple[Any, Any], ...] = ()
    left_out: tuple[str, ...] = ()
    equal: tuple[tuple[Any, Any], ...] = ()


def motion_form(equations: SymbolicEquations) -> Motion:
    """The equations of motion of a mechanism, written as a person would."""
    found, left_out = list[tuple[str, Any]](), list[str]()
    names = equations.numeric.coordinates.v_names
    entries = [[*equations.M[i], *equations.G[:, i], equations.F[i]] for i in range(len(names))]
    kit = _Kit.of(equations)
    equal = _equal_moments(kit)
    factors = to_sympy([*equations.variables.a, *equations.variables.lam, -1])
    for name, row in zip(names, entries, strict=True):
        right = _multiplied_out(row, factors, equal)
        if right is None:
            left_out.append(name)
        else:
            found.append((name, right))
    forms = [_named(kit, [MotionEquation(n, kit.groups(_collected(kit, e, how))) for n, e in found])
             for how in (_in_sums, _in_products)]  # fmt: skip
    best = min(forms, key=_length)
    inside = {s for _, e in found for s in e.free_symbols}
    told = tuple((a, b) for a, b in equal.items() if b in inside)
    return replace(best, left_out=tuple(left_out), equal=told)


def _equal_moments(kit: "_Kit") -> dict[Any, Any]:
    """Principal moments of inertia of a body that are equal, each with the one that is written for it."""
    out: dict[Any, Any] = {}
    for name, value in kit.values.items():
        stem, _, axes = name.rpartition(".")
        if not stem.startswith("J.") or axes not in ("yy", "zz"):
            continue
        for other in ("xx", "yy")[: 1 if axes == "yy" else 2]:
            if isclose(kit.values.get(f"{stem}.{other}", nan), value, rel_tol=1e-12):
                out[sp.Symbol(name, real=True)] = sp.Symbol(f"{stem}.{other}", real=True)
                break
    return out


def _length(form: Motion) -> int:
    told = [e for equation in form.equations for _, e in equation.groups]
    return sum(len(to_latex(e)) for e in (*told, *(e for pair in form.definitions for e in pair)))


def _multiplied_out(entries: list[Expr], factors: list[Any], equal: dict[Any, Any]) -> Any | None:
    """The sum of entries times factors as a sum of products; None if it would fill pages."""
    if written_size(entries) > LONGEST:
        return None
    total = sum(x * f for x, f in zip(to_sympy(entries), factors, strict=True)).xreplace(equal)
    if _terms(total) > UNTIDY * MOST_TERMS:
        return None
    flat = sp.expand(total)
    return None if len(sp.Add.make_args(flat)) > MOST_TERMS else flat


def _terms(e: Any) -> int:
    """Terms of an expression when it is multiplied out, before any of them cancel."""
    if e.is_Add:
        return sum(_terms(x) for x in e.args)
    if e.is_Mul:
        return prod(_terms(x) for x in e.args)
    if e.is_Pow and e.exp.is_Integer and e.exp > 0:
        return int(_terms(e.base) ** e.exp)
    return 1


def written_size(entries: list[Expr]) -> int:
    """Symbols of expressions when written out, without writing them."""
    size: dict[Node, int] = {}
    for x in tape(entries):
        size[x] = sum(size.get(y, 1) for y in children(x))
    return sum(size.get(x, 1) for x in entries if type(x) is Node)


@dataclass(frozen=True, slots=True)
class _Kit:
    """What the symbols of a mechanism are.

    Attributes
    ----------
    a, v, lam : accelerations, velocities, multipliers.
    elastic : elastic coordinates.
    driven : known functions of time and their derivatives.
    number : number of each angle, for the names of sums.
    values : values of parameters by name.
    """

    a: frozenset[Any]
    v: frozenset[Any]
    lam: frozenset[Any]
    elastic: frozenset[Any]
    driven: frozenset[Any]
    number: dict[Any, int]
    values: dict[str, float]

    @classmethod
    def of(cls, equations: SymbolicEquations) -> "_Kit":
        var, numeric = equations.variables, equations.numeric
        numbers = {to_sympy([var.place[q]])[0]: v + 1 for q, v in numeric.coordinates.scalars}
        known = [x for symbols in equations.known.symbols.values() for x in symbols]
        return cls(
            frozenset(to_sympy(var.a)), frozenset(to_sympy(var.v)), frozenset(to_sympy(var.lam)),
            frozenset(s for s in numbers if ".elastic_" in s.name), frozenset(to_sympy(known)), numbers,
            {node.name: value for node, value in equations.parameters.values.items()},
        )  # fmt: skip

    @property
    def moving(self) -> frozenset[Any]:
        """Symbols by which terms are collected."""
        return self.a | self.v | self.lam

    def word(self, moving: Any, rest: Any) -> str:
        """Group of a term: what moves in it, and the parameters that say where it comes from."""
        inside = moving.free_symbols
        if inside & self.a:
            return "inertia"
        if inside & self.lam:
            return "reaction"
        first = {s.name.split(".")[0] for s in rest.free_symbols}
        powers = sp.Mul(*(f for f in sp.Mul.make_args(moving) if f.free_symbols & self.v))
        degree = sum(int(f.as_base_exp()[1]) for f in sp.Mul.make_args(powers)) if powers != 1 else 0
        if "c" in first and degree:
            return "damping"
        if degree == 2:
            return "centrifugal" if len(powers.free_symbols) == 1 else "Coriolis"
        if degree:
            return "driven" if rest.free_symbols & self.driven else "damping"
        return self._at_rest(rest, first)

    def _at_rest(self, rest: Any, first: set[str]) -> str:
        if "g" in first:
            return "gravity"
        if rest.free_symbols & self.driven:
            return "driven"
        if first & {"k", "rest"}:
            return "spring"
        return "elastic" if rest.free_symbols & self.elastic else "applied"

    def groups(self, terms: dict[tuple[Any, Any], Any]) -> tuple[tuple[str, Any], ...]:
        """Terms by (moving, trigonometric) factor, summed in groups."""
        sums: dict[tuple[str, Any], list[Any]] = defaultdict(list)
        for (moving, wave), rest in terms.items():
            for word, part in self._parts(moving, rest):
                if part != 0:
                    sums[word, moving].append(_neat(part) * wave)
        out = []
        for word in GROUPS:
            found = [_factored(parts) * moving for (w, moving), parts in sums.items() if w == word]
            if found:
                out.append((word, sp.Add(*found)))
        return tuple(out)

    def _parts(self, moving: Any, rest: Any) -> list[tuple[str, Any]]:
        parts: dict[str, list[Any]] = defaultdict(list)
        for term in sp.Add.make_args(rest):
            parts[self.word(moving, term)].append(term)
        return [(word, sp.Add(*terms)) for word, terms in parts.items()]


def _factored(parts: list[Any]) -> Any:
    """A sum with what all its terms share in front."""
    return sp.factor_terms(sp.Add(*parts)) if len(parts) > 1 else parts[0]


# -- trigonometry ------------------------------------------------------------------------------


def _collected(kit: _Kit, e: Any, how: Any) -> dict[tuple[Any, Any], Any]:
    """Coefficients by what moves and by sines and cosines."""
    out: dict[tuple[Any, Any], list[Any]] = defaultdict(list)
    for term in sp.Add.make_args(e if how is _in_sums else sp.expand(tidy(e))):
        moving, waves, rest = list[Any](), list[Any](), list[Any]()
        for factor in sp.Mul.make_args(term):
            base, power = factor.as_base_exp()
            if factor.free_symbols and factor.free_symbols <= kit.moving:
                moving.append(factor)
            elif isinstance(base, sp.sin | sp.cos) and power.is_Integer and power > 0:
                waves.append((base, int(power)))
            else:
                rest.append(factor)
        for share, wave in how(kit, waves):
            out[sp.Mul(*moving), wave].append(share * sp.Mul(*rest))
    summed = {key: sp.expand(sp.Add(*found)) for key, found in out.items()}
    return {key: total for key, total in summed.items() if total != 0}


def _in_products(kit: _Kit, waves: list[tuple[Any, int]]) -> Iterator[tuple[Any, Any]]:
    yield sp.Integer(1), sp.Mul(*(base**power for base, power in waves))


def _in_sums(kit: _Kit, waves: list[tuple[Any, int]]) -> Iterator[tuple[Any, Any]]:
    """A product of sines and cosines as a sum of them, by (1)."""
    total: Exponentials = {(): (Fraction(1), Fraction(0))}
    for base, power in waves:
        for _ in range(power):
            total = _times(total, base, kit)
    for key, (re, im) in total.items():
        if not key:
            yield sp.Rational(re.numerator, re.denominator), sp.Integer(1)
            continue
        if key[0][1] < 0:
            continue  # the conjugate of another
        angle = sp.Add(*(factor * atom for atom, factor in key))
        for part, wave in ((2 * re, sp.cos(angle)), (-2 * im, sp.sin(angle))):
            if part:
                yield sp.Rational(part.numerator, part.denominator), wave


def _times(total: Exponentials, wave: Any, kit: _Kit) -> Exponentials:
    """A sum of exponentials times one sine or cosine."""
    angle = wave.args[0].as_coefficients_dict()
    half = Fraction(1, 2)
    # (re, im) of the factors of e^(ix) and e^(-ix)
    up, down = ((half, 0), (half, 0)) if isinstance(wave, sp.cos) else ((0, -half), (0, half))
    if any(not c.is_Integer for c in angle.values()):
        angle = {wave.args[0]: 1}
    out: dict[Any, list[Fraction]] = defaultdict(lambda: [Fraction(0), Fraction(0)])
    for key, (re, im) in total.items():
        for sign, (a, b) in ((1, up), (-1, down)):
            there = Counter(dict(key))
            for atom, factor in angle.items():
                there[atom] += sign * int(factor)
            left = [(x, n) for x, n in there.items() if n]
            place = tuple(sorted(left, key=lambda pair: (kit.number.get(pair[0], 0), str(pair[0]))))
            out[place][0] += re * a - im * b
            out[place][1] += re * b + im * a
    return {key: (re, im) for key, (re, im) in out.items() if re or im}


# -- coefficients and names --------------------------------------------------------------------


def _neat(e: Any) -> Any:
    """Collect by masses, stiffnesses and gravity, and factor what multiplies them."""
    terms = sp.Add.make_args(e)
    if not 1 < len(terms) <= FACTORED:
        return e
    groups: dict[Any, list[Any]] = defaultdict(list)
    for term in terms:
        heads = [f for f in sp.Mul.make_args(term) if f.is_Symbol and f.name.split(".")[0] in _HEADS]
        groups[sp.Mul(*heads)].append(term / sp.Mul(*heads))
    return sp.factor_terms(sp.Add(*(head * sp.factor(sp.Add(*rest)) for head, rest in groups.items())))


_HEADS = ("m", "J", "k", "c", "g")


def _named(kit: _Kit, equations: list[MotionEquation]) -> Motion:
    """Give names to lengths and to sines and cosines of sums that come more than once."""
    count: Counter[Any] = Counter()
    for equation in equations:
        for _, e in equation.groups:
            for part in sp.preorder_traversal(e):
                count[_positive(kit, part) if part.is_Add else part] += 1
    swap: dict[Any, Any] = {}
    definitions = list[tuple[Any, Any]]()
    taken: Counter[str] = Counter()
    for part, times in sorted(count.items(), key=lambda pair: str(pair[0])):
        name = _name(kit, part) if times > 1 else ""
        if name:
            taken[name] += 1
            chosen = sp.Symbol(name if taken[name] == 1 else f"{name}.{taken[name]}", real=True)
            definitions.append((chosen, part))
            swap[part], swap[sp.expand(-part)] = chosen, -chosen
    made = tuple(
        replace(equation, groups=tuple((w, e.xreplace(swap)) for w, e in equation.groups))
        for equation in equations
    )
    return Motion(made, tuple(definitions))


def _positive(kit: _Kit, part: Any) -> Any:
    """A sum or its opposite, whichever is positive."""
    values = {s: kit.values[s.name] for s in part.free_symbols if s.name in kit.values}
    if len(values) < len(part.free_symbols):
        return part
    return sp.expand(-part) if part.xreplace(values) < 0 else part


def _name(kit: _Kit, part: Any) -> str:
    """Name of a factor by its meaning: s12 of sin(θ₁ + θ₂), l.body of a length on a body; else none."""
    if isinstance(part, sp.sin | sp.cos):
        angle = part.args[0].as_coefficients_dict()
        if len(angle) < 2 or not all(x in kit.number and abs(n) == 1 for x, n in angle.items()):
            return ""
        letter = "s" if isinstance(part, sp.sin) else "c"
        ordered = sorted(angle.items(), key=lambda pair: kit.number[pair[0]])
        if all(n == 1 for _, n in ordered):
            return letter + "".join(str(kit.number[x]) for x, _ in ordered)
        signs = "".join(("-" if n < 0 else "+") + str(kit.number[x]) for x, n in ordered)
        return f"{letter}_{signs.removeprefix('+')}"
    if part.is_Add and all(_is_place(s, kit) for s in part.free_symbols):
        bodies = {s.name.split(".")[0] for s in part.free_symbols}
        is_plain = all(abs(c) == 1 and x.is_Symbol for c, x in (term.as_coeff_Mul() for term in part.args))
        return f"l.{bodies.pop()}" if len(bodies) == 1 and is_plain else ""
    return ""


def _is_place(s: Any, kit: _Kit) -> bool:
    """Whether a symbol is a coordinate of a frame in its body."""
    first, *rest = s.name.split(".")
    return s.name in kit.values and first not in _HEADS and bool(rest) and rest[-1] in ("x", "y", "z")


def defined(definitions: Iterable[tuple[Any, Any]], e: Any) -> Any:
    """An expression with every name written out again."""
    return e.xreplace(dict(definitions))
