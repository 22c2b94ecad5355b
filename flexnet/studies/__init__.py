"""Studies: many variants of one model, on all cores or a cluster; optimisation on top of them."""

from flexnet.studies.dataset import open_study, read_study
from flexnet.studies.misfit import Fit, Misfit
from flexnet.studies.outputs import OUTPUTS
from flexnet.studies.plan import SAMPLINGS
from flexnet.studies.sensitivity import Sensitivities, sensitivities
from flexnet.studies.study import study

__all__ = [
    "study",
    "sensitivities",
    "Sensitivities",
    "Misfit",
    "Fit",
    "open_study",
    "read_study",
    "OUTPUTS",
    "SAMPLINGS",
]
