"""Equations of motion as a person writes them: angle sums collected, terms grouped by what they are.

    Σ_j M_ij v̇_j - F_i + Σ_k G_ki λ_k = 0

Every equation is multiplied out. Products of sines and cosines become sines and cosines of sums, by

    cos x = (eⁱˣ + e⁻ⁱˣ)/2,    sin x = (eⁱˣ - e⁻ⁱˣ)/2i                                                  (1)

in which a sum of products has one form only: cos² + sin² = 1 and all angle sums come by themselves. Where the
equations are shorter with products of sines and cosines of single angles, these are kept. What multiplies the
same acceleration, or the same rates, is collected, and factors that come again get names. Principal moments
of inertia that a body has twice are one letter, which is said. Quaternions have the length one
before anything is multiplied out (:mod:`~flexnet.formulation.symbolic.unit_quaternions`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isclose, nan, prod
from typing import Any

import sympy as sp

from flexnet.algebra import Expr, Node, tape
from flexnet.algebra.exchange import to_sympy
from flexnet.algebra.scalar import children
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.kit import HEADS, Kit
from flexnet.formulation.symbolic.lengths import Lengths
from flexnet.formulation.symbolic.unit_quaternions import UnitQuaternions
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
    constraints : number and left side of every constraint that is short enough, in the same names.
    """

    equations: tuple[MotionEquation, ...]
    definitions: tuple[tuple[Any, Any], ...] = ()
    left_out: tuple[str, ...] = ()
    equal: tuple[tuple[Any, Any], ...] = ()
    constraints: tuple[tuple[int, Any], ...] = ()


def motion_form(equations: SymbolicEquations) -> Motion:
    """The equations of motion of a mechanism, written as a person would."""
    found, left_out = list[tuple[str, Any]](), list[str]()
    names = equations.numeric.coordinates.v_names
    entries = [[*equations.M[i], *equations.G[:, i], equations.F[i]] for i in range(len(names))]
    kit = Kit.of(equations)
    equal = _equal_moments(kit)
    factors = to_sympy([*equations.variables.a, *equations.variables.lam, -1])
    lengths = Lengths()
    var, held = equations.variables, list(equations.phi)
    turns = [turn for name, turn in var.turns.items() if not var.sequences[name]]
    unit = UnitQuaternions([*(x for row in entries for x in row), *held], turns) if turns else None
    same = set[Any]()
    for name, row in zip(names, entries, strict=True):
        right = _multiplied_out(row, factors, equal, lengths, unit, same)
        if right is None:
            left_out.append(name)
        else:
            found.append((name, right))
    kept = [(i, _multiplied_out([x], [1], equal, lengths, unit, same)) for i, x in enumerate(held)]
    rows = [(i, e) for i, e in kept if e is not None] if found else []
    forms = [_form(kit, found, rows, how) for how in (_in_sums, _in_products)]
    best = min(forms, key=_length)
    inside = {s for _, e in found for s in e.free_symbols}
    told = tuple((a, b) for a, b in equal.items() if a in same)
    used = tuple(
        (a, _summed(kit, sp.expand(root.base), _in_sums)) for root, a in lengths.names.items() if a in inside
    )
    roots = tuple((a, sp.sqrt(e)) for a, e in used)
    return replace(best, left_out=tuple(left_out), equal=told, definitions=(*roots, *best.definitions))


def _form(kit: Kit, found: list[tuple[str, Any]], held: list[tuple[int, Any]], how: Any) -> Motion:
    """Equations and constraints collected one way, what comes again in both named once."""
    dynamic = [MotionEquation(n, _groups(kit, _collected(kit, e, how))) for n, e in found]
    named = _named(kit, [*dynamic, *(MotionEquation("", (("", _summed(kit, e, how)),)) for _, e in held)])
    rows = [equation.groups[0][1] for equation in named.equations[len(found) :]]
    constraints = tuple((i, e) for (i, _), e in zip(held, rows, strict=True))
    return replace(named, equations=named.equations[: len(found)], constraints=constraints)


def _summed(kit: Kit, e: Any, how: Any) -> Any:
    """A sum with its sines and cosines collected."""
    return sp.Add(*(_neat(c) * wave * moving for (moving, wave), c in _collected(kit, e, how).items()))


def _equal_moments(kit: Kit) -> dict[Any, Any]:
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
    told = [e for equation in form.equations for _, e in equation.groups] + [e for _, e in form.constraints]
    return sum(len(to_latex(e)) for e in (*told, *(e for pair in form.definitions for e in pair)))


