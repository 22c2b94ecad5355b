"""What a page knows of a run: plain data for JSON, and arrays packed beside it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from flexnet.errors import ResultError
from flexnet.results import ENERGIES, STORES, WORKS, BodyRecord, Mechanism, PlaneRecord, Results
from flexnet.results.comparison import Comparison
from flexnet.results.series import SCALAR, Channel
from flexnet.typing import Array, IntArray
from flexnet.view.figure import COLOURS
from flexnet.view.numbers import Numbers, Place
from flexnet.view.page_graph import told_graph
from flexnet.view.parts import Part, drawn_parts, held_places, lanes, links, owners, place_of, sections

Told = dict[str, object]
#: values of cells by name of the field and body, (times, cells): lines first, then triangles
Fields = Mapping[str, Mapping[str, Array]]

#: rows and numbers of motion and curves that a page holds at most; further rows are left out evenly
MOST_ROWS, MOST_NUMBERS = 2001, 1_500_000
#: joints whose loads are all curves of the page
MOST_LOADS = 40
#: and events
MOST_EVENTS = 1000
_PRECISION = {"channels": "f8", "state/q": "f8", "state/v": "f4", "state/z": "f8", "joints": "f4"}
#: units of fields that bodies can be coloured by
FIELD_UNITS = {"stress": "Pa"}


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The rows of a result file that a page holds.

    Parameters
    ----------
    results : the file.
    rows : (n,) numbers of its rows, the first and the last among them.
    paths : datasets of the file.
    """

    results: Results
    rows: IntArray
    paths: frozenset[str]
    _seen: dict[str, Array] = field(default_factory=dict)

    def read(self, path: str) -> Array:
        """Those rows of a dataset."""
        if path not in self._seen:
            self._seen[path] = np.asarray(self.results.read(path, self.rows), dtype=float)
        return self._seen[path]


def told_page(
    files: Sequence[Results],
    numbers: Numbers,
    equations: Sequence[Told] = (),
    comparison: Comparison | None = None,
    graph: object = None,
    fields: Fields | None = None,
) -> Told:
    """All that is on a page.

    Parameters
    ----------
    files : the first is shown in motion, with graph and model; the others as further curves.
    numbers : takes the arrays.
    equations : sections of typeset equations; see :func:`flexnet.view.write_page`.
    comparison : references beside the first file.
    graph : drawing of the graph where it was made before; to route its edges takes longest.
    fields : what bodies can be coloured by, at times evenly spread over the first file.
    """
    first = files[0]
    if not first.rows:
        raise ResultError(f"{first.path}: no rows to show")
    mechanism = first.mechanism()
    notes: list[str] = []
    sample = Sample(first, _rows(first, mechanism, notes), frozenset(first.paths()))
    return {
        "title": mechanism.name,
        "is_planar": mechanism.is_planar,
        "time": numbers.add(sample.read("time"), "f8"),
        "bodies": [_body(b, sample, mechanism, numbers) for b in mechanism.bodies if not b.is_ground],
        "parts": [
            *_parts(sample, mechanism, numbers),
            *(_plane(p, sample, mechanism) for p in mechanism.planes),
        ],
        "ground": [_ground_place(mechanism, name) for name in held_places(mechanism)],
        "graph": graph or told_graph(mechanism),
        "edges": [_edge(mechanism, k) for k in range(len(mechanism.edges))],
        "runs": [
            _run(sample, numbers, notes),
            *(_run(_sample(file), numbers, notes, is_further=True) for file in files[1:]),
        ],
        "references": [] if comparison is None else _references(comparison, numbers),
        "audit": _audit(first, sample.paths),
        "events": _events(first, notes),
        "fields": [_field(name, of, numbers) for name, of in (fields or {}).items() if of],
        "equations": list(equations),
        "model": _model(first, mechanism),
        "notes": notes,
        "colours": list(COLOURS),
    }


