"""Tutorials are notebooks, too: every cell is one of a page's blocks, and all run without a screen."""

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "extensions"))
nbformat = pytest.importorskip("nbformat", reason="pip install --group docs")
import tutorial_notebooks as made  # noqa: E402  (found on the path set above)


@pytest.mark.parametrize("page", made.tutorials(DOCS), ids=lambda p: p.stem)
def test_a_notebook_has_every_word_and_every_block_of_its_page(page):
    book = made.notebook(page)
    nbformat.validate(book)
    words = " ".join(c.source for c in book.cells if c.cell_type == "markdown").split()
    assert words == made._BLOCK.sub("", page.read_text()).split()
    code = "\n".join(c.source for c in book.cells if c.cell_type == "code")
    for language, text in made._BLOCK.findall(page.read_text()):
        for line in text.splitlines():
            assert line.replace("$ flexnet", "!flexnet").rstrip(" \\") in code, (language, line)


def test_what_a_terminal_says_is_shown_as_it_stands_in_the_end(tmp_path):
    """Lines end as terminals end them: all that did so were shown empty, and every step of progress."""
    said = "one\r\n\x1b[?25lt = 0 s\r\x1b[2Kt = 1 s\r\n\x1b[1A\x1b[2K", "\x1b[31mtwo\x1b[0m and\r2\r\n"
    assert made._screen("".join(said)) == ["one", "2wo and", ""]
    cell = nbformat.v4.new_code_cell("!flexnet")
    cell["outputs"] = [nbformat.v4.new_output("stream", text=text) for text in said]
    page = made.as_page(nbformat.v4.new_notebook(cells=[cell]), "x", tmp_path)
    assert '<pre class="output">one\n2wo and</pre>' in page


@pytest.mark.slow
@pytest.mark.parametrize("page", made.tutorials(DOCS), ids=lambda p: p.stem)
def test_a_notebook_runs_without_a_screen_and_shows_what_it_found(page, tmp_path):
    pytest.importorskip("nbclient", reason="pip install --group docs")
    book = made.run(made.notebook(page))
    said = [o for c in book.cells if c.cell_type == "code" for o in c.outputs]
    assert said
    assert not [o for o in said if o.output_type == "error"]
    assert len(made.as_page(book, page.stem, tmp_path)) < 400_000
