"""The four steps of the method written out, for teaching and for checking by hand.

1. branch transformations: every frame by the branches on its way to the datum;
2. circuit equations of the chords, before and after projection on their reaction spaces;
3. cutset equations of the branches in virtual work, and which dependent terms cancel;
4. the equations of motion;
5. the loads of joints and drivers, which the cutsets give afterwards.

On demand also the embedding form, in independent coordinates.
"""

import numpy as np

from flexnet.algebra import UNIT, minus
from flexnet.errors import ModelError
from flexnet.formulation.rows import ConstraintRow
from flexnet.formulation.symbolic.counts import count_operations
from flexnet.formulation.symbolic.embedding import symbolic_embedding
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.lines import Line, Section, explained, name_results, read, tidied
from flexnet.formulation.symbolic.motion import MOST_TERMS, motion_form
from flexnet.formulation.symbolic.reactions import driver_loads, symbolic_reactions
from flexnet.formulation.symbolic.structure import structure
from flexnet.graph import Edge, Kind, Tree, circuit_equation, f_cutset, rotation_circuit_equation

STEPS = ("transformations", "circuits", "cutsets", "equations", "motion", "loads", "embedding")
#: steps that ``all`` stands for; the embedding form divides by what may fill pages
ALL = STEPS[:-1]


def write_steps(equations: SymbolicEquations, step: str = "all") -> list[Section]:
    """Sections of one step, or of all.

    Parameters
    ----------
    step : one of :data:`STEPS`, or ``all``.
    """
    made = (_transformations, _circuits, _cutsets, _equations, _motion, _loads, _embedding)
    makers = dict(zip(STEPS, made, strict=True))
    if step != "all" and step not in makers:
        raise ModelError(f"there is no step {step!r}; there are {', '.join(STEPS)} and all")
    wanted = ALL if step == "all" else (step,)
    sections = [makers[name](equations) for name in wanted]
    lines = [line for section in sections for line in section.lines]
    named = name_results(lines)
    sections[-1].lines += [*named, *explained([*lines, *named])]
    return sections


def _transformations(equations: SymbolicEquations) -> Section:
    numeric, w = equations.numeric, equations.work
    out = Section(
        "transformations",
        "Step 1: branch transformations",
        "Rotations along the R-tree, then translations along the T-tree, from the datum outwards. "
        f"T-tree: {_branches(numeric.T)}. R-tree: {_branches(numeric.R)}. "
        f"Unknowns: {', '.join(numeric.coordinates.v_names)}.",
    )
    for branch in numeric.R.branches:
        node = numeric.packer.rotation_node[branch.child]
        out.lines.append(_rotation_line(equations, branch.child, node))
    for name, frame in numeric.system.frames.items():
        node = numeric.packer.node[name]
        if node:
            path = " + ".join(
                f"{'' if b.sign > 0 else '-'}r({b.edge.name})" for b in reversed(numeric.T.path(name))
            )
            out.lines.append(Line(f"p({name}) = {path}".replace("+ -", "- "), f"p({name})", read(w.p[node])))
            if frame.is_body_frame:
                velocity = read(w.v[node])
                out.lines.append(Line(f"velocity of {name}", f"v({name})", velocity))
    for name in numeric.packer.bodies[1:]:
        omega = w.omega[numeric.packer.rotation_node[name]]
        out.lines.append(Line(f"angular velocity of {name}", f"omega({name})", read(omega)))
    return out


def _rotation_line(equations: SymbolicEquations, name: str, node: int) -> Line:
    R = equations.orientations[node]
    path = " ".join(
        f"R({b.edge.name}){'' if b.sign > 0 else 'ᵀ'}" for b in reversed(equations.numeric.R.path(name))
    )
    note = ""
    if R.axis is not None and R.base is UNIT:
        note = "turns about one axis only add up"
    entries = tuple(x for row in R.matrix for x in row)
    return Line(f"R({name}) = {path}", f"R({name})", read(entries), note)


def _branches(tree: Tree) -> str:
    return ", ".join(b.edge.name for b in tree.branches if b.edge.kind is not Kind.ARM)


