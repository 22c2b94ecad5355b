"""Words and formulas on numbered A4 pages, a PDF that needs no typesetter.

A formula is a row of pieces in mathtext; a line ends between pieces, where the next would not fit, and before
a sign if there is one.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexnet.store import writing
from flexnet.view.figure import SIGNATURES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: kind and pieces: one piece of words, or the pieces of a formula
Paragraph = tuple[str, Sequence[str]]

#: A4 and its margins, in points
WIDTH, HEIGHT, MARGIN, FOOT = 595.3, 841.9, 56.0, 34.0
#: indent of formulas, and of their lines after the first
INDENT, HANGING = 14.0, 30.0
#: size, space above and weight of each kind of words
WORDS = {
    "title": (18.0, 0.0, "bold"), "heading": (12.5, 16.0, "bold"), "words": (9.0, 7.0, "normal"),
    "label": (8.5, 7.0, "normal"), "note": (8.0, 1.0, "normal"),
}  # fmt: skip
FORMULA_SIZE, LEADING = 10.5, 1.35
#: how a piece begins that begins with a sign between two terms
SIGN = "{}"
#: space above and below the ink of a line of a formula
GAP = 3.0


def write_pages(file: str | Path, title: str, paragraphs: Iterable[Paragraph]) -> int:
    """Write paragraphs to a PDF and return the number of its pages.

    Parameters
    ----------
    file : to write.
    title : at the top of the first page, and beside the page numbers.
    paragraphs : kind and pieces; kinds are ``heading``, ``words``, ``label``, ``note`` and ``formula``.

    Raises
    ------
    StorageError
        If the file cannot be written.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_pdf import PdfPages

    pages = _Pages(title)
    for kind, pieces in [("title", [title]), *paragraphs]:
        if kind == "formula":
            pages.formula(pieces)
        else:
            pages.words(kind, pieces[0])
    about = {"Title": title, "CreationDate": None}
    # type 42 keeps letters: they can be searched and copied
    with (
        mpl.rc_context({"pdf.fonttype": 42}),
        writing(Path(file), SIGNATURES[".pdf"]) as draft,
        PdfPages(draft, metadata=about) as out,
    ):
        for figure in pages.figures:
            out.savefig(figure)
    return len(pages.figures)


class _Pages:
    """Figures filled from the top, one for each page."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.figures: list[Figure] = []
        self.y = 0.0

    def words(self, kind: str, text: str) -> None:
        """Words, broken between words; a heading does not end a page."""
        size, above, weight = WORDS[kind]
        left = MARGIN + (INDENT if kind == "note" else 0.0)
        style = "italic" if kind == "note" else "normal"
        lines = _broken_words(text, size, weight, WIDTH - MARGIN - left)
        rest = 6 * LEADING * size if kind in ("heading", "label") else 0.0
        self._room(above + LEADING * size * len(lines[:2]) + rest)
        self.y -= above
        for line in lines:
            self._room(LEADING * size)
            self.y -= LEADING * size
            colour = "0.35" if kind == "note" else "black"
            self._put(left, self.y, line, size, weight=weight, style=style, color=colour, parse_math=False)
        if kind == "heading":
            self.y -= 4.0

    def formula(self, pieces: Sequence[str]) -> None:
        """A formula, its lines after the first hanging."""
        for i, line in enumerate(broken_formula(pieces)):
            height, depth = (max(extent(piece)[k] for piece in line) for k in (1, 2))
            self._room(height + depth + 2 * GAP)
            self.y -= height + GAP
            left = MARGIN + INDENT + (HANGING if i else 0.0)
            self._put(left, self.y, f"${''.join(line)}$", FORMULA_SIZE, math_fontfamily="stix")
            self.y -= depth + GAP

    def _room(self, needed: float) -> None:
        """Start a page where the last one is full."""
        if self.figures and self.y - needed >= MARGIN:
            return
        from matplotlib.figure import Figure

        self.figures.append(Figure(figsize=(WIDTH / 72, HEIGHT / 72)))
        self.y = HEIGHT - MARGIN
        number = len(self.figures)
        self._put(MARGIN, FOOT, self.title, 8.0, color="0.35", parse_math=False)
        self._put(WIDTH - MARGIN, FOOT, str(number), 8.0, color="0.35", ha="right")

    def _put(self, x: float, y: float, text: str, size: float, **how: Any) -> None:
        self.figures[-1].text(x / WIDTH, y / HEIGHT, text, fontsize=size, va="baseline", **how)


def _broken_words(text: str, size: float, weight: str, room: float) -> list[str]:
    """Lines of words that fit."""
    lines: list[list[str]] = [[]]
    used, space = 0.0, _word_width("n n", size, weight) - _word_width("nn", size, weight)
    for word in text.split():
        width = _word_width(word, size, weight)
        if lines[-1] and used + space + width > room:
            lines.append([])
            used = 0.0
        used += width + (space if lines[-1] else 0.0)
        lines[-1].append(word)
    return [" ".join(line) for line in lines]


@cache
def _word_width(word: str, size: float, weight: str) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    prop = FontProperties(size=size, weight=weight)
    return float(text_to_path.get_text_width_height_descent(word, prop, ismath=False)[0])


def broken_formula(pieces: Sequence[str]) -> list[list[str]]:
    """Lines of a formula that fit; a piece wider than a line has a line of its own."""
    lines: list[list[str]] = [[]]
    for piece in pieces:
        room = WIDTH - 2 * MARGIN - INDENT - (HANGING if len(lines) > 1 else 0.0)
        if lines[-1] and _width([*lines[-1], piece]) > room:
            keep = _before_last_sign(lines[-1], piece, room)
            lines.append(lines[-1][keep:])
            del lines[-2][keep:]
        lines[-1].append(piece)
    return lines


def _before_last_sign(line: list[str], piece: str, room: float) -> int:
    """Pieces to leave on a full line: up to the last sign between terms, if that leaves it half full."""
    if piece.startswith(SIGN):
        return len(line)
    signs = [i for i, x in enumerate(line) if i and x.startswith(SIGN)]
    return signs[-1] if signs and _width(line[: signs[-1]]) > room / 2 else len(line)


def _width(pieces: Sequence[str]) -> float:
    return sum(extent(piece)[0] for piece in pieces)


@cache
def extent(piece: str) -> tuple[float, float, float]:
    """Width, height and depth of a piece of a formula."""
    from matplotlib.font_manager import FontProperties

    prop = FontProperties(size=FORMULA_SIZE, math_fontfamily="stix")
    width, height, depth, *_ = _parser().parse(f"${piece}$", dpi=72, prop=prop)
    return float(width), float(height), float(depth)


@cache
def _parser() -> Any:
    from matplotlib.mathtext import MathTextParser

    return MathTextParser("path")
