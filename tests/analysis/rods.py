"""Slender rods whose frequencies, critical loads and large deflections are known."""

from dataclasses import dataclass

import numpy as np

import flexnet as fx


@dataclass(frozen=True)
class Units:
    """Lengths, masses and times of a model are multiplied by these."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    @property
    def force(self) -> float:
        return self.mass * self.length / self.time**2

    @property
    def stress(self) -> float:
        return self.force / self.length**2


@dataclass(frozen=True)
class Rod:
    """A square steel rod."""

    L: float = 1.0
    side: float = 0.01
    E: float = 2e11
    rho: float = 7800.0
    nu: float = 0.3
    units: Units = Units()

    @property
    def EI(self) -> float:
        return self.E * self.side**4 / 12.0 * self.units.force * self.units.length**2

    @property
    def critical(self) -> float:
        """Euler's load of a cantilever."""
        return np.pi**2 * self.EI / (4.0 * (self.L * self.units.length) ** 2)

    @property
    def first(self) -> float:
        """First frequency of a pinned rod without shear and rotary inertia, rad/s."""
        return np.pi**2 / self.L**2 * np.sqrt(self.E * self.side**2 / 12.0 / self.rho) / self.units.time

    def body(self, elements: int, pieces: int = 1, **options):
        u = self.units
        material = fx.Material(self.E * u.stress, self.nu, self.rho * u.mass / u.length**3)
        section = fx.rectangle(self.side * u.length, self.side * u.length)
        return fx.beam_body(self.L * u.length / pieces, elements, material, section, **options)


STEEL = Rod()


def pinned(
    rod: Rod = STEEL, elements: int = 6, planar: bool = True, shear: bool = False, rotary: bool = False, **how
) -> fx.System:
    """A rod on a pin and a pin in a slot, unloaded."""
    s = fx.System("pinned", planar=planar)
    far = s.ground.frame("far", [rod.L * rod.units.length, 0.0, 0.0])
    body = s.flexible_body("rod", rod.body(elements, shear=shear, rotary_inertia=rotary), **how)
    s.revolute("left", s.ground, body["start"])
    s.pin_in_slot("right", far, body["end"])
    return s


def cantilever(rod: Rod = STEEL, pieces: int = 4, elements: int = 2, **how) -> tuple[fx.System, fx.Body]:
    """A planar rod in pieces, clamped at its start; the system and the last piece."""
    s = fx.System("cantilever", planar=True)
    given = {"support": fx.Clamped("start"), "modes": 0, "method": "craig_bampton", **how}
    before = s.ground
    beam = rod.body(elements, pieces, shear=False, rotary_inertia=False)
    for i in range(pieces):
        place = [i * rod.L * rod.units.length / pieces, 0.0, 0.0]
        body = s.flexible_body(f"piece_{i + 1}", beam, position=place, **given)
        s.weld(f"weld_{i + 1}", before, body["start"])
        before = body["end"]
    return s, body


def place(found: fx.Equilibrium, frame) -> np.ndarray:
    """Where a frame is at rest, m."""
    e = found.equations
    e.poses(found.state)
    return e.work.p[e.packer.node[frame.name]].copy()


def configuration(found: fx.Equilibrium) -> np.ndarray:
    """Orientations, places and deformations of all bodies: a state that knows no tree."""
    poses = found.equations.poses(found.state)
    return np.concatenate([poses.R.ravel(), poses.p.ravel(), poses.elastic])
