"""A mode as a result file over one period, so that it can be animated like any run."""

from pathlib import Path

import numpy as np

from flexnet.analysis.closing import close
from flexnet.analysis.linearise import Linearisation
from flexnet.analysis.record import record
from flexnet.analysis.run import Run
from flexnet.analysis.small_motion import Mode
from flexnet.formulation import Motion, State
from flexnet.integrators import Outcome, Status


def animate_mode(
    linear: Linearisation,
    mode: Mode,
    out: str | Path | None = None,
    amplitude: float = 0.2,
    frames: int = 41,
) -> Run:
    """Write one period of a mode, undamped, with constraints closed at every frame.

    Parameters
    ----------
    linear, mode : what was linearised, and one of its modes.
    out : result file; in memory if left out.
    amplitude : largest departure of a coordinate, m or rad.
    frames : rows of the period, its end included.
    """
    e, at = linear.equations, linear.state
    period = 1.0 / mode.frequency if mode.frequency > 0 else 1.0
    shape = amplitude * mode.shape / max(float(np.abs(mode.shape).max()), 1e-300)
    states, motions = [], []
    for phase in np.linspace(0.0, 2.0 * np.pi, frames):
        departure = (shape * np.exp(1j * phase)).real
        rate = (1j * shape * np.exp(1j * phase)).real * 2.0 * np.pi / period
        q, _ = close(e, e.compose(at.q, departure), at.t)
        states.append(State(phase / (2.0 * np.pi) * period, q, rate))
        motions.append(Motion(np.zeros(e.n_v), np.zeros(e.m)))
    run = Run(
        e.frozen(at.t), Status(Outcome.DONE, period, steps=frames), path=None if out is None else Path(out)
    )
    record(run, states, motions, {"name": "mode", "frequency": mode.frequency})
    return run
