"""The equations as compiled functions behind the protocol of the integrators.

The functions of a :class:`~flexnet.dae.Dae` are written as one Python module of straight-line code and
compiled. The module is named by the hash of its text and its machine code lies in the user's cache: the
same equations are compiled once, whatever their parameters. Their signatures are those of the numeric engine,
so both engines run in the same compiled time loop.
"""

import hashlib
import logging
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from types import ModuleType

import numpy as np

from flexnet.dae import Dae, Sparsity
from flexnet.errors import ModelError
from flexnet.formulation.equations import Equations
from flexnet.formulation.state import State
from flexnet.formulation.symbolic import special
from flexnet.formulation.symbolic.code import PYTHON, Emitter
from flexnet.formulation.symbolic.constraints import Chord, time_rate
from flexnet.formulation.symbolic.counts import count_operations
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.program import PYTHON_HEAD, PYTHON_SIGNS
from flexnet.formulation.symbolic.tape import ZERO, Expr, Tape, needed
from flexnet.formulation.symbolic.variables import TIME, symbol
from flexnet.formulation.symmetry import symmetry
from flexnet.kernels.compile import is_cached
from flexnet.kernels.generated import GeneratedModel, generated_handle, make_generated_work
from flexnet.typing import Array

log = logging.getLogger("flexnet.equations")

_HEAD = '''"""Equations of motion, written by flexnet; may be deleted, will be written again."""

from flexnet.kernels.compile import kernel
from flexnet.kernels.compile import is_cached
from flexnet.kernels.generated import evaluate_known, restore
from flexnet.kernels.straight_line import straight_line
from flexnet.kernels.vector import compose_quaternion

'''

_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class GeneratedCode:
    """Text of the functions and the numbers they need.

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


#: arguments of the functions that are formulas, as integrators call them, and as their formulas know them
_SIGNATURES = {
    "residual": ("t, q, v, a, lam, work, r, phi", "t q v a lam r phi"),
    "matrices": ("work, c_q, c_v, M, G", "c_q c_v M G"),
    "rates": ("v, a, work, rate, acceleration", "v a rate acceleration"),
    "power": ("q, v, lam, work, out", "q v lam out"),
    "energy": ("t, q, v, work, phi, rate, out", "t q v phi rate out"),
}
#: factors of stiffness and damping in the matrix of Newton's method
_C_Q, _C_V = symbol("c_q"), symbol("c_v")


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
        "matrices": {_C_Q: "c_q", _C_V: "c_v"},
        "rates": _array_names(v=x.v, a=x.a),
        "power": _array_names(q=x.q, v=x.v, lam=x.lam),
    }
    kept = _kept(tape, first, state, arguments, outputs)
    places = {s: f"y[{i}]" for i, s in enumerate(kept)}
    emitter = Emitter(PYTHON, names | state)
    lines = emitter.block(tape, outputs["residual"], keep=[s for s in kept if s in first])
    lines += [f"{place} = {emitter.names.get(s, s.name)}" for s, place in places.items()]
    text = _HEAD + _function("residual", lines)
    for name, given in arguments.items():
        lines = Emitter(PYTHON, {**names, **places, **given}).block(tape, outputs[name], known=first)
        text += _function(name, lines)
    lines = Emitter(PYTHON, names | {TIME: "t"} | _array_names(q=x.q, v=x.v)).block(tape, outputs["energy"])
    text += _function("energy", lines)
    text += f"@kernel\ndef compose(data, q, dq, out):\n    {_compose(equations.numeric)}\n"
    return GeneratedCode(text, p, len(kept))


def _outputs(equations: SymbolicEquations) -> dict[str, dict[str, Expr]]:
    """Expression of every entry the functions fill, in the order of memory."""
    loads = equations.balance[1]
    return {
        "residual": _targets("r", equations.residual) | _targets("phi", equations.phi),
        "matrices": _targets("M", _newton_matrix(equations)) | _targets("G", equations.G.ravel()),
        "rates": _targets("rate", equations.phi_dot) | _targets("acceleration", equations.phi_ddot),
        "power": _targets("out", (_driver_power(equations), loads.power, loads.damping)),
        "energy": _targets("phi", equations.phi) | _targets("rate", equations.phi_dot)
        | _targets("out", equations.energies),
    }  # fmt: skip


def _newton_matrix(equations: SymbolicEquations) -> list[Expr]:
    """Entries of M + c_q K + c_v C, with the constant stiffness and damping of flexible bodies."""
    M, tape = equations.M.copy(), equations.tape
    for b in equations.kinematics.elastic.bodies:
        for i, j in np.ndindex(b.m, b.m):
            extra = tape.mul(_C_Q, b.K[i, j]), tape.mul(_C_V, b.D[i, j])
            M[b.v + i, b.v + j] = tape.add(M[b.v + i, b.v + j], *extra)
    return list(M.ravel())


def _function(name: str, lines: list[str]) -> str:
    """A kernel that hands its arrays to straight-line code."""
    order, arrays = _SIGNATURES[name]
    body = "\n".join(lines)
    calls = ["model, w = restore(data)"]
    if arrays.startswith("t "):
        calls.append("evaluate_known(model, t, w)")
    calls.append(f"_{name}((model.p, model.laws, w.y, w.f, {', '.join(arrays.split())}))")
    return (
        f'_{name} = straight_line("p laws y f {arrays}", """\n{body}\n""")\n\n\n'
        f"@kernel\ndef {name}(data, {order}):\n    " + "\n    ".join(calls) + "\n\n\n"
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


def _driver_power(equations: SymbolicEquations) -> Expr:
    """Power of motion drivers."""
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
    return tape.add(*terms)


def _row_rate(equations: SymbolicEquations, chord: Chord) -> Expr:
    """Minus the known rate a driver's row asks for."""
    return ZERO if chord.known[1] is ZERO else time_rate(equations.kinematics, chord)


