"""Bodies that nothing holds to the ground: stated by the author, or a joint that was forgotten."""

from collections.abc import Collection, Iterable, Sequence

from flexnet.components import Component
from flexnet.graph import Kind


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


def words_afloat(groups: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """A sentence for every group."""
    return tuple(
        f"{'body' if len(names) == 1 else 'bodies'} {', '.join(map(repr, names))}"
        f" {'floats' if len(names) == 1 else 'float'} without a joint to the rest or the ground;"
        " if that is meant, say so: System.floats(body), or a free joint"
        for names in groups
    )
