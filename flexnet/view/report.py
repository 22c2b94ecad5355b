"""A comparison as one page that opens anywhere: verdict, table, plots, where both files come from."""

from html import escape
from pathlib import Path

from flexnet.results import ChannelSet
from flexnet.results.comparison import HEADINGS, ChannelComparison, Comparison, table_row
from flexnet.store import write_text
from flexnet.view.channel_plot import draw_comparison
from flexnet.view.figure import figure_as_uri

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1c2530; max-width: 75rem }
body { margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.3rem } h2 { font-size: 1.1rem; margin-top: 2rem }
.verdict { font-size: 1.4rem; padding: .8rem 1rem; border-left: .5rem solid; margin: 1rem 0 }
.within { border-color: #2f8f5b; background: #eef7f1 }
.EXCEEDED { border-color: #b8342f; background: #fbeeee }
.open { border-color: #5f6b76; background: #f2f4f6 }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: .85rem }
th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid #d5dae0; white-space: nowrap }
th:first-child, td:first-child { text-align: left }
td.within { color: #2f8f5b; font-weight: 600 } td.EXCEEDED { color: #b8342f; font-weight: 600 }
img { max-width: 100% } dt { font-weight: 600 } dd { margin: 0 0 .4rem 1rem; white-space: pre-wrap }
"""
MOST = 16  # plots on a page
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def report_page(comparison: Comparison) -> str:
    """Return the page as HTML text that refers to nothing outside itself."""
    within = comparison.is_within
    kind = {None: "open", True: "within", False: "EXCEEDED"}[within]
    word = {None: "No tolerance given", True: "Agreement", False: "Disagreement"}[within]
    title = f"{comparison.result.path.name} beside {comparison.reference.path.name}"
    head = "".join(f"<th>{escape(text)}</th>" for text in HEADINGS)
    body = "\n".join(_table_row(channel) for channel in comparison.channels)
    worst = _worst_first(comparison)
    plots = "\n".join(_plot(channel) for channel in worst)
    note = "" if len(worst) == len(comparison.channels) else f"<p>The {MOST} channels that differ most.</p>"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{escape(title)}</title><style>{STYLE}</style></head><body>
<p class="verdict {kind}"><strong>{word}:</strong> {escape(comparison.verdict)}.</p>
<h1>{escape(title)}</h1>
<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>
{body}
</tbody></table></div>
<p>Differences are result less reference, at the times of the reference and in its unit. Peak is the
largest absolute value of the reference. A positive delay means that the result comes later.</p>
<h2>Plots</h2>
{note}
{plots}
<h2>Result</h2>
{_provenance(comparison.result)}
<h2>Reference</h2>
{_provenance(comparison.reference)}
</body></html>
"""


def write_report(comparison: Comparison, out: str | Path) -> Path:
    """Write the page; returns its path.

    Raises
    ------
    StorageError
        If the path cannot be written.
    """
    path = Path(out)
    write_text(path, report_page(comparison))
    return path


def _worst_first(comparison: Comparison) -> list[ChannelComparison]:
    """Return the channels to draw: those that exceed, then those that differ most."""
    order = sorted(comparison.channels, key=lambda c: (c.is_within is not False, -c.errors.measure("peak")))
    return order[:MOST]


def _table_row(channel: ChannelComparison) -> str:
    *texts, verdict = table_row(channel)
    cells = "".join(f"<td>{escape(text)}</td>" for text in texts)
    return f'<tr>{cells}<td class="{verdict}">{verdict}</td></tr>'


def _plot(channel: ChannelComparison) -> str:
    return f'<img alt="{escape(channel.channel)}" src="{figure_as_uri(draw_comparison([channel]))}">'


def _provenance(channels: ChannelSet) -> str:
    told = {"file": channels.path.name, "format": channels.format, **channels.provenance}
    return (
        "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in told.items() if v) + "</dl>"
    )
