"""A run from its result file and the system it was made of."""

from pathlib import Path

from flexnet.analysis.pieces import PARAMETER
from flexnet.analysis.run import Run
from flexnet.errors import ResultError
from flexnet.formulation import formulate
from flexnet.formulation.model_hash import model_hash
from flexnet.integrators import Outcome, Status
from flexnet.results import Results
from flexnet.system import System, in_pieces


def reopened(path: str | Path, system: System) -> Run:
    """Return the run of a result file, in the trees it was made with.

    Raises
    ------
    ResultError
        If the file is of another model, or has no rows.
    """
    results = Results.open(path)
    mechanism = results.mechanism()
    trees, pieces = mechanism.trees, mechanism.parameters.get(PARAMETER)
    system = in_pieces(system, pieces if isinstance(pieces, int) else None)
    if not results.rows:
        raise ResultError(f"{path}: no rows to recover stresses from")
    if set(trees["translation"]) - {edge.name for edge in system.mechanism.edges}:
        raise ResultError(f"{path}: its trees have edges that {system.name!r} does not have")
    equations = formulate(system, "default", trees["translation"], trees["rotation"])
    if results.attributes.get("model_hash") != model_hash(equations):
        raise ResultError(f"{path}: it was made with another model than {system.name!r} is now")
    return Run(equations, Status(Outcome.DONE, float(results.time[-1])), path=Path(path))