def _rows(results: Results, mechanism: Mechanism, notes: list[str]) -> IntArray:
    """Rows to show: all, or evenly as many as a page can hold."""
    moving = [b for b in mechanism.bodies if not b.is_ground]
    width = 10 * (len(moving) + len(mechanism.edges)) + sum(b.modes.shape[-1] for b in moving)
    most = int(max(101, min(MOST_ROWS, MOST_NUMBERS // max(width, 1))))
    if results.rows <= most:
        return np.arange(results.rows, dtype=np.int64)
    notes.append(f"The page holds {most} of the {results.rows} rows of {results.path.name}, evenly spread.")
    return np.unique(np.round(np.linspace(0, results.rows - 1, most)).astype(np.int64))


def _body(body: BodyRecord, sample: Sample, mechanism: Mechanism, numbers: Numbers) -> Told:
    told: Told = {
        "name": body.name,
        "link": links(mechanism)[body.name],
        "is_section": body.name in sections(mechanism),
        "points": numbers.add(body.points),
        "lines": numbers.add(body.lines, "u4"),
        "triangles": numbers.add(body.triangles, "u4"),
        "position": numbers.add(sample.read(f"frames/{body.frame}/position"), "f8"),
        "quaternion": numbers.add(sample.read(f"frames/{body.frame}/quaternion")),
    }
    if body.modes.size:
        told["modes"] = numbers.add(body.modes)
        told["elastic"] = numbers.add(sample.read(f"bodies/{body.name}/elastic"))
    return told


def _parts(sample: Sample, mechanism: Mechanism, numbers: Numbers) -> list[Told]:
    """What is drawn between frames; elements that would cover each other have lanes."""
    parts, fixed = drawn_parts(mechanism), _fixed(mechanism)
    told = [_part(part, sample, mechanism, numbers) for part in parts]

    def place(frame: str) -> Array:
        return np.array(fixed[frame]) if frame in fixed else sample.read(f"frames/{frame}/position")[0]

    lane = lanes(parts, place)
    return [one | {"lane": lane.get(part.edge.name, 0.0)} for part, one in zip(parts, told, strict=True)]


def _part(part: Part, sample: Sample, mechanism: Mechanism, numbers: Numbers) -> Told:
    """Places of both ends, and the turn of the frames that carry axes."""
    recorded = sample.paths
    edge, symbol = part.edge, part.symbol
    told: Told = {
        "name": edge.name, "role": edge.role, "look": symbol.look,
        "turns": symbol.turns, "slides": symbol.slides,
        "shape": symbol.shape, "sizes": symbol.sizes, "radius": symbol.radius, "acted": part.acted,
    }  # fmt: skip
    if symbol.look == "beam":
        told["link"] = links(mechanism)[owners(mechanism)[edge.head]]
    fixed = _fixed(mechanism)
    for key, frame in (("tail", edge.tail), ("head", edge.head)):
        if frame in fixed:
            told[key] = {"place": fixed[frame]}
            continue
        if f"frames/{frame}/position" not in recorded:
            raise ResultError(f"{sample.results.path}: the motion of frame {frame!r} is not recorded")
        told[key] = {"position": numbers.add(sample.read(f"frames/{frame}/position"))}
        needs_turn = (symbol.turns or symbol.slides) and (key == "tail" or len(symbol.turns) == 2)
        if needs_turn or symbol.look == "beam" or (symbol.look == "contact" and key == "tail"):
            told[key] |= {"quaternion": numbers.add(sample.read(f"frames/{frame}/quaternion"))}  # type: ignore[operator]
    return told


def _plane(plane: PlaneRecord, sample: Sample, mechanism: Mechanism) -> Told:
    """What an event throws a frame back from, drawn as the plane of a contact."""
    at = {"place": place_of(plane, mechanism, sample.read(f"frames/{plane.frame}/position")).tolist()}
    return {
        "name": plane.name, "role": "event", "look": "contact", "turns": [], "slides": [], "shape": "plane",
        "sizes": plane.normal, "radius": 0.0, "tail": at, "head": at,
    }  # fmt: skip


def _field(name: str, of: Mapping[str, Array], numbers: Numbers) -> Told:
    """Values of cells as shares of the largest: 16 bits are finer than a colour."""
    largest = max(float(np.nanmax(np.abs(values), initial=0.0)) for values in of.values())
    times = max(len(values) for values in of.values())
    shares = {body: np.abs(np.nan_to_num(values)) * (65535 / (largest or 1.0)) for body, values in of.items()}
    return {
        "name": name,
        "unit": FIELD_UNITS.get(name, ""),
        "largest": largest,
        "moments": times,
        "bodies": {body: numbers.add(np.round(share), "u2") for body, share in shares.items()},
    }


def _fixed(mechanism: Mechanism) -> dict[str, list[float]]:
    places = {b.frame: [0.0, 0.0, 0.0] for b in mechanism.bodies if b.is_ground}
    for body in mechanism.bodies:
        if body.is_ground:
            places |= {f: [float(x) for x in p] for f, p in zip(body.frames, body.points, strict=True)}
    return places


def _ground_place(mechanism: Mechanism, frame: str) -> list[float]:
    return _fixed(mechanism)[frame]


def _edge(mechanism: Mechanism, k: int) -> Told:
    edge = mechanism.edges[k]
    symbol = mechanism.symbols.get(edge.name)
    return {
        "name": edge.name, "role": edge.role, "kind": edge.kind, "tail": edge.tail, "head": edge.head,
        "told": symbol.told if symbol else "",
    }  # fmt: skip


def _sample(results: Results) -> Sample:
    """Rows of a file of which only curves are shown."""
    if not results.rows:
        raise ResultError(f"{results.path}: no rows to show")
    spread = np.linspace(0, results.rows - 1, min(results.rows, MOST_ROWS))
    return Sample(results, np.unique(np.round(spread).astype(np.int64)), frozenset(results.paths()))


def _run(sample: Sample, numbers: Numbers, notes: list[str], is_further: bool = False) -> Told:
    """Curves of one file: channels of the case, coordinates, loads of joints, energies."""
    results = sample.results
    nets = frozenset(e.name for e in results.mechanism().edges if e.role == "network")
    loads = {p.split("/")[1] for p in sample.paths if p.startswith("joints/")}
    groups = ["channels", "state/q", "state/v", "state/z", *(["joints"] if len(loads) <= MOST_LOADS else [])]
    if len(loads) > MOST_LOADS and not is_further:
        notes.append(f"The loads of the {len(loads)} joints are in the file, not on the page.")
    curves: list[Told] = []
    for channel, path, component in _placed(sample):
        group = next((g for g in groups if path.startswith(f"{g}/") or path == g), None)
        if group is None:
            continue
        values = sample.read(path) if component is None else sample.read(path)[:, component]
        curves.append(_curve(channel, group.split("/")[0], numbers.add(values, _PRECISION[group]), nets))
    for name in (*STORES, *WORKS, "total"):
        path = f"energy/{name}"
        if path in sample.paths and not is_further:
            curves.append(_curve(Channel(path, "J"), "energy", numbers.add(sample.read(path), "f8"), nets))
    return {
        "name": results.path.name,
        "time": numbers.add(sample.read("time"), "f8"),
        "curves": curves,
        "status": results.status.state,
        "message": results.status.message,
    }


def _placed(sample: Sample) -> Iterator[tuple[Channel, str, int | None]]:
    """Every channel that is a number, its dataset and its component there."""
    count: Counter[str] = Counter()
    for channel in sample.results.channel_set().channels:
        own, part = f"channels/{channel.name}", channel.name.rpartition("/")[0]
        if channel.kind != SCALAR:
            continue
        if own in sample.paths or channel.name in sample.paths:
            yield channel, own if own in sample.paths else channel.name, None
        elif part in sample.paths:
            yield channel, part, count[part]
            count[part] += 1


def _curve(channel: Channel, group: str, values: Place, nets: frozenset[str]) -> Told:
    return {
        "name": channel.name, "unit": channel.unit or "", "about": channel.description, "group": group,
        "edge": _edge_of(channel.name, nets), "values": values,
    }  # fmt: skip


def _edge_of(channel: str, nets: frozenset[str]) -> str:
    """Edge of a curve: ``state/q/crank.angle`` is of crank, ``joints/O/force/x`` of O, ``R.current`` of R."""
    if (net := channel.rpartition(".")[0]) in nets:
        return net
    group, _, rest = channel.partition("/")
    if group == "joints":
        return rest.split("/")[0]
    return rest.partition("/")[2].rpartition(".")[0] if group == "state" else ""


def _references(comparison: Comparison, numbers: Numbers) -> list[Told]:
    out: list[Told] = []
    for c in comparison.channels:
        limit = c.tolerance
        band = 0.0
        if limit is not None:
            band = limit.value if limit.measure == "max" else limit.value * c.errors.peak
        out.append({
            "channel": c.channel, "column": c.column, "unit": c.unit or "",
            "time": numbers.add(c.time, "f8"), "values": numbers.add(c.reference, "f8"),
            "result": numbers.add(c.result, "f8"), "band": band,
            "limit": "" if limit is None else str(limit), "is_within": c.is_within,
            "source": comparison.reference.path.name,
        })  # fmt: skip
    return out


def _audit(results: Results, recorded: frozenset[str]) -> Told:
    """What the energy balance leaves over, and the energies that are not always zero; empty if not known."""
    if not {f"energy/{name}" for name in ENERGIES} <= recorded:
        return {}
    energies, works = (
        {name: results.read(f"energy/{name}").astype(float) for name in kind if f"energy/{name}" in recorded}
        for kind in (STORES, WORKS)
    )
    over = np.sum(list(energies.values()), axis=0) - np.sum(list(works.values()), axis=0)
    left = np.abs(over - over[0])
    if not np.isfinite(left).all():
        return {}
    scale = max(max(float(np.ptp(x)) for x in (*energies.values(), *works.values())), 1e-300)
    return {
        "over": float(left.max()),
        "at": float(results.time[int(left.argmax())]),
        "scale": scale,
        "works": {name: float(x[-1]) for name, x in works.items() if x.any()},
        "energies": {name: [float(x[0]), float(x[-1])] for name, x in energies.items() if x.any()},
    }


def _events(results: Results, notes: list[str]) -> list[Sequence[object]]:
    """What happened when; of very many the first."""
    found = results.events
    if len(found) > MOST_EVENTS:
        notes.append(f"Of the {len(found)} events the page lists the first {MOST_EVENTS}.")
    return [[t, name, *(None if np.isnan(x) else x for x in told)] for t, name, *told in found[:MOST_EVENTS]]


def _model(results: Results, mechanism: Mechanism) -> Told:
    """Where the file comes from, what the model is made of, and what was said about it."""
    told = {key: str(value) for key, value in results.attributes.items()}
    counts = {
        role: sum(e.role == role for e in mechanism.edges)
        for role in ("body", "joint", "driver", "force", "network")
    }
    return {
        "file": results.path.name,
        "provenance": told,
        "status": results.status.state,
        "message": results.status.message,
        "parameters": {key: str(value) for key, value in mechanism.parameters.items()},
        "counts": counts,
        "trees": {key: list(names) for key, names in mechanism.trees.items()},
        "rows": results.rows,
    }
