"""What is surely not meant: bodies that nothing holds, stiffens or damps so.

Damping by mass or by ratios belongs to a body as its support holds it; a mechanism may hold it otherwise.
α M and 2 ζ ω act on the rates of the elastic coordinates. Where the frame of the body follows a clamped node
that a pin lets turn, these hold a part of the motion as a whole, which is then damped too: an arm with
α = 5/s on a pin has 0.117 of critical damping in its first mode from Clamped and 0.026 from Pinned; α/2ω is
0.011. Strains are the same from every support, and so is their damping (η, β).
"""

from collections.abc import Collection, Iterable, Sequence

from flexnet.components import Component, FlexibleBody, Weld
from flexnet.errors import warn
from flexnet.graph import Kind


def surely_wrong(
    bodies: Iterable[str],
    components: Iterable[Component],
    stated: Collection[str],
    unstiffened: Iterable[str],
) -> tuple[str, ...]:
    """A sentence for every body that floats, is not stiffened or is damped as nobody meant.

    Parameters
    ----------
    bodies : names, without the ground.
    components : what may hold them.
    stated : bodies that are said to float.
    unstiffened : flexible bodies whose geometric stiffness nobody knows.
    """
    parts = tuple(components)
    afloat = _words_afloat(groups_afloat(bodies, parts, stated))
    return (*afloat, *_words_unstiffened(unstiffened), *_words_damped(parts))


def groups_afloat(
    bodies: Iterable[str], components: Iterable[Component], stated: Collection[str]
) -> tuple[tuple[str, ...], ...]:
    """Bodies that hang together but not on the ground, group by group, each in order of creation.

    Joints hold, free and virtual ones too: whoever draws one means it. So do drivers, springs and bushings.
    Applied forces and torques do not: they act from the ground, but hold nothing.

    Parameters
    ----------
    bodies : names, without the ground.
    components : what may hold them.
    stated : bodies that are said to float; their groups are left out.
    """
    group = {name: {name} for name in ("ground", *bodies)}
    for part in components:
        if part.kind is Kind.BODY or part.acts_from_datum:
            continue
        a, b = group[part.tail.body], group[part.head.body]
        if a is not b:
            a |= b
            group |= dict.fromkeys(b, a)
    apart = {id(found): found for found in group.values()}.values()
    return tuple(
        tuple(name for name in group if name in found)
        for found in apart
        if "ground" not in found and found.isdisjoint(stated)
    )


def _words_afloat(groups: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """A sentence for every group."""
    return tuple(
        f"{'body' if len(names) == 1 else 'bodies'} {', '.join(map(repr, names))}"
        f" {'floats' if len(names) == 1 else 'float'} without a joint to the rest or the ground;"
        " if that is meant, say so: System.floats(body), or a free joint"
        for names in groups
    )


def _words_damped(components: Sequence[Component]) -> tuple[str, ...]:
    """A sentence for every flexible body whose damping follows a support that the mechanism does not keep."""
    joints = [part for part in components if part.kind is Kind.JOINT]
    return tuple(
        f"the damping of flexible body {part.name!r} {_by(part)} is that of the body held by its support, and"
        " the mechanism does not hold it so: it damps other modes by other ratios. Take the support by which"
        " it is held, or damp strains (eta of the material, beta of Rayleigh)"
        for part in components
        if isinstance(part, FlexibleBody) and _by(part) and not _is_held(part, joints)
    )


def _by(part: FlexibleBody) -> str:
    """What its damping is in proportion to, where that is not its strain."""
    damping = None if part.body is None else part.body.damping
    if getattr(damping, "alpha", 0.0) > 0.0:
        return "by its mass"
    return "by ratios" if hasattr(damping, "ratios") else ""


def _is_held(part: FlexibleBody, joints: Iterable[Component]) -> bool:
    """Whether welds are where its support clamps it, and joints where its chord ends; mean axes need none."""
    from flexnet.fem import Clamped, Pinned  # here: a system of rigid bodies needs no finite elements

    assert part.body is not None
    mesh, rows = part.body.mesh, part.table.frames
    welded, joined = set[int](), set[int]()
    node = {f"{part.name}.{key}": int(n) for key, n in zip(rows.names, rows.nodes, strict=True)}
    for joint in joints:
        for frame in (joint.tail, joint.head):
            if frame.name in node:
                joined.add(node[frame.name])
                welded |= {node[frame.name]} if isinstance(joint, Weld) else set()
    given = part.support if isinstance(part.support, list | tuple) else [part.support]
    for one in given:
        if isinstance(one, Clamped) and not welded & set(mesh.find_nodes(one.where).tolist()):
            return False
        if isinstance(one, Pinned) and not all(
            joined & set(mesh.find_nodes(end).tolist()) for end in (one.start, one.end)
        ):
            return False
    return True


def _words_unstiffened(names: Iterable[str]) -> tuple[str, ...]:
    """A sentence for every flexible body whose geometric stiffness nobody knows."""
    return tuple(
        f"flexible body {name!r} has no geometric stiffness: matrices of another program do not tell it."
        " Rotation and axial loads do not stiffen it; stiffening=False says so on purpose"
        for name in names
    )


def warn_of_bare_shells(part: Component, bare: Collection[str]) -> None:
    """Say where a joint puts a moment on a single node of a shell."""
    rotation = part.terminal.rotation if bare else None
    if part.kind is not Kind.JOINT or rotation is None or rotation.unknowns == 3:
        return
    for frame in (part.tail, part.head):
        if frame.name in bare:
            warn(
                f"joint {part.name!r} puts a moment on a single node of a shell at {frame.name!r}; under"
                " a point moment a thin shell does not converge with its mesh: put a RigidLink along the"
                " hinge line"
            )
