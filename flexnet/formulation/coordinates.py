"""Branch coordinates: what the two trees leave unknown, and the names it goes by."""

from collections.abc import Sequence
from dataclasses import dataclass

from flexnet.components import Component, FlexibleBody, Terminal
from flexnet.graph import Tree


@dataclass(frozen=True, slots=True)
class BranchCoordinates:
    """Where the coordinates of one branch stand.

    Attributes
    ----------
    q, v : first index in the configuration and in the velocity.
    """

    q: int
    v: int


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Layout and names of the configuration q (n_q) and the velocity v (n_v).

    Attributes
    ----------
    q_names, v_names : names such as ``crank_pivot.angle`` and ``crank.omega_x``.
    translation, rotation : place of the coordinates of every branch of the T- and the R-tree.
    elastic : place of the elastic coordinates of every flexible body.
    scalars : (q, v) of every scalar coordinate.
    quaternions : (q, v) of every 3-D rotation.
    counted : q of every counted angle that no coordinate is, by its name; velocities have no part of it.
    """

    q_names: tuple[str, ...]
    v_names: tuple[str, ...]
    translation: dict[str, BranchCoordinates]
    rotation: dict[str, BranchCoordinates]
    elastic: dict[str, BranchCoordinates]
    scalars: tuple[tuple[int, int], ...]
    quaternions: tuple[tuple[int, int], ...]
    counted: dict[str, int]


def number_coordinates(
    parts: list[Component], terminals: dict[str, Terminal], T: Tree, R: Tree, counted: Sequence[str] = ()
) -> Coordinates:
    """Number the unknowns of all branches, component by component, translation before rotation.

    Counted angles that no coordinate is come last in q.
    """
    q_names, v_names = list[str](), list[str]()
    translation, rotation = dict[str, BranchCoordinates](), dict[str, BranchCoordinates]()
    elastic = dict[str, BranchCoordinates]()
    scalars, quaternions = list[tuple[int, int]](), list[tuple[int, int]]()
    in_t, in_r = set(T.names), set(R.names)

    def scalar(name: str) -> None:
        scalars.append((len(q_names), len(v_names)))
        q_names.append(name)
        v_names.append(name)

    for part in parts:
        terminal = terminals[part.name]
        if part.name in in_t and terminal.translation is not None:
            translation[part.name] = BranchCoordinates(len(q_names), len(v_names))
            for direction in terminal.translation.free:
                scalar(f"{part.name}.{direction.name}")
        if part.name in in_r and terminal.rotation is not None:
            rotation[part.name] = BranchCoordinates(len(q_names), len(v_names))
            if terminal.rotation.kind == "free":
                quaternions.append((len(q_names), len(v_names)))
                q_names += [f"{part.name}.quaternion_{c}" for c in "wxyz"]
                v_names += [f"{part.name}.omega_{c}" for c in "xyz"]
            else:
                for name in terminal.rotation.names:
                    scalar(f"{part.name}.{name}")
        if isinstance(part, FlexibleBody):
            elastic[part.name] = BranchCoordinates(len(q_names), len(v_names))
            for k in range(part.table.m):
                scalar(f"{part.name}.elastic_{k + 1}")
    places = {name: len(q_names) + i for i, name in enumerate(counted)}
    return Coordinates(
        (*q_names, *counted), tuple(v_names), translation, rotation, elastic,
        tuple(scalars), tuple(quaternions), places,
    )  # fmt: skip
