"""`headgate explore POLICY`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal.options import Json, PolicyFile

if TYPE_CHECKING:
    from tasks.advice.explore import Explored

MOST_GATES = 2  # shown per refused setting


def explore(
    policy: PolicyFile,
    k: Annotated[list[str] | None, typer.Option("--k", metavar="LIST", help="Group sizes to try: 5,10,20.")] = None,
    epsilon: Annotated[list[str] | None, typer.Option("--epsilon", metavar="LIST", help="ε to try: 0,0.1.")] = None,
    delta: Annotated[list[str] | None, typer.Option("--delta", metavar="LIST", help="δ to try: 0.5,0.7.")] = None,
    json: Json = False,
) -> None:
    """Try many settings, log each to MLflow, and draw the frontier of risk and utility."""
    from flows.policy_files import resolve_policy
    from flows.terminal.output import print_json
    from flows.terminal.progress import settings_progress
    from tasks.advice.explore import Grid
    from tasks.advice.explore import explore as try_settings
    from tasks.runtime.home import Home
    from tasks.runtime.quiet import quieten

    grid = Grid.of(_split(k or ()), _split(epsilon or ()), _split(delta or ()))
    home = Home.open()
    quieten(home)
    with settings_progress() as advance:
        explored = try_settings(resolve_policy(policy), grid, home, advance)
    if json:
        print_json(explored.to_json())
        return
    _show(explored)


def _split(given: Sequence[str]) -> list[str]:
    """Lists with commas; an option may be repeated too."""
    from headgate.core.errors import InputRejected

    entries = [part.strip() for text in given for part in text.split(",")]
    if not all(entries):
        raise InputRejected("A list of settings has an empty entry.", "Write numbers with commas between them, such as 5,10.")
    return entries


def _show(explored: Explored) -> None:
    from rich.text import Text

    from flows.terminal.fitted_table import print_table
    from flows.terminal.output import plain, results, tell
    from flows.views.shown_figures import named_attributes, percentage_to, plain_table, short
    from headgate.core.units import counted

    out = results()
    tried = f"{counted(len(explored.settings), 'setting')} of {counted(len(explored.tables), 'table')}"
    tell(out, Text.assemble((plain(explored.dataset), "bold"), f": {tried}"))
    for number, names in enumerate(explored.tables, 1):
        tell(out, f"table-{number}: {named_attributes(names)}")
    headings = ("k", "ε", "δ", "δ reached", "loss", "queries", "linkability", "frontier", "refused by")
    shown = plain_table(headings, words=("refused by",))
    for place, setting in enumerate(explored.settings):
        error = percentage_to(setting.query_error, setting.query_error_high)
        figures = (short(setting.delta_reached), short(setting.loss), error, short(setting.linkability))
        mark = "◆" if place in explored.frontier else ""
        shown.add_row(str(setting.k), setting.epsilon, setting.delta, *figures, mark, plain(", ".join(setting.refused[:MOST_GATES])))
    print_table(out, shown)
    tell(out, "◆ no other setting at this ε has both less risk and less loss.", "dim")
    out.print(f"mlflow run {explored.run_id}", soft_wrap=True)
