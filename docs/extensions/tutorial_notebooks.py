"""A notebook of each tutorial, run without a screen when the documentation is written, with all its outputs.

Words of the page become cells of words, blocks of Python cells of code, commands lines that begin with ``!``.
Beside the notebook, which can be downloaded, stands a page that shows it.
"""

import base64
import os
import re
import sys
from collections.abc import Iterator
from hashlib import sha256
from html import escape
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
#: characters of an output that a page shows; longer ones, such as a living report, are in the notebook
MOST = 60_000
#: what a terminal does besides writing: commands, the start of the line, the next line
_CONTROL = re.compile(r"(\x1b\[[?0-9;]*[A-Za-z]|\r|\n)")


def tutorials(docs: Path) -> list[Path]:
    """Pages that become notebooks."""
    return sorted(docs.glob("tutorial*.md"))


def notebook(page: Path) -> Any:
    """The notebook of a page, not yet run."""
    import nbformat.v4 as nb

    cells, at, text = [], 0, page.read_text(encoding="utf-8")
    for block in _BLOCK.finditer(text):
        cells += [nb.new_markdown_cell(words)] if (words := text[at : block.start()].strip()) else []
        cells += [nb.new_code_cell(code) for code in _code(block[1], block[2])]
        at = block.end()
    cells += [nb.new_markdown_cell(words)] if (words := text[at:].strip()) else []
    for k, cell in enumerate(cells):
        cell["id"] = f"cell-{k}"  # the same page gives the same notebook
    return nb.new_notebook(
        cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    )


def _code(language: str, text: str) -> Iterator[str]:
    """Cells of a block: a file is written and loaded, a drawing is shown, a run shows its summary."""
    if language == "python":
        if named := re.match(r"# (\w+\.py)\n", text):
            yield f"%%writefile {named[1]}\n{text}"
        yield text.rstrip() + ("\nrun" if "run = fx." in text else "")
        return
    lines = text.replace("\\\n", " ").replace("$ flexnet", "!flexnet").splitlines()
    yield "\n".join(lines)
    pictures = re.findall(r"--out (\S+\.(?:png|gif))", text)
    if pictures:
        shown = "\n".join(f"display(Image({name!r}))" for name in pictures)
        yield f"from IPython.display import Image, display\n\n{shown}"


def run(made: Any) -> Any:
    """Run a notebook in a folder of its own; what it says and shows is in it then."""
    from nbclient import NotebookClient

    here = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    with TemporaryDirectory() as folder:
        quiet = ["--log-level=40"]  # of the kernel, on the terminal
        client = NotebookClient(
            made, timeout=600, resources={"metadata": {"path": folder}}, extra_arguments=quiet
        )
        return client.execute(env=here | {"COLUMNS": "110"})


def as_page(made: Any, name: str, folder: Path) -> str:
    """The page of a notebook that was run; pictures go to the folder."""
    out = []
    for number, cell in enumerate(made.cells):
        if cell.cell_type == "markdown":
            out.append(re.sub(r"\]\((?!http|#)([^)]+)\)", r"](../\1)", cell.source))
            continue
        out.append(f"```ipython\n{cell.source}\n```".replace("```ipython\n%%", "```text\n%%"))
        for is_said, said in groupby(enumerate(cell.outputs), lambda x: x[1].output_type == "stream"):
            if is_said:  # one terminal, in however many pieces it came
                text = "".join(output.text for _, output in said)
                out.append(
                    _text(re.sub(r"^compiling .*\n", "", text, flags=re.MULTILINE))
                )  # on a new machine
            else:
                out += [_shown(output, folder / f"{name}_{number}_{k}") for k, output in said]
    title, _, rest = "\n\n".join(x for x in out if x).partition("\n")
    about = (
        f"This page is {{download}}`a notebook <{name}.ipynb>`, as it ran when the documentation was written."
    )
    return f"{title} (notebook)\n\n{about}\n{rest}\n"


def _shown(output: Any, file: Path) -> str:
    """What a cell shows."""
    data = output.get("data", {})
    for kind in ("image/png", "image/gif"):
        if kind in data:
            path = file.with_suffix("." + kind.partition("/")[2])
            path.write_bytes(base64.b64decode(data[kind]))
            return f"![output]({path.name})"
    if len(data.get("text/html", "")) in range(1, MOST):
        return f'```{{raw}} html\n<div class="output">{data["text/html"]}</div>\n```'
    return _text(data.get("text/plain", ""))


def _text(text: str) -> str:
    plain = "\n".join(_screen(text)).strip("\n")
    return f'```{{raw}} html\n<pre class="output">{escape(plain)}</pre>\n```' if plain else ""


def _screen(text: str) -> list[str]:
    """Lines as a terminal shows them in the end: progress is written over itself, and goes."""
    lines, row, column = [""], 0, 0
    for part in _CONTROL.split(text):
        if part == "\n":
            row, column = row + 1, 0
            lines += [""] * (row == len(lines))
        elif part == "\r":
            column = 0
        elif part.startswith("\x1b"):
            if part.endswith("A"):  # up
                row = max(0, row - int(part[2:-1] or 1))
            elif part.endswith("K"):  # erase the line, or the rest of it
                lines[row] = "" if part[2:-1] == "2" else lines[row][:column]
        else:
            line = lines[row].ljust(column)
            lines[row] = line[:column] + part + line[column + len(part) :]
            column += len(part)
    return [line.rstrip() for line in lines]


def write_notebooks(docs: Path) -> None:
    """Run every notebook whose tutorial or package has changed since it was run, and write its page."""
    import nbformat

    folder = docs / "notebooks"
    folder.mkdir(exist_ok=True)
    package = sorted((docs.parent / "flexnet").rglob("*.py"))
    house = sha256(b"".join(path.read_bytes() for path in [Path(__file__), *package])).hexdigest()
    for page in tutorials(docs):
        mark, stamp = folder / f".{page.stem}", sha256(page.read_bytes() + house.encode()).hexdigest()
        if mark.exists() and mark.read_text() == stamp:
            continue
        made = run(notebook(page))
        nbformat.write(made, folder / f"{page.stem}.ipynb")
        (folder / f"{page.stem}.md").write_text(as_page(made, page.stem, folder), encoding="utf-8")
        mark.write_text(stamp)


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("config-inited", lambda app, _config: write_notebooks(Path(app.srcdir)))
    return {"parallel_read_safe": True}
