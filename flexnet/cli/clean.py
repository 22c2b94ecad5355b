"""``flexnet clean``: remove what flexnet keeps to be quicker the next time."""

from pathlib import Path
from typing import Annotated

import typer

from flexnet.cli.console import say, show_table

#: panel and place in the list of verbs
PLACE = "Begin", 14


def clean(
    keep: Annotated[bool, typer.Option("--dry-run", help="Say what there is and remove nothing.")] = False,
) -> None:
    """Remove the user's caches: machine code and tables, made again when next needed.

    Result files are never touched. What is not a file of the cache is left where it is.
    """
    rows, total = [], 0
    for kind, folder, files in caches():
        size = sum(file.lstat().st_size for file in files)
        total += size
        rows.append((kind, str(folder), str(len(files)), f"{size / 1e6:.1f} MB"))
        if not keep:
            for file in files:
                file.unlink(missing_ok=True)
    if rows:
        show_table(("kind", "folder", "files", "size"), rows)
    say(f"{total / 1e6:.1f} MB " + ("could be removed" if keep else "removed"))


def caches() -> list[tuple[str, Path, list[Path]]]:
    """Kind, folder and files of every cache that is there."""
    from flexnet.cache import folder_of

    root = folder_of("tables").parent
    found = []
    for folder in sorted(root.iterdir()) if root.is_dir() else []:
        if folder.is_dir() and not folder.is_symlink():
            files = [f for f in folder.iterdir() if f.name.startswith((f"{folder.name}-", ".draft-"))]
            if files:
                found.append((folder.name, folder, sorted(files)))
    return found
