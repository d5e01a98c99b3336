"""`headgate check TABLE --lines COLUMN`: every refused cell of a column, on stdout: it was asked for by whoever has the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flows.policy_files import resolve_policy
from flows.terminal.check_question import pairs_of
from flows.terminal.output import plain, print_json, results, tell
from flows.terminal.shown_cells import list_cells
from headgate.core.errors import InputRejected
from tasks.profiling.refused_cells import refused_by_kind, refused_by_policy


def list_lines(table: Path, column: str, policy: Path | None, kinds: Sequence[str], others: Sequence[str], json: bool) -> None:
    """`others`: options that measure something and do not go with it. A document holds the lines alone."""
    if others:
        raise InputRejected(f"{others[0]} was given with --lines.", "Use --lines alone, with --policy or with --kind.")
    given = pairs_of(kinds, "NAME=KIND, such as income=number")
    if any(name != column for name in given) or (given and policy is not None):
        cure = f"Write --kind {column}=number, or --policy POLICY."
        raise InputRejected("--kind was given for another column, or beside --policy.", cure)
    kind = given.get(column)
    refusal = refused_by_kind(table, column, kind) if policy is None else refused_by_policy(table, column, resolve_policy(policy))
    found = {"column": column, "refused": 0 if refusal is None else len(refusal.rows)}
    if refusal is None:
        print_json({**found, "place": "line", "numbers": []}) if json else tell(results(), plain(f"No cell of '{column}' is refused."))
        return
    if not json:
        list_cells(refusal)
    refusal.document = {**found, "place": refusal.place[0], "numbers": list(refusal.numbers)}
    refusal.values = ()  # they have been listed
    raise refusal
