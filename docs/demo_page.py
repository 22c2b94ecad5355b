"""Write ``demo.html``, the page that ``make demo`` ends with: living reports and pictures in one file."""

from base64 import b64encode
from html import escape
from pathlib import Path

PICTURES = {
    "squeezer_graph.png": "linear graph of the squeezer, its trees in bold",
    "squeezer_figure_21.png": "the squeezer's figure 21 (GTM §4.6.4)",
    "four_bar_comparison.png": "deflections of the four-bar's links beside geometrically exact beams",
}
REPORTS = {
    "four_bar.html": "Four-bar with flexible links, 210 rad/s (FlexNet §5.1)",
    "squeezer.html": "Andrews' squeezer (GTM §4.6.4)",
}
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; }
iframe { width: 100%; height: 48rem; border: 1px solid #bbb; border-radius: 8px; }
figure { display: inline-block; margin: 1rem 1% 1rem 0; width: 31%; vertical-align: top; }
img { width: 100%; }
"""


def main() -> None:
    """Write the page into this folder."""
    parts = ["<!doctype html><html lang=en><meta charset=utf-8><title>flexnet: demo</title>"]
    parts.append(f"<style>{STYLE}</style><h1>flexnet: what make demo made</h1>")
    parts.append("<p>Space plays, a click on an edge of a graph lights its component. No network needed.</p>")
    for file, title in REPORTS.items():
        page = escape(Path(file).read_text(encoding="utf-8"))
        parts.append(f'<h2>{title}</h2><iframe title="{title}" srcdoc="{page}"></iframe>')
    parts.append("<h2>Pictures</h2>")
    for file, title in PICTURES.items():
        data = b64encode(Path(file).read_bytes()).decode()
        shown = f'<img alt="{title}" src="data:image/png;base64,{data}">'
        parts.append(f"<figure>{shown}<figcaption>{title}</figcaption></figure>")
    named = ", ".join(REPORTS)
    parts.append(f"<p>By themselves: {named}. The comparison in numbers: four_bar_report.html.</p></html>")
    Path("demo.html").write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
