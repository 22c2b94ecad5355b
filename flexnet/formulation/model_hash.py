"""Hashes by which a model is known again: in a result file, in a cache."""

import hashlib

import numpy as np

from flexnet.formulation.equations import Equations


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
