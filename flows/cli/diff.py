"""`headgate diff A B`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.terminal.options import Json, is_id

if TYPE_CHECKING:
    from policies.changes.release_changes import Changes, Side

POLICY = (".yaml", ".yml")
NAMED = "a candidate or release by its id, a published folder, or a policy file"
Before = Annotated[str, typer.Argument(metavar="A", help=f"What was before: {NAMED}.")]
After = Annotated[str, typer.Argument(metavar="B", help="What it is compared with: the same.")]


def diff(before: Before, after: After, json: Json = False) -> None:
    """Show what changed between two versions, candidates or policies: for readers, in the policy, the gates, the figures and the values."""
    from flows.terminal.output import print_json
    from flows.views.changes_view import show_changes, show_policy_changes
    from headgate.core.errors import InputRejected
    from policies.changes.policy_changes import policy_changes
    from policies.changes.release_changes import release_changes

    if _is_policy(before) or _is_policy(after):
        keys = policy_changes(_policy(before), _policy(after))
        if json:
            print_json({"policy": [change.model_dump(mode="json") for change in keys]})
        else:
            show_policy_changes(keys)
        return
    changes = _with_people(release_changes(_side(before), _side(after)))
    if changes.before.dataset != changes.after.dataset:
        raise InputRejected("These are releases of two datasets.", "Compare two of the same dataset; `headgate releases` lists them.")
    if json:
        print_json(changes.model_dump(mode="json"))
    else:
        show_changes(changes)


def _with_people(changes: Changes) -> Changes:
    """Counted, where both lie in a home that keeps who is in them."""
    from tasks.ledger.open_ledger import home_to_look_at
    from tasks.verification.compared_versions import people_between

    one, other = changes.before.candidate, changes.after.candidate
    if not one or not other or changes.before.dataset != changes.after.dataset:
        return changes
    counted = people_between(home_to_look_at(), one, other)
    return changes if counted is None else changes.model_copy(update={"people": counted})


def _is_policy(named: str) -> bool:
    from flows.policy_files import is_shipped

    return named.endswith(POLICY) or is_shipped(named)


def _policy(named: str) -> Mapping[str, Any]:
    """The digested form of a policy file, or of the policy under which a candidate was made."""
    import json

    from flows.policy_files import resolve_policy
    from flows.terminal.current_folder import from_here
    from headgate.core.errors import InputRejected
    from tasks.reading.references import load_policy

    if _is_policy(named):
        path = from_here(Path(named)) if named.endswith(POLICY) else resolve_policy(named)
        form: dict[str, Any] = json.loads(load_policy(path).digested)
        return form
    policy = _side(named).policy
    if policy is None:
        raise InputRejected(f"The policy of {named} is not known here.", "Name its candidate by its id, in the home where it was made.")
    return policy


def _side(named: str) -> Side:
    from flows.terminal.current_folder import from_here
    from tasks.ledger.open_ledger import home_to_look_at
    from tasks.verification.compared_versions import side_in_home, side_of_folder

    return side_in_home(home_to_look_at(), named) if is_id(named) else side_of_folder(from_here(Path(named)))
