"""Hashes by which a model is known again: in a result file, in a cache."""

import hashlib

import numpy as np

from flexnet.formulation.equations import Equations
from flexnet.signals.told import told


def _digest(equations: Equations) -> "hashlib._Hash":
    """Digest of coordinates, laws and every number: of functions what they do, not their addresses."""
    digest = hashlib.sha256(repr(equations.coordinates.q_names).encode())
    digest.update(equations.packer.families.digest.encode())
    model = equations.model
    for field, array in zip(model._fields, model, strict=True):
        if field in ("families", "laws", "flex_code"):
            continue
        value = np.array(array)
        if field == "functions":
            value["refs"] = 0
        digest.update(field.encode() + value.tobytes())
    return digest


def equations_hash(equations: Equations) -> str:
    """Hash of the equations: the model and its trees, but not where a run starts."""
    return _digest(equations).hexdigest()


def model_hash(equations: Equations) -> str:
    """Hash of the model, its trees, its events and its start."""
    digest = _digest(equations)
    for event in equations.system.events:
        digest.update(repr((event.name, event.action, event.direction)).encode())
    start = equations.initial
    digest.update(start.q.tobytes() + start.v.tobytes() + equations.z_of(start).tobytes())
    return digest.hexdigest()


def channels_hash(equations: Equations) -> str:
    """Hash of what the channels that were asked for record; empty where there are none."""
    asked = equations.system.asked
    text = f"{[(c.name, c.factor) for c in asked]} {told([c.measure for c in asked])}"
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16] if asked else ""