def _circuits(equations: SymbolicEquations) -> Section:
    numeric = equations.numeric
    out = Section(
        "circuits",
        "Step 2: circuit equations",
        "Every joint or driver in a cotree closes a circuit; projected on its reaction space the circuit is "
        "a constraint, and the reaction along that direction its multiplier.",
    )
    done: set[tuple[str, bool]] = set()
    for i, row in enumerate(numeric.rows):
        part = row.component
        is_translation = row.is_translation
        if (part.name, is_translation) not in done:
            done.add((part.name, is_translation))
            out.lines.append(_circuit_line(equations, row))
        lam = equations.variables.lam[i].name
        out.lines.append(
            Line(f"{row.name}, multiplier {lam}", f"Phi_{i + 1}", read([equations.phi[i]]), "= 0")
        )
    for i, row in enumerate(numeric.rows):
        bias = equations.bias[i]
        out.lines.append(Line(f"second derivative of {row.name}", f"gamma_{i + 1}", read([bias])))
    for name in numeric.redundant:
        out.lines.append(Line(f"{name}: redundant, left out"))
    if not numeric.rows:
        out.lines.append(Line("no joint is in a cotree: there are no constraints"))
    return out


def _circuit_line(equations: SymbolicEquations, row: ConstraintRow) -> Line:
    numeric, name = equations.numeric, row.component.name
    if row.place is not None:
        return Line(f"driver {name} rides on a branch: its circuit is the coordinate itself")
    tree = numeric.T if row.is_translation else numeric.R
    if not any(e.name == name for e in tree.chords):
        return Line(f"circuit of {name}")
    if not row.is_translation:
        return Line(f"circuit of {name}, before projection: {rotation_circuit_equation(tree, name)}")
    part, p = numeric.packer.by_name[name], equations.work.p
    tail, head = (p[numeric.packer.node[frame.name]] for frame in (part.tail, part.head))
    vector = read(minus(head, tail))
    return Line(f"circuit of {name}, before projection: {circuit_equation(tree, name)}", f"r({name})", vector)


def _cutsets(equations: SymbolicEquations) -> Section:
    numeric = equations.numeric
    out = Section(
        "cutsets",
        "Step 3: cutset equations in virtual work",
        "The through variables of every cutset sum to zero. A component between two frames appears by its "
        "own edge and by a dependent virtual work edge name@frame for each end off the ground. For an ideal "
        "joint in the tree the dependent terms cancel: its reactions are equal and opposite and it lets its "
        "ends move only where it has none.",
    )
    held = {
        letter: {row.component.name for row in numeric.rows if row.is_translation == (letter == "T")}
        for letter in "TR"
    }
    for tree, letter in ((numeric.T, "T"), (numeric.R, "R")):
        matrix = f_cutset(tree)
        for branch in tree.branches:
            if branch.edge.kind is Kind.ARM or not _moves(equations, branch.edge, letter):
                continue
            row = matrix.values[matrix.rows.index(branch.edge.name)]
            terms = [(c, int(s)) for c, s in zip(matrix.columns, row, strict=True) if s]
            text = " ".join(f"{'+' if s > 0 else '-'} δW({c})" for c, s in terms).removeprefix("+ ")
            out.lines.append(
                Line(
                    f"{letter}-cutset of {branch.edge.name}: {text} = 0",
                    note=_cancel(tree, terms, held[letter]),
                )
            )
    return out


def _moves(equations: SymbolicEquations, edge: Edge, letter: str) -> bool:
    places = (
        equations.numeric.coordinates.translation if letter == "T" else equations.numeric.coordinates.rotation
    )
    return edge.name in places


def _cancel(tree: Tree, terms: list[tuple[str, int]], held: set[str]) -> str:
    """Which dependent terms of a cutset cancel, and which remain with multipliers or force laws."""
    pairs: dict[str, list[str]] = {}
    for name, _ in terms:
        if "@" in name:
            pairs.setdefault(name.split("@")[0], []).append(name)
    kinds = {e.name: e.kind for e in tree.graph.edges}
    notes = []
    for owner, ends in pairs.items():
        together = " + ".join(ends)
        if kinds.get(owner) is Kind.FORCE:
            notes.append(f"{together}: by its law")
        elif owner in tree.names:
            notes.append(
                f"{together}: cancel, {owner} is ideal" if len(ends) == 2 else f"{together}: cancels"
            )
        elif owner in held:
            notes.append(f"{together}: multipliers of {owner}")
        else:
            notes.append(f"{together}: nothing, {owner} has no reaction here")
    return "; ".join(notes)


