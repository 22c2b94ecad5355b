"""``flexnet info``: what a result file holds and how its run ended."""

from typing import TYPE_CHECKING

from flexnet.cli.console import say, show_table
from flexnet.cli.options import ResultFile
from flexnet.errors import ResultError

if TYPE_CHECKING:
    from flexnet.results import Results


def info(file: ResultFile) -> None:
    """Say what a result file holds and how its run ended."""
    from flexnet.results import Results

    results = Results.open(file)
    status = results.status
    style = {"finished": "green", "failed": "bold red"}.get(status.state, "yellow")
    say(f"{file}: {status.state}" + (f", {status.message}" if status.message else ""), style)
    rows = [(key, str(value)) for key, value in results.attributes.items()]
    if parameters := _parameters(results):
        rows.append(("parameters", parameters))
    time = results.time
    if results.rows:
        rows.append(("time", f"{time[0]:g} to {time[-1]:g} s, {results.rows} rows"))
        rows += [
            (f"largest {k} constraint", f"{v.max():.3g}") for k, v in results.group("constraints").items()
        ]
    else:
        rows.append(("time", "no rows"))
    show_table(("what", "value"), rows)
    members: dict[str, list[str]] = {}
    for path in results.paths():
        group, _, rest = path.partition("/")
        if rest:
            name = rest.split("/")[0]
            members.setdefault(group, []).extend([] if name in members.get(group, []) else [name])
    show_table(("group", "members"), [(group, ", ".join(names)) for group, names in members.items()])


def _parameters(results: "Results") -> str:
    """Numbers and texts the case was built with; none in a file without its mechanism."""
    try:
        found = results.mechanism().parameters
    except ResultError:
        return ""
    return ", ".join(f"{name} = {value}" for name, value in found.items())
