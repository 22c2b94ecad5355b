"""A streaming parser of Adams result files in XML (XRF): one step in memory at a time.

A file holds analyses; an analysis holds a step map (entities with components, each with an id and a
unit) and data blocks of steps; value *k* of a step belongs to the component with id *k*. Document type
declarations are refused outright: no entity is expanded and nothing outside the file is opened.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np

from flexnet.errors import FileFormatError
from flexnet.results.readers.lines import check_file
from flexnet.results.readers.table import check_unit
from flexnet.typing import Array

CHUNK = 1 << 18  # bytes read at once
DEEPEST = 50  # levels of elements
MOST_COMPONENTS = 10_000_000
TEXT_PER_VALUE = 200  # characters of a step for each of its values, spaces included


@dataclass(frozen=True, slots=True)
class Component:
    """One number of a step: its channel name, unit and place."""

    name: str
    unit: str | None
    id: int


@dataclass(slots=True)
class StepMap:
    """What the values of a step are.

    Parameters
    ----------
    index : how many maps come before it in the file.
    analysis : name of its analysis; a second map of one analysis appends its own name.
    provenance : what the file says of the analysis.
    components : numbers of a step, by id.
    names : names of the components.
    size : number of values in a step, the greatest id.
    """

    index: int
    analysis: str
    provenance: dict[str, str]
    components: dict[int, Component] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    size: int = 0

    def add(self, component: Component) -> None:
        """Add a component."""
        self.components[component.id] = component
        self.names.add(component.name)
        self.size = max(self.size, component.id)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step: its map, type, line and values (values[k - 1] has id k)."""

    map: StepMap
    type: str
    line: int
    values: Array


