"""A small mechanism in motion, known in closed form: a bar turning about z, and a channel or two."""

from pathlib import Path

import numpy as np

from flexnet.results import (
    ENERGIES,
    BodyRecord,
    ChannelSpec,
    EdgeRecord,
    Mechanism,
    ResultLayout,
    ResultWriter,
)

LENGTH = 0.5
OMEGA = 3.0

LAYOUT = ResultLayout(
    q=("theta",),
    v=("theta",),
    lam=("O.x", "O.y"),
    units={"q": ("rad",), "v": ("rad/s",)},
    is_vector_space=True,
    frames=("A", "tip"),
    joints=("O",),
    elastic={"bar": ("bend_1",)},
    channels=(ChannelSpec("tip_x", "m", "place of the tip", rate="tip_vx"), ChannelSpec("tip_vx", "m/s")),
    memory={"a_bar": 1},
)

MECHANISM = Mechanism(
    name="turning bar",
    nodes=("ground", "A", "tip"),
    edges=(
        EdgeRecord("bar", "body", "rigid body", "ground", "A"),
        EdgeRecord("O", "joint", "revolute", "ground", "A"),
    ),
    trees={"translation": ("O",), "rotation": ("O",)},
    bodies=(
        BodyRecord("ground", "ground", ("ground",), is_ground=True, points=np.zeros((1, 3))),
        BodyRecord(
            "bar",
            "A",
            ("A", "tip"),
            points=np.array([[0.0, 0.0, 0.0], [0.5 * LENGTH, 0.0, 0.0], [LENGTH, 0.0, 0.0]]),
            lines=np.array([[0, 1], [1, 2]]),
            modes=np.array([[[0.0], [0.0], [0.0]], [[0.0], [1.0], [0.0]], [[0.0], [0.0], [0.0]]]),
        ),
    ),
    is_planar=True,
    parameters={"length": LENGTH},
)


def rows(time: np.ndarray) -> dict[str, np.ndarray]:
    """Everything at the given times."""
    theta, n, zero = OMEGA * time, len(time), np.zeros(len(time))
    direction = np.stack([np.cos(theta), np.sin(theta), zero], axis=1)
    normal = np.stack([-np.sin(theta), np.cos(theta), zero], axis=1)
    turn = np.stack([np.cos(theta / 2), zero, zero, np.sin(theta / 2)], axis=1)
    spin = np.tile([0.0, 0.0, OMEGA], (n, 1))
    data = {
        "time": time.copy(),
        "state/q": theta[:, None],
        "state/v": np.full((n, 1), OMEGA),
        "state/a": np.zeros((n, 1)),
        "state/lambda": -direction[:, :2],
        "bodies/bar/elastic": 0.01 * np.sin(20 * time)[:, None],
        "joints/O/force": -LENGTH * OMEGA**2 * direction,
        "joints/O/torque": np.zeros((n, 3)),
        "channels/tip_x": LENGTH * direction[:, 0],
        "channels/tip_vx": LENGTH * OMEGA * normal[:, 0],
        "constraints/position": zero,
        "constraints/velocity": zero,
        "solver/step": np.full(n, 0.01),
        "solver/iterations": np.full(n, 3),
        **{f"energy/{key}": np.full(n, 1.125) for key in ENERGIES},
    }
    for name, reach in (("A", 0.0), ("tip", LENGTH)):
        data[f"frames/{name}/position"] = reach * direction
        data[f"frames/{name}/quaternion"] = turn
        data[f"frames/{name}/velocity"] = reach * OMEGA * normal
        data[f"frames/{name}/angular_velocity"] = spin
    return data


def write_sample(path: Path, time: np.ndarray | None = None) -> Path:
    """Write a finished result file."""
    with ResultWriter.create(path, LAYOUT, case="turning_bar", mechanism=MECHANISM) as writer:
        writer.append(rows(np.linspace(0.0, 2.0, 201) if time is None else time))
    return path
