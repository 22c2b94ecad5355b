"""``flexnet new``: a case of your own to begin with, from a template."""

import re
from pathlib import Path
from typing import Annotated

import typer

from flexnet.cli.console import say, show_table
from flexnet.errors import ModelError
from flexnet.examples import MESHES, find, templates

#: panel and place in the list of verbs
PLACE = "Begin", 11

_MESH = "panel_32.msh"  # of the template that reads one


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the mechanism; writes NAME.py here.")],
    template: Annotated[
        str,
        typer.Option(
            help="What to begin with: rigid, beam, shell, actuator, motor; ? lists them.",
            autocompletion=lambda: [each.name for each in templates()],
        ),
    ] = "rigid",
) -> None:
    """Write a case to begin with: a mechanism that runs, with a word on every line that matters.

    For example:

        flexnet new boom --template actuator

        flexnet run boom.py && flexnet view boom.h5 --open
    """
    if template == "?":
        show_table(("template", "what it is"), [(each.name, each.title) for each in templates()])
        return
    made = find(template, templates())
    stem = name.removesuffix(".py")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,99}", stem):
        raise ModelError(f"{name[:120]!r} is no name of a case: letters, digits, _ and - are, a letter first")
    text = made.text.replace(f'fx.System("{template}"', f'fx.System("{stem}"')
    files = {Path(f"{stem}.py"): text.encode()}
    mesh, brought = Path(f"{stem}.msh"), (MESHES / _MESH).read_bytes()
    own = mesh.is_file() and not mesh.is_symlink() and mesh.read_bytes() != brought
    if ".msh" in text and not own:
        files[mesh] = brought
    put(files)
    if ".msh" in text and own:
        say(f"{mesh} is there already, and {stem}.py reads it: name your own groups in {stem}.py")
    say(", ".join(str(file) for file in files))
    say(
        f"now: flexnet run {stem}.py, then flexnet view {stem}.h5 --open; its parameters are those of build()"
    )


def put(files: dict[Path, bytes]) -> None:
    """Write files where there are none; one that is there already, unchanged, is left.

    Raises
    ------
    ModelError
        If another file is in the place of one; nothing is written then.
    """
    from flexnet.store import writing

    for file, content in files.items():
        if file.is_symlink() or (file.exists() and not (file.is_file() and file.read_bytes() == content)):
            raise ModelError(f"there is a {file} already, and it is another; choose another name or folder")
    for file, content in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        with writing(file, content) as draft:
            draft.write_bytes(content)
