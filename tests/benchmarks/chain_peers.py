"""The chain of pendula by MuJoCo (Euler, RK4), and by Pinocchio's articulated bodies under the classical RK4.

Both count angles between neighbours from the start, where the chain is straight. MuJoCo's loop is compiled;
Pinocchio's accelerations are, and the four stages around them are Python.
"""

from collections.abc import Callable
from functools import cache
from time import process_time
from typing import Any

import numpy as np

ANGLE, GRAVITY = -np.pi / 4, 9.81
#: equal steps of a run, the same of every program
COUNTS = (*range(2, 13), 14, 16, 18, 20, 22, 24, 28, 32, 40, 56, 80, 112, 160, 224, 320, 640, 1280, 2560)
#: processor time (s) and angles (N,) of a chain of so many links after a time, with a step
Peer = Callable[[int, float, float], tuple[float, np.ndarray]]


@cache
def _mujoco_model(N: int, integrator: str) -> Any:
    """The chain as MuJoCo reads it."""
    import mujoco

    # an unstable step shows in the error; the library would write it to a file in the folder it is run in
    mujoco.set_mju_user_warning(lambda _: None)
    link = '<body pos="{x} 0 0"><joint type="hinge" axis="0 0 1"/>'
    link += '<inertial pos="0.5 0 0" mass="1" diaginertia="{J} {J} {J}"/>'
    inside = "".join(link.format(x=min(i, 1), J=1 / 12) for i in range(N)) + "</body>" * N
    text = (
        f'<mujoco><compiler angle="radian"/><option gravity="0 {-GRAVITY} 0"'
        f' integrator="{integrator}"><flag contact="disable"/></option>'
        f'<worldbody><body euler="0 0 {ANGLE}">{inside}</body></worldbody></mujoco>'
    )
    return mujoco.MjModel.from_xml_string(text)


def by_mujoco(integrator: str) -> Peer:
    """MuJoCo with one of its integrators."""

    def run(N: int, end: float, step: float) -> tuple[float, np.ndarray]:
        import mujoco

        model = _mujoco_model(N, integrator)
        model.opt.timestep = step
        data = mujoco.MjData(model)
        began = process_time()
        mujoco.mj_step(model, data, round(end / step))
        return process_time() - began, data.qpos.copy()

    return run


@cache
def _in_pinocchio(N: int) -> tuple[Any, Any]:
    """The chain as Pinocchio has it, and what it works on: to make that takes longer than a run."""
    import pinocchio as pin

    model, parent = pin.Model(), 0
    model.gravity.linear = np.array([0.0, -GRAVITY, 0.0])
    c, s = np.cos(ANGLE), np.sin(ANGLE)
    first = pin.SE3(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.zeros(3))
    for i in range(N):
        place = first if i == 0 else pin.SE3(np.eye(3), np.array([1.0, 0.0, 0.0]))
        parent = model.addJoint(parent, pin.JointModelRZ(), place, f"joint{i}")
        inertia = pin.Inertia(1.0, np.array([0.5, 0.0, 0.0]), np.eye(3) / 12)
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    return model, model.createData()


def by_pinocchio(N: int, end: float, step: float) -> tuple[float, np.ndarray]:
    """Pinocchio's ABA, four evaluations a step."""
    import pinocchio as pin

    model, data = _in_pinocchio(N)
    q, v = np.zeros(N), np.zeros(N)

    def rate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return pin.aba(model, data, q, v, np.zeros(N)).copy()

    began = process_time()
    for _ in range(round(end / step)):
        a1 = rate(q, v)
        v2 = v + 0.5 * step * a1
        a2 = rate(q + 0.5 * step * v, v2)
        v3 = v + 0.5 * step * a2
        a3 = rate(q + 0.5 * step * v2, v3)
        v4 = v + step * a3
        a4 = rate(q + step * v3, v4)
        q = q + step / 6 * (v + 2 * v2 + 2 * v3 + v4)
        v = v + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return process_time() - began, q


PEERS: dict[str, Peer] = {
    "MuJoCo, Euler": by_mujoco("Euler"),
    "MuJoCo, RK4": by_mujoco("RK4"),
    "Pinocchio's ABA, RK4": by_pinocchio,
}