def _equations(equations: SymbolicEquations) -> Section:
    names = [str(v.name).removesuffix("_dot") for v in equations.variables.v]
    shape = structure(equations)
    about = (
        f"M v' + Gᵀ λ = F, Φ = 0: {equations.n} dynamic and {equations.m} constraint equations. "
        f"{count_operations(equations)}. M is symmetric, {100 * shape.filled:.0f} % of it filled."
    )
    if shape.cyclic:
        about += f" Cyclic coordinates: {', '.join(shape.cyclic)}."
    out = Section("equations", "Step 4: equations of motion", about)
    for i in range(equations.n):
        for j in range(i + 1):
            right = tidied(equations, equations.M[i, j])
            if right[0] != 0:
                label = f"mass of {names[i]}, {names[j]}" if i != j else f"mass of {names[i]}"
                out.lines.append(Line(label, f"M_{i + 1}_{j + 1}", right))
    for i in range(equations.n):
        out.lines.append(Line(f"force on {names[i]}", f"F_{i + 1}", tidied(equations, equations.F[i])))
    for i in range(equations.m):
        for j in range(equations.n):
            if equations.G[i, j] != 0:
                label = f"{equations.numeric.rows[i].name} by {names[j]}"
                out.lines.append(Line(label, f"G_{i + 1}_{j + 1}", read([equations.G[i, j]])))
    return out


def _motion(equations: SymbolicEquations) -> Section:
    form = motion_form(equations)
    out = Section(
        "motion",
        "Equations of motion, written out",
        f"{equations.n} dynamic and {equations.m} constraint equations."
        f"{' The groups of each sum to zero.' if form.equations else ''}",
    )
    out.lines += [Line(equation.name, groups=equation.groups) for equation in form.equations]
    out.lines += [Line("with", str(name), (e,)) for name, e in form.definitions]
    out.lines += [Line("equal in this model", str(name), (e,)) for name, e in form.equal]
    for i, e in form.constraints:
        name = f"{equations.numeric.rows[i].name}, multiplier {equations.variables.lam[i].name}"
        out.lines.append(Line(name, f"Phi_{i + 1}", (e,), "= 0"))
    left = [
        *form.left_out,
        *(row.name for i, row in enumerate(equations.numeric.rows) if i not in dict(form.constraints)),
    ]
    if left:
        names = ", ".join(left) if form.equations or form.constraints else "all of them"
        how = (
            "flexnet equations CASE.py --step equations writes them with names for intermediate results, "
            "--step circuits and --step cutsets what they are made of, "
            "--format c, fortran or numpy as code; in other trees (--tree absolute) they can be shorter"
        )
        out.lines.append(Line(f"too long to be written out, more than {MOST_TERMS} terms: {names}", note=how))
    return out


def _loads(equations: SymbolicEquations) -> Section:
    out = Section(
        "loads",
        "Step 5: loads of joints and drivers",
        "A component in a cotree carries its multipliers, one in a tree its cutset sum, with the "
        "accelerations in it. Forces and torques act on the head of the component, in ground axes.",
    )
    try:
        found = symbolic_reactions(equations)
    except ModelError as refusal:
        out.lines.append(Line(str(refusal)))
        return out
    drivers = driver_loads(equations)
    for name, load in found.items():
        for what, vector in (("force", load.force), ("torque", load.torque)):
            if any(x != 0 for x in vector):
                out.lines.append(Line(f"{what} of {name}", f"{what}({name})", read(vector)))
        if name in drivers:
            out.lines.append(
                Line(f"torque of {name} about its axis", f"T({name})", tidied(equations, drivers[name]))
            )
    return out


def _embedding(equations: SymbolicEquations) -> Section:
    form = symbolic_embedding(equations)
    names = equations.numeric.coordinates.v_names
    out = Section(
        "embedding",
        "Embedding form: equations in independent coordinates",
        f"With the constraints solved for the dependent velocities v = B u, "
        f"u = ({', '.join(form.independent)}), "
        "the equations are (Bᵀ M B) u' = Bᵀ (F - M b): one for each degree of freedom.",
    )
    for i, k in np.ndindex(*form.B.shape):
        if form.B[i, k] not in (0, 1):
            label = f"{names[i]} for unit {form.independent[k]}"
            out.lines.append(Line(label, f"B_{i + 1}_{k + 1}", read([form.B[i, k]])))
    for i, k in np.ndindex(*form.M.shape):
        if k <= i:
            out.lines.append(Line("reduced mass", f"M_{i + 1}_{k + 1}", tidied(equations, form.M[i, k])))
    for i, name in enumerate(form.independent):
        out.lines.append(Line(f"reduced force on {name}", f"F_{i + 1}", tidied(equations, form.F[i])))
    return out
