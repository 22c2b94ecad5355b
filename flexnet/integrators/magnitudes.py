"""How large first-order states become: what their errors are measured by.

A dimension does not tell it: a circuit of milliamperes has the units of one of kiloamperes. So an adaptive
run with states begins with a coarse one of fixed steps, and the size of a state is the largest value that it
has there. A state far below others of its dimension counts as FAINT of the largest of them: what should be
zero, and is round-off, sets no step. A dimension in which nothing happens keeps its own size.

At a fixed step this decides only how well algebraic rows are met, and only where the coarse run gets through.
"""

from dataclasses import replace

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators.settings import Settings
from flexnet.typing import Array

#: steps of the coarse run; more where it does not get through
COARSE = (128, 1024)
#: least size of a state over the largest of its dimension, and of all dimensions
FAINT, NOTHING = 1e-4, 1e-12


def sized(dae: Dae, settings: Settings, is_fixed: bool) -> Dae:
    """The same equations, with sizes of the states z by what they become."""
    needs = dae.is_algebraic.any() if is_fixed else dae.n_z > 0
    if not needs or not settings.end > dae.t:
        return dae
    with np.errstate(all="ignore"):
        largest = _largest(dae, settings, is_fixed)
    by_dimension = dae.sizes[dae.n_v - dae.n_z :] / dae.magnitudes
    found = largest * dae.scale.time / by_dimension
    whole = found.max(initial=0.0)
    if not (np.all(np.isfinite(found)) and whole > 0.0):
        return dae
    magnitudes = beside_their_kind(largest * dae.scale.time, by_dimension, 1.0)
    if is_fixed:
        return replace(dae, fineness=magnitudes)
    sizes = dae.sizes.copy()
    sizes[dae.n_v - dae.n_z :] = by_dimension * magnitudes
    return replace(dae, sizes=sizes, magnitudes=magnitudes)


def beside_their_kind(largest: Array, kinds: Array, quiet: float) -> Array:
    """Largest values over the sizes of their dimensions, (n_z,), none below FAINT of the largest of its own.

    ``quiet`` stands where nothing happens in a dimension.
    """
    found = largest / kinds
    out, whole = np.full(len(found), quiet), found.max(initial=0.0)
    for kind in np.unique(kinds):
        own = kinds == kind
        if (peak := found[own].max()) > NOTHING * whole:
            out[own] = np.maximum(found[own], FAINT * peak)
    return out


def _largest(dae: Dae, settings: Settings, is_fixed: bool) -> Array:
    """Largest absolute value of every state at the start and in a coarse run, (n_z,)."""
    from flexnet.integrators.alpha import generalised_alpha  # here: its page rests on the door of all methods

    out = np.abs(dae.v[dae.n_v - dae.n_z :])
    free = replace(dae, events=None)
    for steps in COARSE:
        h = (settings.end - dae.t) / steps
        try:
            march = generalised_alpha(0.0).begin(free, Settings(h, settings.end, newton=settings.newton))
        except FlexnetError:  # the run itself will say so
            return out
        for block in march.blocks():
            z = np.abs(block.v[:, dae.n_v - dae.n_z :])
            out = np.maximum(out, np.nan_to_num(z, nan=0.0, posinf=0.0).max(axis=0, initial=0.0))
        if march.status.is_done:
            return out
    # what was not seen to its end may become anything
    return np.full(dae.n_z, np.nan) if is_fixed else out
