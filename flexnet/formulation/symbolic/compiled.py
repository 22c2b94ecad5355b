"""The equations as compiled functions behind the protocol of the integrators.

The five functions of a :class:`~flexnet.dae.Dae` are written as one Python module of straight-line code and
compiled. The module lies in the user's cache under the hash of its text, and so does its machine code: the
same equations are compiled once, whatever their parameters.
"""

import hashlib
import importlib.util
import logging
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import ModelError
from flexnet.formulation.equations import Equations
from flexnet.formulation.state import State
from flexnet.formulation.symbolic import special
from flexnet.formulation.symbolic.code import PYTHON, Emitter
from flexnet.formulation.symbolic.constraints import Chord, time_rate
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.program import PYTHON_HEAD, PYTHON_SIGNS
from flexnet.formulation.symbolic.tape import ZERO, Expr, Tape, needed
from flexnet.formulation.symbolic.variables import TIME
from flexnet.kernels.generated import GeneratedModel, make_generated_work
from flexnet.typing import Array

log = logging.getLogger("flexnet")

_HEAD = '''"""Equations of motion, written by flexnet; may be deleted, will be written again."""

from flexnet.kernels.compile import kernel
from flexnet.kernels.generated import evaluate_known
from flexnet.kernels.straight_line import straight_line
from flexnet.kernels.vector import compose_quaternion

'''

_NONE = np.zeros(0, dtype=np.int64)


def code_folder() -> Path:
    """Folder of compiled equations: $FLEXNET_CACHE, else the user's cache folder."""
    if chosen := os.environ.get("FLEXNET_CACHE"):
        return Path(chosen) / "equations"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "flexnet" / "equations"


@dataclass(frozen=True, slots=True, eq=False)
class GeneratedCode:
    """Text of the five functions and the numbers they need.

    Attributes
    ----------
    text : the module.
    p : parameters, and what follows from them alone.
    kept : number of intermediate results kept for other functions.
    """

    text: str
    p: Array
    kept: int

    @property
    def key(self) -> str:
        """Hash of the equations."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:24]


#: arguments of the four functions that are formulas
_SIGNATURES = {
    "residual": "t q v a lam r phi",
    "matrices": "M G",
    "rates": "v a rate acceleration",
    "power": "q v lam out",
}
_ORDER = {
    "residual": "model, t, q, v, a, lam, work, r, phi",
    "matrices": "model, work, M, G",
    "rates": "model, v, a, work, rate, acceleration",
    "power": "model, q, v, lam, work, out",
}


def generate(equations: SymbolicEquations) -> GeneratedCode:
    """Write the functions of a DAE."""
    if not equations.variables.is_numeric_layout:
        raise ModelError("compiled equations need quaternions: integrators turn 3-D rotations on their group")
    outputs = _outputs(equations)
    names, p = _hoist(equations, [e for group in outputs.values() for e in group.values()])
    for i, symbols in enumerate(equations.known.symbols.values()):
        names |= {s: f"f[{3 * i + k}]" for k, s in enumerate(symbols)}
    tape = Tape()
    tape.lines = {name: e for name, e in equations.tape.lines.items() if name not in names}
    first = set(needed(tape.lines, outputs["residual"].values()))
    x = equations.variables
    state = {TIME: "t"} | _array_names(q=x.q, v=x.v, a=x.a, lam=x.lam)
    arguments: dict[str, dict[Expr, str]] = {
        "matrices": {},
        "rates": _array_names(v=x.v, a=x.a),
        "power": _array_names(q=x.q, v=x.v, lam=x.lam),
    }
    kept = _kept(tape, first, state, arguments, outputs)
    places = {s: f"y[{i}]" for i, s in enumerate(kept)}
    emitter = Emitter(PYTHON, names | state)
    lines = emitter.block(tape, outputs["residual"], keep=[s for s in kept if s in first])
    lines += [f"{place} = {emitter.names.get(s, s.name)}" for s, place in places.items()]
    text = _HEAD + _function("residual", lines, ["evaluate_known(model, t, work)"])
    for name, given in arguments.items():
        lines = Emitter(PYTHON, {**names, **places, **given}).block(tape, outputs[name], known=first)
        text += _function(name, lines)
    text += f"@kernel\ndef compose(model, q, dq, out):\n    {_compose(equations.numeric)}\n"
    return GeneratedCode(text, p, len(kept))


def _outputs(equations: SymbolicEquations) -> dict[str, dict[str, Expr]]:
    """Expression of every entry the four functions fill, in the order of memory."""
    driver, other = _powers(equations)
    return {
        "residual": _targets("r", equations.residual) | _targets("phi", equations.phi),
        "matrices": _targets("M", equations.M.ravel()) | _targets("G", equations.G.ravel()),
        "rates": _targets("rate", equations.phi_dot) | _targets("acceleration", equations.phi_ddot),
        "power": {"out[0]": driver, "out[1]": other},
    }


def _function(name: str, lines: list[str], before: Sequence[str] = ()) -> str:
    """A kernel that hands its arrays to straight-line code."""
    arrays = _SIGNATURES[name].split()
    body = "\n".join(lines)
    calls = [*before, f"_{name}((model.p, model.laws, work.y, work.f, {', '.join(arrays)}))"]
    return (
        f'_{name} = straight_line("p laws y f {_SIGNATURES[name]}", """\n{body}\n""")\n\n\n'
        f"@kernel\ndef {name}({_ORDER[name]}):\n    " + "\n    ".join(calls) + "\n\n\n"
    )


def _targets(array: str, entries: Iterable[Expr]) -> dict[str, Expr]:
    return {f"{array}[{i}]": e for i, e in enumerate(entries)}


def _array_names(**arrays: list[Expr]) -> dict[Expr, str]:
    return {s: f"{array}[{i}]" for array, symbols in arrays.items() for i, s in enumerate(symbols)}


def _kept(
    tape: Tape, first: set[Expr], state: Mapping[Expr, str], arguments: Mapping[str, Mapping[Expr, str]],
    outputs: Mapping[str, Mapping[str, Expr]],
) -> list[Expr]:  # fmt: skip
    """What the residual knows and the other functions need."""
    found: dict[Expr, None] = {}
    for name, given in arguments.items():
        rest = {s: e for s, e in tape.lines.items() if s not in first}
        wanted = needed(rest, outputs[name].values())
        for e in [*(rest[s] for s in wanted), *outputs[name].values()]:
            for s in sorted(e.free_symbols, key=lambda s: str(s.name)):
                if s in first or (s in state and s not in given):
                    found[s] = None
    return list(found)


def _hoist(equations: SymbolicEquations, outputs: list[Expr]) -> tuple[dict[Expr, str], Array]:
    """Text of parameters and of the intermediate results that follow from them alone, with their values."""
    values: dict[Expr, float] = dict(equations.parameters.values)
    lines = equations.tape.lines
    wanted = needed(lines, outputs)
    constant = set(values)
    for name in wanted:
        if lines[name].free_symbols <= constant:
            constant.add(name)
    own = [name for name in wanted if name in constant]
    used = {
        s
        for e in [*(lines[name] for name in wanted if name not in constant), *outputs]
        for s in e.free_symbols
        if s in constant
    }
    space: dict[str, object] = {"y": np.zeros(len(lines))}
    if own:
        names = {s: f"p[{i}]" for i, s in enumerate(values)}
        text = "\n".join(Emitter(PYTHON, names).block(equations.tape, {}, keep=own))
        exec(PYTHON_HEAD + PYTHON_SIGNS + special.PYTHON, space)
        space["p"] = np.array(list(values.values()))
        exec(text, space)
        values |= {name: float(space[name.name]) for name in own}  # type: ignore[arg-type]
    kept = [s for s in values if s in used]
    return {s: f"p[{i}]" for i, s in enumerate(kept)}, np.array([values[s] for s in kept] or [0.0])


def _powers(equations: SymbolicEquations) -> tuple[Expr, Expr]:
    """Power of motion drivers, and of forces without a potential."""
    tape, k = equations.tape, equations.kinematics
    _, loads = equations.balance
    terms = [
        tape.mul(lam, _row_rate(equations, chord))
        for chord, lam in zip(equations.rows, equations.variables.lam, strict=True)
    ]
    for b in k.r:
        if b.driven is not None:
            terms.append(-b.sign * tape.mul(b.driven[1], tape.dot(b.axes[0], loads.torque[b.child])))
    for e in k.t:
        for d, f in e.driven:
            terms.append(-e.sign * tape.mul(f[1], tape.dot(d, loads.force[e.child])))
    return tape.add(*terms), loads.power


def _row_rate(equations: SymbolicEquations, chord: Chord) -> Expr:
    """Minus the known rate a driver's row asks for."""
    return ZERO if chord.known[1] is ZERO else time_rate(equations.kinematics, chord)


