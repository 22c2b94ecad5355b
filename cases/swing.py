r"""The swing: Bauchau, Damilano and Theron (1995); data of Ansys VM257.

    O1           O2
     |             \
     |              \
    A o──B──■C───────o E

A beam (0.72 m, 1 mm × 5 mm, soft in the plane; E = 73e9 N/m², ν = 0.3, ρ = 2700 kg/m³) carries a mass of
0.5 kg at its middle C and hangs on two rigid links without mass, O1A = 0.36 m upright and O2E = 0.36 √2 m at
45°. A force along x on C rises to 2 N at 0.128 s and is gone at 0.256 s; no gravity. At 0.641 s the links
and the beam come into line and the beam snaps. Deflections are a large part of the length: the beam is cut
into several flexible bodies. Recorded are the displacements of B (quarter of the span), C, A and E.
"""

import sympy as sp

import flexnet as fx

END = 0.64
STEP = 2e-4


def build(pieces: int | str = 8, elements: int = 8, modes: int | str = 0, force: float = 2.0) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    pieces : flexible bodies in the beam, welded; ``auto`` for as many as its motion asks for.
    elements : finite elements of the beam, a multiple of four (B and C are nodes), no fewer than pieces.
    modes : eigenmodes of each piece besides the shapes of its end.
    force : largest force, N.
    """
    n = elements if pieces == "auto" else max(elements, pieces)
    if n < 4 or n % 4:
        raise fx.ModelError(f"swing: elements must be a multiple of four, so that B and C are nodes, not {n}")
    s = fx.System("swing", planar=True)
    length = 0.72
    material, section = fx.Material(E=73e9, nu=0.3, rho=2700.0), fx.rectangle(0.001, 0.005)
    s.ground.add_frames({"O1": [0, 0.36], "O2": [1.08, 0.36]})
    left = s.massless_body("left", {"O1": [0, 0.36], "A": [0, 0]})
    right = s.massless_body("right", {"O2": [0.36, 0.36], "E": [0, 0]}, position=[length, 0, 0])
    nodes = {"A": 0, "B": n // 4, "C": n // 2, "E": n}
    body = fx.beam_body(length, n, material, section, frames=nodes)
    how = {"support": fx.Clamped("start"), "modes": modes, "method": "craig_bampton"}
    beam = s.flexible_body("beam", body, pieces=pieces, **how)
    mass = s.rigid_body("mass", 0.5, 0.0, position=[length / 2, 0, 0])
    s.weld("C", beam["C"], mass)
    s.revolute("O1", s.ground["O1"], left["O1"])
    s.revolute("A", left["A"], beam["A"])
    s.revolute("E", beam["E"], right["E"])
    s.revolute("O2", s.ground["O2"], right["O2"])
    t = sp.Symbol("t")
    pulse = force * sp.Max(0, sp.Min(t / 0.128, 2 - t / 0.128))
    s.force("pulse", mass, [fx.expression(pulse), 0.0, 0.0])
    for name in nodes:
        for axis in "xy":
            s.channel(f"{name}_{axis}", fx.position(beam[name], axis), "m", f"{axis} of {name}")
    return s


def _reference(tolerance: str, end: float, step: float, method: object) -> fx.Reference:
    return fx.Reference(
        source="Bauchau, Damilano and Theron (1995) by cable elements of another program",
        file="references/swing_bauchau1995.csv",
        columns={f"{point}_{axis}": f"u{point}{axis}" for point in "BC" for axis in "xy"},
        tolerances=(tolerance,),
        end=end,
        step=step,
        method=method,
        tree="joint",
        from_start=True,
    )


REFERENCES = [
    _reference("0.1%", 0.3, 2e-4, fx.generalised_alpha(0.6)),
    _reference("1%", 0.64, 1e-3, fx.energy_decaying(0.5)),  # to the snap, which an α-method does not pass
]
