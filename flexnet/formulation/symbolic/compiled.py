"""The equations as compiled functions behind the protocol of the integrators.

The functions of a :class:`~flexnet.dae.Dae` are programs of straight-line code, made machine code by LLVM
directly. It lies in the user's cache under the hash of the formulas: the same equations are compiled once,
whatever their parameters. The kernels that call it (:mod:`flexnet.kernels.generated`) have the signatures of
the numeric engine, so both engines run in the same compiled time loop.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
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
    inputs_of,
    language,
    mul,
    symbol,
    tape,
    to_llvm,
    turned_quaternion,
)  # fmt: skip
from flexnet.algebra.machine import MachineCode, code_key, find_machine_code
from flexnet.algebra.scalar import children, split
from flexnet.dae import Dae, Sparsity
from flexnet.errors import ModelError
from flexnet.formulation.equations import Equations
from flexnet.formulation.protocol import shared_fields
from flexnet.formulation.sparsity import sparsity as sparsity_of
from flexnet.formulation.symbolic.counts import count_operations
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.feedback import Feedback
from flexnet.formulation.symbolic.kept import Kept, find, keep
from flexnet.formulation.symbolic.program import user_laws
from flexnet.formulation.symbolic.variables import TIME
from flexnet.kernels import generated
from flexnet.kernels.compile import is_interpreted
from flexnet.kernels.generated import GeneratedModel, generated_handle, make_generated_work
from flexnet.typing import AnyArray, Array, IntArray

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
    feedback, n_z = Feedback(equations), equations.numeric.n_z
    matrix = _newton_matrix(equations)
    if n_z:
        matrix = list(feedback.matrix(array_of(matrix).reshape(equations.M.shape), _C_Q, _C_V).ravel())
    G = np.concatenate([equations.G, np.full((equations.m, n_z), 0, dtype=object)], axis=1)
    power = feedback.inserted(equations.mechanism.powers)
    if feedback.powers:
        power += [0, 0, *feedback.inserted(feedback.powers)]
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
    for f in equations.mechanism.model.flex:
        K, C = equations.mechanism.tensor(f, "K"), equations.mechanism.tensor(f, "C")
        for i, j in np.ndindex(f.m, f.m):
            M[f.v + i, f.v + j] = add(M[f.v + i, f.v + j], mul(_C_Q, K[i, j]), mul(_C_V, C[i, j]))
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


def symbolic_dae(equations: Equations | SymbolicEquations, most: int | None = None) -> Dae:
    """The equations as generated code behind the protocol of the integrators.

    Parameters
    ----------
    equations : numeric equations, or symbolic ones that write 3-D rotations by quaternions.
    most : lines of code beyond which they are refused; as many as there are if left out.

    Notes
    -----
    Times of writing and of compiling go to the logger ``flexnet.equations``. Code of numeric equations that
    were met before is found by their hash (:mod:`.kept`).
    """
    numeric = equations.numeric if isinstance(equations, SymbolicEquations) else equations
    code, addresses, laws, owner = _found(equations) or _made(equations, most)
    packed, start = numeric.model, numeric.initial
    functions_of_time = np.ascontiguousarray(packed.functions[code.known])
    model = GeneratedModel(addresses, code.p, functions_of_time, packed.data, packed.families, laws)
    work = make_generated_work(code.kept, len(code.known))
    return Dae(
        model=generated_handle(model, work),
        work=np.zeros(0),
        residual=generated.residual,
        matrices=generated.matrices,
        compose=generated.compose,
        rates=generated.rates,
        power=generated.power,
        loads_do_work=code.loads_do_work or numeric.is_coupled or numeric.has_networks,
        energy=generated.energy,
        owner=(model, work, numeric, owner),
        sparsity=sparsity_of(numeric.model) if numeric.n_z else code.sparsity,
        **shared_fields(numeric, start),
    )


#: what there is beside the machine code, addresses of the programs, users' laws, what holds the code
_Ready = tuple[Kept, Any, Any, Any]


def _found(equations: Equations | SymbolicEquations) -> _Ready | None:
    """Code that was kept of a model, or ``None``."""
    if isinstance(equations, SymbolicEquations) or is_interpreted() or (kept := find(equations)) is None:
        return None
    owner = find_machine_code(kept.key, generated.PROGRAMS)
    if owner is None:
        return None
    log.debug("equations: %s; found compiled", kept.said)
    return kept, _addresses(owner), equations.model.laws, owner


def _made(equations: Equations | SymbolicEquations, most: int | None) -> _Ready:
    """Write the equations and compile them, or find them compiled."""
    begin = perf_counter()
    made = equations if isinstance(equations, SymbolicEquations) else SymbolicEquations(equations)
    numeric, code = made.numeric, generate(made)
    assert tuple(p.name for p in code.programs) == generated.PROGRAMS
    text = to_llvm(code.programs)
    if most is not None and text.count("\n") > most:
        raise ModelError(f"its code would have {text.count(chr(10))} lines, more than {most}")
    written = perf_counter()
    sparsity = None if numeric.n_z else _sparsity(made)
    works = bool((numeric.model.r_edges["function"] >= 0).any() or numeric.model.t_edges["n_driven"].any())
    known = np.array([made.known.index[name] for name in code.known], dtype=np.int64)
    said = str(count_operations(made))
    kept = Kept(code_key(text), code.p, code.kept, known, works, sparsity, said)
    if is_interpreted():
        functions = language.functions(code.programs)
        return kept, [functions[name] for name in generated.PROGRAMS], user_laws(made), None
    owner = compile_programs(code.programs, text)
    if not isinstance(equations, SymbolicEquations):
        keep(numeric, kept)
    log.info(
        "equations: %s; written in %.2f s, compiled or found compiled in %.2f s",
        said, written - begin, perf_counter() - written,
    )  # fmt: skip
    return kept, _addresses(owner), numeric.model.laws, owner


def _addresses(owner: MachineCode) -> IntArray:
    return np.array([owner.addresses[name] for name in generated.PROGRAMS], dtype=np.int64)


def _sparsity(equations: SymbolicEquations) -> Sparsity:
    """Entries of M, stiffness and damping included, and of G that are not zero."""
    shape = (equations.n, equations.n)
    matrix = np.array([e is not None for e in _nonzero(_newton_matrix(equations))], dtype=bool)
    G = np.array([e is not None for e in _nonzero(equations.G.ravel())], dtype=bool)
    return Sparsity(np.argwhere(matrix.reshape(shape)), np.argwhere(G.reshape(equations.G.shape)))