def _multiplied_out(
    entries: list[Expr],
    factors: list[Any],
    equal: dict[Any, Any],
    lengths: Lengths,
    unit: Any,
    told: set[Any],
) -> Any | None:
    """The sum of entries times factors as a sum of products; None if it would fill pages.

    Parameters with an equal one that is written for them are added to ``told``.
    """
    written = unit.written(entries) if unit else None
    if written is None:
        if written_size(entries) > LONGEST:
            return None
        written = to_sympy(entries)
    products = (lengths.written(x) * f for x, f in zip(written, factors, strict=True))
    named = sp.Add(*products)
    total = named.xreplace(equal)
    if _terms(total) > UNTIDY * MOST_TERMS:
        return None
    flat = sp.expand(total)
    if _terms(flat) > MOST_TERMS:
        return None
    told |= named.free_symbols & equal.keys()
    return flat


def _terms(e: Any) -> int:
    """Terms of an expression when it is multiplied out, before any of them cancel.

    What stands in a function is multiplied out and written with it, in every term that it is a factor of.
    """
    if e.is_Add:
        return sum(_terms(x) for x in e.args)
    if e.is_Mul:
        return prod(_terms(x) for x in e.args)
    if e.is_Pow and e.exp.is_Integer and e.exp > 0:
        return int(_terms(e.base) ** e.exp)
    if isinstance(e, sp.sin | sp.cos):
        return 1
    return 1 + sum(_terms(x) - 1 for x in e.args)


def written_size(entries: list[Expr]) -> int:
    """Symbols of expressions when written out, without writing them."""
    size: dict[Node, int] = {}
    for x in tape(entries):
        size[x] = sum(size.get(y, 1) for y in children(x))
    return sum(size.get(x, 1) for x in entries if type(x) is Node)


def _groups(kit: Kit, terms: dict[tuple[Any, Any], Any]) -> tuple[tuple[str, Any], ...]:
    """Terms by (moving, trigonometric) factor, summed in groups."""
    sums: dict[tuple[str, Any], list[Any]] = defaultdict(list)
    for (moving, wave), rest in terms.items():
        for word, part in _parts(kit, moving, rest):
            if part != 0:
                sums[word, moving].append(_neat(part) * wave)
    out = []
    for word in GROUPS:
        found = [_factored(parts) * moving for (w, moving), parts in sums.items() if w == word]
        if found:
            out.append((word, sp.Add(*found)))
    return tuple(out)


def _parts(kit: Kit, moving: Any, rest: Any) -> list[tuple[str, Any]]:
    parts: dict[str, list[Any]] = defaultdict(list)
    for term in sp.Add.make_args(rest):
        parts[kit.word(moving, term)].append(term)
    return [(word, sp.Add(*terms)) for word, terms in parts.items()]


def _factored(parts: list[Any]) -> Any:
    """A sum with what all its terms share in front."""
    return sp.factor_terms(sp.Add(*parts)) if len(parts) > 1 else parts[0]


# -- trigonometry ------------------------------------------------------------------------------


def _collected(kit: Kit, e: Any, how: Any) -> dict[tuple[Any, Any], Any]:
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


def _in_products(_: Kit, waves: list[tuple[Any, int]]) -> Iterator[tuple[Any, Any]]:
    yield sp.Integer(1), sp.Mul(*(base**power for base, power in waves))


def _in_sums(kit: Kit, waves: list[tuple[Any, int]]) -> Iterator[tuple[Any, Any]]:
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


def _times(total: Exponentials, wave: Any, kit: Kit) -> Exponentials:
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
        heads = [f for f in sp.Mul.make_args(term) if f.is_Symbol and f.name.split(".")[0] in HEADS]
        groups[sp.Mul(*heads)].append(term / sp.Mul(*heads))
    return sp.factor_terms(sp.Add(*(head * sp.factor(sp.Add(*rest)) for head, rest in groups.items())))


def _named(kit: Kit, equations: list[MotionEquation]) -> Motion:
    """Give names to lengths and to sines and cosines of sums that come more than once."""
    count: Counter[Any] = Counter()
    for equation in equations:
        for _, e in equation.groups:
            for part in sp.preorder_traversal(e):
                count[kit.positive(part) if part.is_Add else part] += 1
    swap: dict[Any, Any] = {}
    definitions = list[tuple[Any, Any]]()
    taken: Counter[str] = Counter()
    for part, times in sorted(count.items(), key=lambda pair: str(pair[0])):
        name = kit.name(part) if times > 1 else ""
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