def _compose(numeric: Equations) -> str:
    c = numeric.coordinates
    lines = [f"out[{i}] = q[{i}] + dq[{j}]" for i, j in c.scalars]
    lines += [f"out[{i}] = q[{i}]" for i in c.counted.values()]
    lines += [
        f"compose_quaternion(q[{i}:{i + 4}], dq[{j}:{j + 3}], out[{i}:{i + 4}])" for i, j in c.quaternions
    ]
    return "\n    ".join(lines or ["pass"])


def load_code(code: GeneratedCode) -> ModuleType:
    """Make the module of generated code, from its text and never from a file."""
    name = f"flexnet_equations_{code.key}"
    if name not in sys.modules:
        module = ModuleType(name)
        sys.modules[name] = module  # where the cache of machine code finds its functions
        exec(compile(code.text, f"<{name}>", "exec"), vars(module))
        if not is_cached(module.residual):
            log.info("compiling the equations, once: their machine code is kept in the user's cache")
    return sys.modules[name]


def symbolic_dae(equations: Equations | SymbolicEquations, state: State | None = None) -> Dae:
    """The equations as generated code behind the protocol of the integrators.

    Parameters
    ----------
    equations : numeric equations, or symbolic ones that write 3-D rotations by quaternions.
    state : where to start; the assembled state if left out.

    Notes
    -----
    Times of writing and of compiling go to the logger ``flexnet.equations``.
    """
    begin = perf_counter()
    made = equations if isinstance(equations, SymbolicEquations) else SymbolicEquations(equations)
    numeric = made.numeric
    code = generate(made)
    written = perf_counter()
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
    work = make_generated_work(code.kept, len(index))
    dae = Dae(
        model=generated_handle(model, work),
        work=np.zeros(0),
        residual=module.residual,
        matrices=module.matrices,
        compose=module.compose,
        rates=module.rates,
        power=module.power,
        q=start.q,
        v=start.v,
        t=start.t,
        equations=made.names,
        loads_do_work=any(b.driven is not None for b in made.kinematics.r)
        or any(e.driven for e in made.kinematics.t),
        energy=module.energy,
        owner=(model, work, numeric),
        sparsity=_sparsity(made),
        symmetry=partial(symmetry, numeric),
        counting=numeric.counting,
        scale=numeric.scale,
        sizes=numeric.sizes,
        row_sizes=numeric.row_sizes,
        q_sizes=numeric.q_sizes,
    )
    _call_once(dae)
    log.info(
        "equations: %s; written in %.2f s, compiled or found compiled in %.2f s",
        count_operations(made), written - begin, perf_counter() - written,
    )  # fmt: skip
    return dae


def _call_once(dae: Dae) -> None:
    """Call every function, so that what is compiled is compiled now."""
    n, m = dae.n_v, dae.m
    r, phi, rate, out = np.zeros(n), np.zeros(m), np.zeros(m), np.zeros(3)
    dae.residual(dae.model, dae.t, dae.q, dae.v, np.zeros(n), np.zeros(m), dae.work, r, phi)
    dae.matrices(dae.model, dae.work, 0.0, 0.0, np.zeros((n, n)), np.zeros((m, n)))
    dae.rates(dae.model, dae.v, np.zeros(n), dae.work, phi, rate)
    dae.power(dae.model, dae.q, dae.v, np.zeros(m), dae.work, out)
    dae.compose(dae.model, dae.q, np.zeros(n), np.zeros(dae.n_q))
    assert dae.energy is not None
    dae.energy(dae.model, dae.t, dae.q, dae.v, dae.work, phi, rate, out)


def _sparsity(equations: SymbolicEquations) -> Sparsity:
    """Entries of M, stiffness and damping included, and of G that are not zero."""
    shape = (equations.n, equations.n)
    matrix = np.array([e is not ZERO for e in _newton_matrix(equations)], dtype=bool).reshape(shape)
    G = np.array([e is not ZERO for e in equations.G.ravel()], dtype=bool).reshape(equations.G.shape)
    return Sparsity(np.argwhere(matrix), np.argwhere(G))