def _compose(numeric: Equations) -> str:
    c = numeric.coordinates
    lines = [f"out[{i}] = q[{i}] + dq[{j}]" for i, j in c.scalars]
    lines += [
        f"compose_quaternion(q[{i}:{i + 4}], dq[{j}:{j + 3}], out[{i}:{i + 4}])" for i, j in c.quaternions
    ]
    return "\n    ".join(lines or ["pass"])


def load_code(code: GeneratedCode) -> ModuleType:
    """Import the module of generated code, from the cache folder if it can be kept there."""
    name = f"flexnet_equations_{code.key}"
    if name in sys.modules:
        return sys.modules[name]
    path = code_folder() / f"{name}.py"
    if not path.is_file():
        log.info("compiling the equations; they are kept in %s", path.parent)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_text(code.text)
        part.replace(path)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def symbolic_dae(equations: Equations | SymbolicEquations, state: State | None = None) -> Dae:
    """The equations as generated code behind the protocol of the integrators.

    Parameters
    ----------
    equations : numeric equations, or symbolic ones that write 3-D rotations by quaternions.
    state : where to start; the assembled state if left out.
    """
    made = equations if isinstance(equations, SymbolicEquations) else SymbolicEquations(equations)
    numeric = made.numeric
    code = generate(made)
    module = load_code(code)
    start = numeric.initial if state is None else state
    index = [made.known.index[name] for name in made.known.symbols]
    model = GeneratedModel(
        code.p,
        np.ascontiguousarray(numeric.model.functions[index]),
        numeric.model.data,
        numeric.model.program,
        np.ascontiguousarray(numeric.model.elements["refs"][:, 0]) if len(numeric.model.elements) else _NONE,
    )
    return Dae(
        model=model,
        work=make_generated_work(code.kept, len(index)),
        residual=module.residual,
        matrices=module.matrices,
        compose=module.compose,
        rates=module.rates,
        power=module.power,
        q=start.q,
        v=start.v,
        t=start.t,
        equations=made.names,
    )
