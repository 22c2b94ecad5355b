"""How an RC ladder costs more with its sections: ``python -m tests.benchmarks.ladder [sections …]``."""

import sys
from time import process_time

import flexnet as fx


def build(n: int) -> fx.System:
    """A source, and n sections of one resistor and one capacitor."""
    s = fx.System("ladder")
    s.voltage_source("E", "n0", s.ground, 1.0)
    for i in range(n):
        s.resistor(f"R{i}", f"n{i}", f"n{i + 1}", 1.0)
        s.capacitor(f"C{i}", f"n{i + 1}", s.ground, 1.0)
    return s


def main(sizes: list[int]) -> None:
    """Print seconds of processor time a section: to solve the network, to formulate, and for a step."""
    sys.stdout.write("| sections | network [ms/section] | formulate [ms/section] | step [us/section] |\n")
    for n in sizes:
        s = build(n)
        t0 = process_time()
        _ = s.network.solved
        t1 = process_time()
        equations = fx.formulate(s)
        t2 = process_time()
        fx.simulate(equations, end=0.1, step=0.01, engine="numeric")  # compiled, memory warm
        t3 = process_time()
        fx.simulate(equations, end=10.0, step=0.01, interval=1.0, engine="numeric")
        t4 = process_time()
        each = (1e3 * (t1 - t0) / n, 1e3 * (t2 - t1) / n, 1e6 * (t4 - t3) / 1000 / n)
        sys.stdout.write(f"| {n} | {each[0]:.3f} | {each[1]:.3f} | {each[2]:.3f} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main([int(x) for x in sys.argv[1:]] or [250, 500, 1000, 2000])
