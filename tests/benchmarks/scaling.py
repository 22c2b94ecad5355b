"""How set-up and a step grow with the mechanism: chains of pendula and of flexible links.

``python -m tests.benchmarks.scaling [largest]`` prints three tables, some five minutes for chains up to 4000
links: processor time of `formulate`, of `begin` and of one step, in every tree that is worth trying, and the
exponent p of time ∝ N^p from one length to the next. A step of dopri5 is seven evaluations of the
accelerations, along the tree of bodies in joint coordinates; one of HHT some iterations of Newton's method.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log
from time import process_time

import flexnet as fx
from cases import n_four_bar
from flexnet.formulation import columns, same_start
from flexnet.integrators import METHODS, Settings, begin
from tests.benchmarks import chain
from tests.benchmarks.table import table
from tests.integrators.test_elimination import flexible_chain

LENGTHS = (100, 200, 400, 1000, 4000)
#: what is worth trying; a full mass matrix costs the cube of the length
LONGEST = {
    ("dopri5", "joint"): 4000, ("dopri5", "absolute"): 1000, ("dopri5", "absolute_angular"): 200,
    ("hht", "absolute"): 4000, ("hht", "joint"): 200,
}  # fmt: skip
STEPS, STEP, ROUNDS = 20, 1e-3, 3


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor time of one length, s."""

    links: int
    formulate: float
    begin: float
    step: float


def measure(build: Callable[[int], fx.System], links: int, method: str, tree: str) -> Cost:
    """Formulate, begin and take some steps; the first is not counted, and nothing is remembered.

    Steps are taken three times from the start, and the least time counts.
    """
    same_start._known.clear()
    columns._known.clear()
    system = build(links)
    clock = [process_time()]
    equations = fx.formulate(system, tree)
    clock.append(process_time())
    fixed, free = Settings(STEP, 1.0, STEP), Settings(STEP, 1.0, STEP, tolerance=1e9, largest=STEP)
    dae, least = equations.dae(), inf
    for _ in range(ROUNDS):
        march = begin(dae, METHODS[method](), free if method == "dopri5" else fixed)
        clock.append(process_time())
        march.advance(1)
        began = process_time()
        march.advance(STEPS)
        least = min(least, process_time() - began)
        if not march.status.is_done:
            raise RuntimeError(f"chain of {links} in {tree}: {march.status}")
    return Cost(links, clock[1] - clock[0], clock[2] - clock[1], least / STEPS)


def exponent(costs: list[Cost], what: str) -> str:
    """Power p of time ∝ N^p between the last two lengths."""
    if len(costs) < 2:
        return ""
    a, b = costs[-2:]
    return f"{log(getattr(b, what) / getattr(a, what)) / log(b.links / a.links):.2f}"


def chains(
    say: Callable[[str], None],
    title: str,
    build: Callable[[int], fx.System],
    lengths: list[int],
    ways: list[tuple[str, str]],
) -> None:
    """Rows of one kind of chain."""
    say(f"\n{title}\n\n| method | tree | N | formulate [s] | p | begin [s] | p | step [ms] | p |")
    say("|" + "---|" * 9)
    for method, tree in ways:
        costs = list[Cost]()
        for links in lengths:
            if links > LONGEST[method, tree]:
                continue
            costs.append(measure(build, links, method, tree))
            c = costs[-1]
            p, q, r = (exponent(costs, what) for what in ("formulate", "begin", "step"))
            times = f"{c.formulate:.2f} | {p} | {c.begin:.2f} | {q} | {1e3 * c.step:.3f} | {r}"
            say(f"| {method} | {tree} | {links} | {times} |")


def main(largest: int) -> None:
    """Measure chains up to a length."""
    # what is loaded at the first use is no cost: code, and scipy for large Jacobians
    for method, tree in LONGEST:
        measure(chain.build, 4, method, tree)
    measure(chain.build, 150, "hht", "absolute")
    lengths = [links for links in LENGTHS if links <= largest] or [largest]
    few = [links for links in lengths if links <= 200]
    with table("growth", is_whole=largest >= LENGTHS[-1]) as say:
        chains(say, "Pendula", chain.build, lengths, list(LONGEST))
        chains(say, "Flexible links, three modes", flexible_chain, few, [("hht", "absolute")])
        windows = [N for N in (40, 100, 200, 400) if largest >= N]
        chains(say, "N four-bars", n_four_bar.build, windows, [("hht", "absolute")])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
