"""Conservative mechanisms, and some that are not, for the theorems of the energy schemes."""

from collections.abc import Callable

import numpy as np
import sympy as sp

import flexnet as fx
from cases import swing

t = sp.Symbol("t")


def oscillator(omega: float = 1.0, damping: float = 0.0) -> fx.System:
    """A mass of 1 kg on a spring along x, let go at 1 m."""
    s = fx.System("oscillator", planar=True)
    mass = s.rigid_body("mass", 1.0, 1.0, position=[1.0, 0])
    s.prismatic("guide", s.ground, mass)
    s.spring("spring", s.ground, mass, stiffness=omega**2, damping=damping, axis="x")
    s.start("guide", displacement=1.0)
    return s


def pendulum(links: int, planar: bool = True) -> fx.System:
    """Rods of 1 m and 1 kg in a chain, let go horizontal."""
    s = fx.System(f"pendulum of {links}", planar=planar)
    s.gravity([0, -9.81, 0])
    J = 1 / 12 if planar else [0.01, 1 / 12, 1 / 12]
    before = s.ground
    for k in range(links):
        rod = s.rigid_body(f"rod{k}", 1.0, J, {"a": [-0.5, 0], "b": [0.5, 0]}, position=[k + 0.5, 0])
        if planar:
            s.revolute(f"pin{k}", before, rod["a"])
        else:
            s.spherical(f"ball{k}", before, rod["a"])
        before = rod["b"]
    return s


def top() -> fx.System:
    """Heavy top of the Lie group literature: 15 kg, 1 m, 150 rad/s about its axis."""
    s = fx.System("heavy top")
    s.gravity([0, 0, -9.81])
    body = s.rigid_body(
        "top", 15.0, [0.234375, 0.46875, 0.234375], {"O": [0, -1, 0]}, position=[0, 1, 0],
        angular_velocity=[0, 150, -4.61538], velocity=[4.61538, 0, 0],
    )  # fmt: skip
    s.spherical("O", s.ground, body["O"])
    return s


def slider_crank() -> fx.System:
    """Crank, rod and slider in the plane under their weights, let go with the crank at 45°; one loop."""
    s = fx.System("slider-crank", planar=True)
    s.gravity([0, -9.81, 0])
    a, b = 0.5, 1.2
    x, y = a * np.cos(np.pi / 4), a * np.sin(np.pi / 4)
    reach = np.sqrt(b**2 - y**2)
    turn = fx.rotation("z", -np.arcsin(y / b))
    crank = s.rigid_body(
        "crank", 1.0, 0.03, {"O": [-a / 2, 0], "A": [a / 2, 0]}, [x / 2, y / 2], fx.rotation("z", np.pi / 4)
    )
    rod = s.rigid_body("rod", 1.5, 0.2, {"A": [-b / 2, 0], "B": [b / 2, 0]}, [x + reach / 2, y / 2], turn)
    slider = s.rigid_body("slider", 2.0, 0.1, position=[x + reach, 0])
    s.revolute("O", s.ground, crank["O"])
    s.revolute("A", crank["A"], rod["A"])
    s.revolute("B", rod["B"], slider)
    s.prismatic("guide", s.ground, slider)
    s.start("O", angle=np.pi / 4)
    return s


def free_beam() -> fx.System:
    """A soft beam that flies, turns and bends, without gravity."""
    material = fx.Material(E=2.0e8, nu=0.3, rho=1000.0)
    s = fx.System("free beam")
    beam = s.flexible_body(
        "beam", fx.beam_body(1.0, 4, material, fx.rectangle(0.03, 0.02)), modes=4,
        velocity=[0.3, 0.1, -0.2], angular_velocity=[2.0, 3.0, 4.0],
    )  # fmt: skip
    s.free("flight", s.ground, beam)
    return s


