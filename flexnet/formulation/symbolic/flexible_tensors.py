"""Constant tensors of flexible bodies in symbols: named parameters in the place of numbers."""

from typing import Any

import numpy as np

from flexnet.components import FlexibleArm
from flexnet.formulation.equations import Equations
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.typing import AnyArray, Array

#: entries smaller than this part of the largest of their kind are round-off of the quadrature
_NOISE = 1e-13

_ONE = (slice(None),)
_SIX = (slice(3), slice(3, 6))
#: letter, axes before those of the modes, how many these are, and parts of the first axis of one unit each
_Shape = tuple[str, tuple[int, ...], int, tuple[slice, ...]]
#: tensors of a body by their fields; G has parts for accelerations, angular ones, products of angular rates
_OF_BODY: dict[str, _Shape] = {
    "N1": ("N", (3,), 1, _ONE), "sN": ("sN", (3, 3), 1, _ONE), "NN": ("NN", (3, 3), 2, _ONE),
    "M": ("M", (), 2, _ONE), "K": ("K", (), 2, _ONE), "C": ("C", (), 2, _ONE),
    "G": ("G", (12,), 2, (*_SIX, slice(6, 12))), "Q": ("Q", (6,), 1, _SIX),
}  # fmt: skip
#: and of a frame
_OF_FRAME: dict[str, _Shape] = {
    "H": ("H", (6,), 2, _SIX), "translation": ("Psi", (3,), 1, _ONE), "rotation": ("Theta", (3,), 1, _ONE),
}  # fmt: skip


def name_flexible(
    equations: Equations, bodies: AnyArray, frames: AnyArray, parameters: Parameters
) -> AnyArray:  # fmt: skip
    """Put parameters in the place of the numbers of flexible bodies; returns those of ``flex_data``."""
    model, packer = equations.model, equations.packer
    data = np.full(len(model.flex_data), 0, dtype=object)
    names = {packer.node[name]: name for name in packer.bodies}
    arms = [part.name for part in equations.parts if isinstance(part, FlexibleArm)]
    sizes = [mode_sizes(f, model.flex_data) for f in model.flex]

    def name_all(name: str, f: Any, tensors: dict[str, _Shape], size: Array) -> None:
        for key, (letter, shape, elastic, kinds) in tensors.items():
            start = getattr(f, key)
            if start >= 0:
                part = slice(start, start + int(np.prod(shape)) * len(size) ** elastic)
                values = model.flex_data[part].reshape(*shape, *[len(size)] * elastic)
                least = round_off(values, size, elastic, kinds)
                data[part] = symbols_of(parameters, f"{name}.{letter}", values, least).ravel()

    for f, size in zip(bodies, sizes, strict=True):
        name, behind = names[f.node], slice(f.Q + 6 * f.m, f.Q + 6 * f.m + 3)
        f.mass = parameters.scalar(f"m.{name}", f.mass)
        f.s2 = symbols_of(parameters, f"{name}.ss", f.s2, round_off(f.s2, size, 0))
        f.s1 = parameters.vector(f"{name}.s", f.s1)
        name_all(name, f, _OF_BODY, size)
        if f.Q >= 0:
            data[behind] = parameters.vector(f"{name}.line", model.flex_data[behind])
    for name, f in zip(arms, frames, strict=True):
        f.position = parameters.vector(name, f.position)
        name_all(name, f, _OF_FRAME, sizes[f.body])
    return data


def mode_sizes(f: AnyArray, data: Array) -> Array:
    """√M of every mode (m,): over it modes compare, be they displacements or rotations, in any unit."""
    m, start = int(f["m"]), int(f["M"])
    return np.asarray(np.sqrt(np.diag(data[start : start + m * m].reshape(m, m))))


def round_off(values: Array, sizes: Array, elastic: int, kinds: tuple[slice, ...] = _ONE) -> Array:
    """Largest round-off of every entry of a tensor, whose last so many axes are those of the modes.

    Parameters
    ----------
    kinds : parts of the first axis that have one unit each.
    """
    unit = np.ones(values.shape)
    for axis in range(values.ndim - elastic, values.ndim):
        unit *= sizes.reshape([-1 if k == axis else 1 for k in range(values.ndim)])
    out = np.zeros(values.shape)
    for part in kinds:
        # a mode without mass has no size: nothing of it is left out
        ratio = np.divide(np.abs(values[part]), unit[part], where=unit[part] > 0.0, out=out[part].copy())
        out[part] = _NOISE * ratio.max(initial=0.0) * unit[part]
    return out


def symbols_of(parameters: Parameters, name: str, values: Array, least: Array) -> AnyArray:
    """Array of parameters ``name.1.2`` with the round-off of the tensor left out."""
    out = np.empty(values.shape, dtype=object)
    for where in np.ndindex(*values.shape):
        label = ".".join(str(k + 1) for k in where)
        value = float(values[where])
        out[where] = parameters.scalar(f"{name}.{label}", value if abs(value) > least[where] else 0.0)
    return out
