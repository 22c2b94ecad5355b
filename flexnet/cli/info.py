"""``flexnet info``: what a result file holds and how its run ended."""

from typing import TYPE_CHECKING, Annotated

import typer

from flexnet.cli.console import say, show_table
from flexnet.cli.options import ResultFile
from flexnet.errors import FlexnetError

if TYPE_CHECKING:
    from flexnet.results import Results

#: panel and place in the list of verbs
PLACE = "Look", 35

_LEVELS = ("position", "velocity")


def info(
    file: ResultFile,
    check: Annotated[
        bool, typer.Option("--check", help="Read everything and hold it against its digests.")
    ] = False,
) -> None:
    """Say what a result file holds, how its run ended, and what in it is damaged."""
    from flexnet.results import Results

    results = Results.open(file)
    status = results.status
    style = {"finished": "green", "failed": "bold red"}.get(status.state, "yellow")
    say(f"{file}: {status.state}" + (f", {status.message}" if status.message else ""), style)
    damage = results.damage(is_deep=check)
    for sentence in damage:
        say(f"damaged: {sentence}", "bold red")
    if check and not damage:
        say("every number is as its digest says" if results.has_digests else "the file carries no digests")
    rows = [(key, str(value)) for key, value in results.attributes.items()]
    if parameters := _parameters(results):
        rows.append(("parameters", parameters))
    rows += _extent(results)
    show_table(("what", "value"), rows)
    members: dict[str, list[str]] = {}
    for path in results.paths():
        group, _, rest = path.partition("/")
        if rest:
            name = rest.split("/")[0]
            members.setdefault(group, []).extend([] if name in members.get(group, []) else [name])
    show_table(("group", "members"), [(group, ", ".join(names)) for group, names in members.items()])


def _extent(results: "Results") -> list[tuple[str, str]]:
    """First and last time, largest constraints; what is damaged is said instead."""
    if not results.rows:
        return [("time", "no rows")]
    told = []
    for key, path in (("time", "time"), *((f"largest {k} constraint", f"constraints/{k}") for k in _LEVELS)):
        try:
            x = results.read(path)
            said = f"{x[0]:g} to {x[-1]:g} s, {results.rows} rows" if path == "time" else f"{x.max():.3g}"
        except FlexnetError as error:
            said = str(error)
        told.append((key, said))
    return told


def _parameters(results: "Results") -> str:
    """Numbers and texts the case was built with; none in a file without its mechanism."""
    try:
        found = results.mechanism().parameters
    except FlexnetError:
        return ""
    return ", ".join(f"{name} = {value}" for name, value in found.items())
