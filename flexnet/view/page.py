"""The living report: mechanism, graph, curves and equations of a run in one file that opens anywhere.

The page holds everything it shows. Texts and numbers of the result file stand in it as JSON in which no
``<`` is left, and are written to the page as text, never as markup; its policy allows the two scripts of
flexnet by their hashes and no others, and no connection to anywhere.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files as package_files
from pathlib import Path

from flexnet.errors import ResultError, StorageError
from flexnet.results import Results
from flexnet.results.comparison import Comparison
from flexnet.store import write_text
from flexnet.view.numbers import Numbers
from flexnet.view.page_data import Fields, Told, told_page


def write_page(
    results: Results | Sequence[Results],
    out: str | Path,
    equations: Sequence[Told] = (),
    comparison: Comparison | None = None,
    fields: Fields | None = None,
) -> Path:
    """Write the living report of one run, or of several; returns its path.

    Parameters
    ----------
    results : result files; the first is shown in motion, the others as further curves.
    out : page to write, ``.html``.
    equations : sections of equations, each with ``title``, ``about`` and ``lines``; a line has a ``label``,
        the ``edge`` it belongs to, and ``pieces``, presentation MathML as nested lists ``[tag, child, …]``.
    comparison : references beside the first run.
    fields : what flexible bodies can be coloured by besides their deflection, such as ``stress`` [Pa]: values
        of cells by body, (times, cells), lines first, then triangles, at times evenly spread over the run.

    Raises
    ------
    ResultError
        If a file holds no rows or no model.
    StorageError
        If the path cannot be written.
    """
    path = Path(out)
    if path.suffix.lower() not in (".html", ".htm"):
        raise StorageError(f"{path}: a page ends in .html")
    write_text(path, page_text(results, equations, comparison, fields))
    return path


def page_text(
    results: Results | Sequence[Results],
    equations: Sequence[Told] = (),
    comparison: Comparison | None = None,
    fields: Fields | None = None,
) -> str:
    """The page as text; see :func:`write_page`."""
    several = [results] if isinstance(results, Results) else list(results)
    if not several:
        raise ResultError("a page needs at least one result file")
    numbers = Numbers()
    told = told_page(several, numbers, equations, comparison, fields=fields)
    return fill(told, numbers.text())


def fill(told: Told, numbers: str, live: str = "") -> str:
    """Put data into the empty page; ``live`` is the address of a running simulation on this machine."""
    three, script, style = (asset(name) for name in ("three.min.js", "page.js", "page.css"))
    reach = "'self'" if live else "'none'"
    scripts = " ".join(_allowed(text) for text in (three, script))
    policy = f"default-src 'none'; style-src 'unsafe-inline'; connect-src {reach}; script-src {scripts}"
    return asset("page.html").format(
        title=escape(str(told["title"])), policy=escape(policy), style=style, told=as_json(told),
        numbers=numbers, three=three, script=script, live=escape(live),
    )  # fmt: skip


def as_json(told: object) -> str:
    """JSON that cannot end the element it stands in: every ``<``, ``>`` and ``&`` is written as an escape."""
    text = json.dumps(told, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def asset(name: str) -> str:
    """A file that comes with the package."""
    return (package_files("flexnet.view") / "assets" / name).read_text(encoding="utf-8")


def _allowed(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
