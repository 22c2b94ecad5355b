"""The examples that come with flexnet: cases, the meshes they read and the references they are held against.

A wheel carries them beside this page; in a checkout they are the folders ``cases`` and ``meshes``.
"""

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from flexnet.errors import ModelError

_HERE = Path(__file__).parent
_ROOT = _HERE if (_HERE / "cases").is_dir() else _HERE.parents[1]
#: folder of the cases; ``references`` and ``templates`` are in it
CASES = _ROOT / "cases"
#: folder of the meshes
MESHES = _ROOT / "meshes"


@dataclass(frozen=True, slots=True)
class Example:
    """A case that comes with flexnet.

    Parameters
    ----------
    path : its file.
    """

    path: Path

    @property
    def name(self) -> str:
        """Name of its file, without ending."""
        return self.path.stem

    @property
    def text(self) -> str:
        """Its source."""
        return self.path.read_text(encoding="utf-8")

    @property
    def story(self) -> str:
        """What it is: the text its file begins with."""
        return self.text.split('"""', 2)[1].strip()

    @property
    def title(self) -> str:
        """First line of its story."""
        return self.story.partition("\n")[0].rstrip(".")

    @property
    def references(self) -> list[Path]:
        """Curves it is held against."""
        files = sorted((CASES / "references").glob("*.csv"))
        return [file for file in files if file.stem in self.text]


def examples() -> list[Example]:
    """All examples, by name."""
    return [Example(path) for path in sorted(CASES.glob("*.py"))]


def templates() -> list[Example]:
    """Cases to begin one's own with, by name."""
    return [Example(path) for path in sorted((CASES / "templates").glob("*.py"))]


def find(name: str, among: list[Example] | None = None) -> Example:
    """Return the example of a name.

    Raises
    ------
    ModelError
        If there is none; names the nearest.
    """
    found = {each.name: each for each in (examples() if among is None else among)}
    what = "example" if among is None else "template"
    if name not in found:
        near = get_close_matches(name, found, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(found)}"
        raise ModelError(f"there is no {what} {name!r}; {hint}")
    return found[name]