class XrfParser:
    """Parses a file once and hands every step to a function.

    Parameters
    ----------
    path : path of the file.
    on_step : called with each step, in the order of the file.
    """

    __slots__ = (
        "_analysis",
        "_entity",
        "_expat",
        "_length",
        "_map",
        "_maps",
        "_on_step",
        "_open",
        "_path",
        "_step",
        "_text",
    )  # fmt: skip

    def __init__(self, path: Path, on_step: Callable[[Step], None]) -> None:
        self._path = path
        self._on_step = on_step
        self._open: list[str] = []
        self._analysis: dict[str, str] = {}
        self._entity = ""
        self._map: StepMap | None = None
        self._step: tuple[str, int] | None = None
        self._text: list[str] = []
        self._length = 0
        self._maps = 0
        self._expat = expat.ParserCreate(namespace_separator=" ")
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._characters
        self._expat.StartDoctypeDeclHandler = self._doctype

    def parse(self) -> None:
        """Parse the file.

        Raises
        ------
        FileFormatError
            If it is not a whole XRF file; names the line.
        """
        check_file(self._path)
        try:
            with self._path.open("rb") as file:
                while chunk := file.read(CHUNK):
                    self._expat.Parse(chunk, False)
                self._expat.Parse(b"", True)
        except expat.ExpatError as error:
            reason = expat.errors.messages.get(error.code, "not XML")
            raise FileFormatError(f"{self._path}, line {error.lineno}: broken XML ({reason})") from error
        except (LookupError, ValueError) as error:
            raise self._wrong(f"not readable text ({error})") from error

    def _wrong(self, what: str) -> FileFormatError:
        return FileFormatError(f"{self._path}, line {self._expat.CurrentLineNumber}: {what}")

    def _doctype(self, *_: object) -> None:
        raise self._wrong("declares a document type or entities, which are refused")

    def _start(self, qualified: str, attributes: dict[str, str]) -> None:
        name = qualified.rpartition(" ")[2]
        self._open.append(name)
        if len(self._open) > DEEPEST:
            raise self._wrong(f"elements nested deeper than {DEEPEST}")
        if len(self._open) == 1 and name != "Results":
            raise self._wrong(f"root element is {name[:40]!r}, expected 'Results'")
        handlers = {
            "Analysis": self._start_analysis,
            "ModelInfo": self._start_model,
            "StepMap": self._start_map,
            "Entity": self._start_entity,
            "Component": self._start_component,
            "Step": self._start_step,
            "TerminationStatus": self._start_termination,
        }
        if handler := handlers.get(name):
            handler(attributes)

    def _start_analysis(self, attributes: dict[str, str]) -> None:
        self._map = None
        told = ("name", "executionDate", "Solver")
        self._analysis = {key: attributes[key].strip() for key in told if key in attributes}

    def _start_model(self, attributes: dict[str, str]) -> None:
        self._analysis["title"] = attributes.get("title", "")

    def _start_termination(self, attributes: dict[str, str]) -> None:
        self._analysis["status"] = attributes.get("runStatus", "")

    def _start_map(self, attributes: dict[str, str]) -> None:
        name = self._analysis.get("name", "analysis")
        if self._map is not None:
            name = f"{name}.{attributes.get('name', f'map {self._maps + 1}')}"
        self._map = StepMap(self._maps, name, self._analysis)
        self._maps += 1

    def _start_entity(self, attributes: dict[str, str]) -> None:
        if "StepMap" in self._open:
            if not attributes.get("name"):
                raise self._wrong("entity without a name")
            self._entity = attributes["name"]

    def _start_component(self, attributes: dict[str, str]) -> None:
        if self._map is None or "StepMap" not in self._open:
            return
        if "Entity" not in self._open:
            raise self._wrong("component outside an entity")
        if not attributes.get("name"):
            raise self._wrong(f"component of {self._entity!r} without a name")
        name = f"{self._entity}.{attributes['name']}"
        number = self._id(name, attributes.get("id", ""))
        if number in self._map.components:
            raise self._wrong(
                f"id {number} of {name!r} is also that of {self._map.components[number].name!r}"
            )
        if name in self._map.names:
            raise self._wrong(f"component {name!r} is there twice")
        unit = attributes.get("unitsValue") or None
        check_unit(f"{self._path}, line {self._expat.CurrentLineNumber}: component {name!r}", unit)
        self._map.add(Component(name, unit, number))

    def _id(self, name: str, text: str) -> int:
        if not text:
            raise self._wrong(f"component {name!r} has no id")
        if not (text.isascii() and text.isdigit() and len(text) < 9 and 0 < int(text) <= MOST_COMPONENTS):
            raise self._wrong(f"component {name!r} has id {text[:20]!r}, expected a positive integer")
        return int(text)

    def _start_step(self, attributes: dict[str, str]) -> None:
        if self._map is None or not self._map.components:
            raise self._wrong("step before a step map says what its values are")
        self._step = (attributes.get("type", ""), self._expat.CurrentLineNumber)
        self._text, self._length = [], 0

    def _characters(self, text: str) -> None:
        if self._step is not None and self._map is not None:
            self._length += len(text)
            if self._length > TEXT_PER_VALUE * (self._map.size + 1):
                raise self._wrong(f"step is longer than its {self._map.size} values can be")
            self._text.append(text)

    def _end(self, _: str) -> None:
        if self._open.pop() == "Step" and self._step is not None and self._map is not None:
            type_, line = self._step
            self._on_step(Step(self._map, type_, line, self._values(line)))
            self._step = None

    def _values(self, line: int) -> Array:
        assert self._map is not None
        place = f"{self._path}, line {line}: step"
        text = "".join(self._text)
        words = text.split()
        if len(words) != self._map.size:
            raise FileFormatError(
                f"{place} holds {len(words)} values, its map has ids up to {self._map.size}"
            )
        try:
            values = np.array(words, dtype=float) if text.isascii() and "_" not in text else None
        except ValueError:
            values = None
        if values is None:
            raise FileFormatError(f"{place} holds something that is not a number")
        if not np.isfinite(values).all():
            wrong = int(np.flatnonzero(~np.isfinite(values))[0]) + 1
            raise FileFormatError(f"{place} holds {words[wrong - 1]} for id {wrong}, not a finite number")
        return values
