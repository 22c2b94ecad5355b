"""Tables for notebooks: every word escaped."""

from collections.abc import Iterable, Sequence
from html import escape


def table(rows: Iterable[Sequence[object]], head: Sequence[str] = ()) -> str:
    """Rows of cells as an HTML table."""
    top = "".join(f"<th>{escape(text)}</th>" for text in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left">{escape(str(cell))}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table>{f'<tr>{top}</tr>' if top else ''}{body}</table>"