def busy() -> fx.System:
    """A driven slider-crank with a damped spring, a force that grows and a torque after a law."""
    s = fx.System("busy", planar=True)
    s.gravity([0, -9.81, 0])
    crank = s.rigid_body("crank", 1.0, 0.03, {"O": [-0.25, 0], "A": [0.25, 0]}, [0.25, 0])
    rod = s.rigid_body("rod", 1.5, 0.2, {"A": [-0.6, 0], "B": [0.6, 0]}, [1.1, 0])
    slider = s.rigid_body("slider", 2.0, 0.1, position=[1.7, 0])
    arm = s.rigid_body("arm", 0.5, 0.02, {"C": [0, 0.3]}, position=[1.7, -0.3])
    s.revolute("O", s.ground, crank["O"])
    s.revolute("A", crank["A"], rod["A"])
    s.revolute("B", rod["B"], slider)
    s.prismatic("guide", s.ground, slider)
    s.revolute("C", slider, arm["C"])
    s.motion("drive", joint="O", angle=fx.expression(3 * t + sp.sin(5 * t) / 5))
    s.spring("spring", s.ground.frame("wall", [2.5, 0]), arm, stiffness=40.0, damping=1.5, free_length=0.5)
    s.force("push", arm, [fx.polynomial(0.0, 2.0), 1.0, 0.0])
    s.torsional_spring("drag", joint="C", law=lambda x, rate, t: -0.05 * rate * abs(rate))
    return s


def ringing_panel(is_hinged: bool = False) -> fx.System:
    """A steel panel of 0.5 m with modes from 43.5 to 1e5 rad/s and more, clamped or on a hinge that turns."""
    cells = 4
    near = (cells // 2) * (cells + 1)
    edge = [i * (cells + 1) for i in range(cells + 1)]
    steel = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
    panel = fx.panel_body(
        (0.5, 0.5), (cells, cells), fx.ShellSection.uniform(0.002, steel), frames={"hinge": near},
        links=[fx.RigidLink(near, [i for i in edge if i != near])],
    )  # fmt: skip
    s = fx.System("ringing panel")
    spin = [0, 1.0, 0] if is_hinged else [0, 0, 0]
    body = s.flexible_body(
        "panel", panel, support=fx.Clamped(near), modes=[1, 2, 5, 30, 60, 80, 81, 82], angular_velocity=spin
    )
    if is_hinged:
        s.revolute("hinge", s.ground, body["hinge"], axis=(0, 1, 0))
        s.start("hinge", rate=1.0)
    else:
        s.weld("clamp", s.ground, body["hinge"])
    return s


def swing_after_the_load(tree: str) -> fx.Equations:
    """The swing of cases/swing.py from 0.256 s on, when its force is gone."""
    made = fx.formulate(swing.build(), tree)
    run = fx.simulate(made, 0.256, 2e-4, fx.energy_decaying(0.0), interval=0.256)
    made.initial = fx.State(0.256, run["state/q"][-1], run["state/v"][-1])
    return made


CONSERVATIVE: dict[str, Callable[[], fx.System]] = {
    "double pendulum": lambda: pendulum(2),
    "triple pendulum": lambda: pendulum(3, planar=False),
    "heavy top": top,
    "slider-crank": slider_crank,
    "free beam": free_beam,
}


def conservative(name: str, tree: str) -> fx.Equations:
    """Equations of a conservative mechanism by name."""
    if name == "swing after the load":
        return swing_after_the_load(tree)
    return fx.formulate(CONSERVATIVE[name](), tree)


#: steps that resolve the motion badly
LARGE = {
    "double pendulum": 0.03, "triple pendulum": 0.015, "heavy top": 0.01, "slider-crank": 0.03,
    "free beam": 0.2, "swing after the load": 1e-3,
}  # fmt: skip
#: end and first step of the runs that measure orders
ROTATING = {
    "heavy top": (0.1, 2e-3),
    "slider-crank": (0.4, 0.01),
    "busy": (0.4, 0.01),
    "free beam": (0.1, 2e-3),
}
