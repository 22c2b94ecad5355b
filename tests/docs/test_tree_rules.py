"""The table of tree rules is what their pages say: ``python -m tests.docs.test_tree_rules`` writes it."""

from pathlib import Path

from flexnet.graph.selection.rule import RULES, summary

PAGE = Path(__file__).parent.parent.parent / "docs/theory/trees.md"
HEAD = "| rule | takes |\n|---|---|\n"
LAST = "| `measured` |"


def written(page: str) -> str:
    """The page with a row for every rule of the package; ``measured`` is no rule of a graph alone."""
    before, _, rest = page.partition(HEAD)
    assert rest, f"{PAGE.name} has no table of rules"
    own = [
        name for name, rule in RULES.items() if str(rule.__module__).startswith("flexnet.")
    ]  # not of a user's page
    rows = "".join(f"| `{name}` | {summary(name)} |\n" for name in own)
    return before + HEAD + rows + rest[rest.index(LAST) :]


def test_the_table_of_tree_rules_is_that_of_the_registry() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page), "python -m tests.docs.test_tree_rules writes it anew"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
