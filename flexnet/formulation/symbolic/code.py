"""Write a tape as straight-line code: Python, C and Fortran from one emitter."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import sympy as sp

from flexnet.errors import ModelError
from flexnet.formulation.symbolic.special import SPECIAL
from flexnet.formulation.symbolic.tape import Expr, Tape, needed


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a language writes what is not the same everywhere.

    Attributes
    ----------
    real : write a number.
    power : write a power of two texts.
    functions : names of functions where they differ from sympy's.
    declare, end : before and after an assignment.
    """

    real: Callable[[float], str]
    power: Callable[[str, str], str]
    functions: Mapping[str, str] = field(default_factory=dict)
    declare: str = ""
    end: str = ""


def _python_real(x: float) -> str:
    return repr(x)


PYTHON = Dialect(
    _python_real, "{}**{}".format,
    {"Abs": "abs", "Max": "max", "Min": "min", "sign": "sgn", "Heaviside": "step"},
)  # fmt: skip
C = Dialect(
    repr, "pow({}, {})".format,
    {"Abs": "fabs", "Max": "fmax", "Min": "fmin", "sign": "sgn", "Heaviside": "step"},
    "const double ", ";",
)  # fmt: skip
FORTRAN = Dialect(
    lambda x: repr(x).replace("e", "d") if "e" in repr(x) else f"{x!r}d0", "({})**({})".format,
    {"Abs": "abs", "Max": "max", "Min": "min", "sign": "sgn", "Heaviside": "step", "log": "log"},
)  # fmt: skip

_PLAIN = {
    "sin", "cos", "tan", "exp", "log", "sinh", "cosh", "tanh", "asin", "acos", "atan", "atan2", "sqrt",
    "Abs", "Max", "Min", "sign", "Heaviside", "law", *SPECIAL,
}  # fmt: skip


class Emitter:
    """Writes expressions and blocks of assignments in one language.

    Parameters
    ----------
    dialect : the language.
    names : text of every symbol that is an input.
    """

    def __init__(self, dialect: Dialect, names: Mapping[Expr, str]) -> None:
        self.dialect, self.names = dialect, names
        self.inline: dict[Expr, Expr] = {}

    def write(self, e: Expr) -> str:
        """Text of an expression."""
        if e.is_Symbol:
            if e in self.inline:
                return f"({self.write(self.inline[e])})"
            return self.names.get(e) or str(e.name)
        if e.is_Integer or e.is_Rational or e.is_Float or e.is_NumberSymbol:
            text = self.dialect.real(float(e))
            return f"({text})" if text.startswith("-") else text
        if e.is_Add:
            return self._sum(e)
        if e.is_Mul:
            return self._product(e)
        if e.is_Pow:
            return self._power(e)
        return self._function(e)

    def _sum(self, e: Expr) -> str:
        out = ""
        for term in e.args:
            factor, rest = term.as_coeff_Mul()
            if factor < 0:
                text = self._factor(-factor * rest)
                out += f" - {text}" if out else f"-{text}"
            else:
                out += f" + {self._factor(term)}" if out else self._factor(term)
        return out

    def _factor(self, e: Expr) -> str:
        return f"({self.write(e)})" if e.is_Add else self.write(e)

    def _product(self, e: Expr) -> str:
        factor, rest = e.as_coeff_Mul()
        parts = [] if factor in (1, -1) else [self.dialect.real(float(abs(factor)))]
        over = []
        for x in rest.args if rest.is_Mul else (rest,):
            if x.is_Pow and x.exp == -1:
                over.append(self._factor(x.base))
            else:
                parts.append(self._factor(x))
        text = " * ".join(parts or [self.dialect.real(1.0)])
        for x in over:
            text += f" / {x}"
        return f"(-({text}))" if factor < 0 else text

    def _power(self, e: Expr) -> str:
        base = self._factor(e.base)
        if e.exp.is_Integer and 1 < abs(int(e.exp)) <= 4 and e.base.is_Symbol and e.base not in self.inline:
            text = " * ".join([base] * abs(int(e.exp)))
            return f"({text})" if e.exp > 0 else f"{self.dialect.real(1.0)} / ({text})"
        if e.exp == -1:
            return f"({self.dialect.real(1.0)} / {base})"
        if e.exp == sp.Rational(1, 2):
            return f"sqrt({self.write(e.base)})"
        if e.exp == -sp.Rational(1, 2):
            return f"({self.dialect.real(1.0)} / sqrt({self.write(e.base)}))"
        exponent = str(int(e.exp)) if e.exp.is_Integer else self.write(e.exp)
        return self.dialect.power(f"({base})", f"({exponent})")

    def _function(self, e: Expr) -> str:
        name = e.func.__name__
        if name not in _PLAIN:
            raise ModelError(f"the equations contain {name}, which cannot be written as code")
        texts = [self.write(x) for x in e.args]
        if name == "law":
            return f"law({int(e.args[0])}, {', '.join(texts[1:])})"
        if name in ("Max", "Min"):
            text, word = texts[0], self.dialect.functions.get(name, name)
            for other in texts[1:]:
                text = f"{word}({text}, {other})"
            return text
        if name == "Heaviside":
            texts = texts[:1]
        return f"{self.dialect.functions.get(name, name)}({', '.join(texts)})"

    def block(
        self, tape: Tape, outputs: Mapping[str, Expr], known: Iterable[Expr] = (), keep: Iterable[Expr] = ()
    ) -> list[str]:
        """Assignments that compute the outputs.

        Parameters
        ----------
        outputs : expression of each target.
        known : intermediate names that are inputs here.
        keep : intermediate names that must be assigned even if used once.
        """
        given, kept = set(known), set(keep)
        lines = {name: e for name, e in tape.lines.items() if name not in given}
        wanted = needed(lines, [*outputs.values(), *(k for k in kept if k in lines)])
        used = _uses(lines, wanted, outputs.values())
        self.inline = {
            name: lines[name]
            for name in wanted
            if used.get(name, 0) == 1 and name not in kept and name not in self.names
        }
        _limit(self.inline, lines, wanted)
        d = self.dialect
        out = [
            f"{d.declare}{self.names.get(name, name.name)} = {self.write(lines[name])}{d.end}"
            for name in wanted
            if name not in self.inline
        ]
        out += [f"{target} = {self.write(e)}{d.end}" for target, e in outputs.items()]
        self.inline = {}
        return out


def _uses(lines: dict[Expr, Expr], wanted: list[Expr], outputs: Iterable[Expr]) -> dict[Expr, int]:
    """How often each name is used; twice in one expression counts twice."""
    count: dict[Expr, int] = {}
    for e in [*(lines[name] for name in wanted), *outputs]:
        for s in e.atoms(sp.Symbol):
            count[s] = count.get(s, 0) + (1 if e.count(s) == 1 else 2)
    return count


def _limit(inline: dict[Expr, Expr], lines: dict[Expr, Expr], wanted: list[Expr], most: int = 24) -> None:
    """Keep inlined expressions short enough for a compiler's line."""
    size: dict[Expr, int] = {}
    for name in wanted:
        size[name] = 1 + sum(size[s] if s in inline else 1 for s in lines[name].free_symbols)
        if size[name] > most:
            inline.pop(name, None)
