"""Damping by mass or by ratios belongs to a body as its support holds it; a mechanism may hold it otherwise.

α M and 2 ζ ω act on the rates of the elastic coordinates. Where the frame of the body follows a clamped node
that a pin lets turn, these hold a part of the motion as a whole, which is then damped too: an arm with
α = 5/s on a pin has 0.117 of critical damping in its first mode from Clamped and 0.026 from Pinned; α/2ω is
0.011. Strains are the same from every support, and so is their damping (η, β).
"""

from collections.abc import Iterable

from flexnet.components import Component, FlexibleBody, Weld
from flexnet.graph import Kind


def words_damped(components: Iterable[Component]) -> tuple[str, ...]:
    """A sentence for every flexible body whose damping follows a support that the mechanism does not keep."""
    components = tuple(components)
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
