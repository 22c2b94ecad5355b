"""The equations as compiled functions behind the protocol of the integrators.

The functions of a :class:`~flexnet.dae.Dae` are programs of straight-line code, made machine code by LLVM
directly. It lies in the user's cache under the hash of the formulas: the same equations are compiled once,
whatever their parameters. The kernels that call it (:mod:`flexnet.kernels.generated`) have the signatures of
the numeric engine, so both engines run in the same compiled time loop.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from flexnet.algebra import (
    Expr,
    Node,
    Program,
    add,
    array_of,
    compile_programs,
    dot,
    inputs_of,
    language,
    mul,
    symbol,
    tape,
    to_llvm,
    turned_quaternion,
)  # fmt: skip
from flexnet.algebra.machine import code_key
from flexnet.algebra.scalar import children, split
from flexnet.dae import Dae, Sparsity
from flexnet.errors import ModelError
from flexnet.formulation.equations import Equations
from flexnet.formulation.state import State
from flexnet.formulation.symbolic.constraints import time_rate
from flexnet.formulation.symbolic.counts import count_operations
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.feedback import Feedback
from flexnet.formulation.symbolic.program import user_laws
from flexnet.formulation.symbolic.variables import TIME
from flexnet.formulation.symmetry import symmetry
from flexnet.kernels import generated
from flexnet.kernels.compile import is_interpreted
from flexnet.kernels.generated import GeneratedModel, generated_handle, make_generated_work
from flexnet.typing import AnyArray, Array

log = logging.getLogger("flexnet.equations")

#: factors of stiffness and damping in the matrix of Newton's method
_C_Q, _C_V = symbol("c_q"), symbol("c_v")


@dataclass(frozen=True, slots=True, eq=False)
class GeneratedCode:
    """Programs of the functions and the numbers they need.

    Attributes
    ----------
    programs : in the order of :data:`~flexnet.kernels.generated.PROGRAMS`.
    p : parameters, and what follows from them alone.
    kept : number of intermediate results of the residual kept for other programs.
    known : names of the known functions, in the order of their values.
    """

    programs: list[Program]
    p: Array
    kept: int
    known: list[str]

    @property
    def key(self) -> str:
        """Hash of the equations."""
        return code_key(to_llvm(self.programs))


def generate(equations: SymbolicEquations) -> GeneratedCode:
    """Write the functions of a DAE."""
    if not equations.variables.is_numeric_layout:
        raise ModelError("compiled equations need quaternions: integrators turn 3-D rotations on their group")
    outputs = _outputs(equations)
    everything = [e for arrays in outputs.values() for entries in arrays.values() for e in entries]
    constants, p = _constants(equations, [e for e in everything if e is not None])
    x, known = equations.variables, sorted(equations.known.symbols, key=equations.known.index.__getitem__)
    f = [s for name in known for s in equations.known.symbols[name]]
    shared: dict[str, Any] = {"p": constants, "laws": [], "f": f}
    v, a = [*x.v, *x.z], [*x.a, *x.z_dot]
    state: dict[str, Any] = {"t": TIME, "q": x.q, "v": v, "a": a, "lam": x.lam}
    arguments: dict[str, dict[str, Any]] = {
        "matrices": {"c_q": _C_Q, "c_v": _C_V},
        "rates": {"v": v, "a": a},
        "power": {"q": x.q, "v": v, "lam": x.lam},
    }
    kept = _kept(shared, state, arguments, outputs)
    programs = [Program("residual", {**shared, **state}, {"y": array_of(kept), **outputs["residual"]})]
    programs += [
        Program(name, {**shared, "y": kept, **more}, outputs[name]) for name, more in arguments.items()
    ]
    own: dict[str, Any] = {"t": TIME, "q": x.q, "v": v}
    programs.append(Program("energy", {**shared, **own}, outputs["energy"]))
    programs.append(_compose(equations))
    return GeneratedCode(programs, p, len(kept), known)


def _outputs(equations: SymbolicEquations) -> dict[str, dict[str, AnyArray]]:
    """Every entry the functions fill, in the order of memory; what is always zero in a matrix is left out."""
    loads, feedback, n_z = equations.balance[1], Feedback(equations), equations.numeric.n_z
    matrix = _newton_matrix(equations)
    if n_z:
        matrix = list(feedback.matrix(array_of(matrix).reshape(equations.M.shape), _C_Q, _C_V).ravel())
    G = np.concatenate([equations.G, np.full((equations.m, n_z), 0, dtype=object)], axis=1)
    power = feedback.inserted([_driver_power(equations), loads.power, loads.damping])
    residual = [*feedback.inserted(list(equations.residual)), *feedback.rows]
    return {
        "residual": {"r": array_of(residual), "phi": equations.phi},
        "matrices": {
            "M": _nonzero(feedback.inserted(matrix)), "G": _nonzero(G.ravel()),
        },
        "rates": {"rate": equations.phi_dot, "acceleration": equations.phi_ddot},
        "power": {"out": array_of(power)},
        "energy": {
            "phi": equations.phi, "rate": equations.phi_dot,
            "out": array_of(feedback.inserted(equations.energies)),
        },
    }  # fmt: skip


def _nonzero(entries: Iterable[Expr]) -> AnyArray:
    return array_of(e if type(e) is Node or e != 0 else None for e in entries)


def _newton_matrix(equations: SymbolicEquations) -> list[Expr]:
    """Entries of M + c_q K + c_v C, with the constant stiffness and damping of flexible bodies."""
    M = equations.M.copy()
    for b in equations.kinematics.elastic.bodies:
        for i, j in np.ndindex(b.m, b.m):
            extra = mul(_C_Q, b.K[i, j]), mul(_C_V, b.D[i, j])
            M[b.v + i, b.v + j] = add(M[b.v + i, b.v + j], *extra)
    return list(M.ravel())


def _constants(equations: SymbolicEquations, outputs: list[Expr]) -> tuple[list[Node], Array]:
    """Parameters, and nodes that follow from them alone, that the rest asks for; their values."""
    parameters = list(equations.parameters.values)
    constant = set(parameters)
    asked: dict[Node, None] = {}
    for x in tape(outputs):
        if all(y in constant for y in children(x)):
            constant.add(x)
        else:
            asked |= dict.fromkeys(y for y in children(x) if y in constant)
    asked |= dict.fromkeys(x for x in outputs if type(x) is Node and x in constant)
    found, p = list(asked), np.zeros(max(len(asked), 1))
    program = Program("constants", {"p": parameters}, {"out": array_of(found)})
    values = np.array(list(equations.parameters.values.values()), dtype=float)
    language.functions([program])["constants"](values, p)
    return found, p


def _kept(
    shared: dict[str, Any], state: dict[str, Any], arguments: dict[str, dict[str, Any]],
    outputs: dict[str, dict[str, AnyArray]],
) -> list[Node]:  # fmt: skip
    """What the residual knows and the other functions need."""
    residual = Program("residual", {**shared, **state}, outputs["residual"])
    # a factor in front of a node is not worth a place
    first = {x for x in tape(residual.results, residual.given) if split(x)[1] is x}
    given = set(residual.given)
    found: dict[Node, None] = {}
    for name, own in arguments.items():
        program = Program(name, {**shared, **own}, outputs[name])
        mine = set(program.given)
        met = inputs_of(program.results, first | mine)
        found |= dict.fromkeys(x for x in met if x not in mine and (x in first or x in given))
    return list(found)


def _compose(equations: SymbolicEquations) -> Program:
    """``out = q ⊕ dq``, exact on the rotation group."""
    q, dq = equations.variables.q, [symbol(f"dq_{j}") for j in range(equations.n)]
    out: list[Expr] = list(q)
    for i, j in equations.numeric.coordinates.scalars:
        out[i] = q[i] + dq[j]
    for i, j in equations.numeric.coordinates.quaternions:
        out[i : i + 4] = turned_quaternion(q[i : i + 4], (dq[j], dq[j + 1], dq[j + 2]))
    return Program("compose", {"q": q, "dq": dq}, {"out": array_of(out)})


def _driver_power(equations: SymbolicEquations) -> Expr:
    """Power of motion drivers."""
    k = equations.kinematics
    _, loads = equations.balance
    terms = [
        mul(lam, time_rate(chord)) for chord, lam in zip(equations.rows, equations.variables.lam, strict=True)
    ]
    for b in k.r:
        if b.driven is not None:
            terms.append(-b.sign * mul(b.driven[1], dot(b.axes[0], loads.torque[b.child])))
    for e in k.t:
        for d, f in e.driven:
            terms.append(-e.sign * mul(f[1], dot(d, loads.force[e.child])))
    return add(*terms)


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
    model, owner = _model(made, code)
    work = make_generated_work(code.kept, len(code.known))
    start = numeric.initial if state is None else state
    log.info(
        "equations: %s; written in %.2f s, compiled or found compiled in %.2f s",
        count_operations(made), written - begin, perf_counter() - written,
    )  # fmt: skip
    return Dae(
        model=generated_handle(model, work),
        work=np.zeros(0),
        residual=generated.residual,
        matrices=generated.matrices,
        compose=generated.compose,
        rates=generated.rates,
        power=generated.power,
        q=start.q,
        v=np.concatenate([start.v, numeric.z_of(start)]),
        t=start.t,
        equations=(*numeric.coordinates.v_names, *numeric.states.names, *(row.name for row in numeric.rows)),
        loads_do_work=numeric.is_coupled
        or any(b.driven is not None for b in made.kinematics.r)
        or any(e.driven for e in made.kinematics.t),
        energy=generated.energy,
        owner=(model, work, numeric, owner),
        sparsity=None if numeric.n_z else _sparsity(made),
        symmetry=partial(symmetry, numeric),
        counting=numeric.counting,
        scale=numeric.scale,
        sizes=np.concatenate([numeric.sizes, numeric.states.sizes(numeric.scale)]),
        row_sizes=numeric.row_sizes,
        q_sizes=numeric.q_sizes,
        n_z=numeric.n_z,
        is_coupled=numeric.is_coupled,
        rotations=numeric.rotations,
    )


def _model(equations: SymbolicEquations, code: GeneratedCode) -> tuple[GeneratedModel, Any]:
    """Numbers and programs of a mechanism, and what holds the code."""
    packed, known = equations.numeric.model, equations.known
    laws: Any = packed.laws
    names = [program.name for program in code.programs]
    assert tuple(names) == generated.PROGRAMS
    if is_interpreted():
        functions = language.functions(code.programs)
        addresses: Any = [functions[name] for name in names]
        laws, owner = user_laws(equations), None
    else:
        owner = compile_programs(code.programs)
        addresses = np.array([owner.addresses[name] for name in names], dtype=np.int64)
    index = [known.index[name] for name in code.known]
    functions_of_time = np.ascontiguousarray(packed.functions[index])
    model = GeneratedModel(
        addresses, code.p, functions_of_time, packed.data, packed.program, laws,
    )  # fmt: skip
    return model, owner


def _sparsity(equations: SymbolicEquations) -> Sparsity:
    """Entries of M, stiffness and damping included, and of G that are not zero."""
    shape = (equations.n, equations.n)
    matrix = np.array([e is not None for e in _nonzero(_newton_matrix(equations))], dtype=bool)
    G = np.array([e is not None for e in _nonzero(equations.G.ravel())], dtype=bool)
    return Sparsity(np.argwhere(matrix.reshape(shape)), np.argwhere(G.reshape(equations.G.shape)))
