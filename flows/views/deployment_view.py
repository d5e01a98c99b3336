"""What changes at a Prefect server, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flows.terminal.output import plain, results

if TYPE_CHECKING:
    from flows.schedules.deployment_changes import Change, Difference

WOULD = {
    "create": "would be created",
    "update": "would change",
    "same": "is up to date",
    "refused": "is refused: somebody else made it",
}
DID = {"create": "created", "update": "changed", "same": "is up to date", "refused": "is refused: somebody else made it"}
ABSENT = "nothing"


def deployment_document(changes: Sequence[Change], server: str, prune: bool) -> dict[str, Any]:
    return {
        "server": server,
        "deployments": [
            {
                "deployment": change.full_name,
                "action": _action(change, prune),
                "paused": change.paused,
                "differences": [{"key": one.key, "server": one.there, "wanted": one.wanted} for one in change.differences],
            }
            for change in changes
        ],
    }


def _action(change: Change, prune: bool) -> str:
    return "leave" if change.what == "remove" and not prune else str(change.what)


def show_deployments(changes: Sequence[Change], diff: bool, prune: bool) -> None:
    out = results()
    for change in changes:
        paused = " (it is paused at the server, and stays so)" if change.paused and change.what != "remove" else ""
        out.print(plain(f"{change.full_name}: {_said(change, diff, prune)}{paused}"), soft_wrap=True)
        for difference in change.differences:
            out.print(plain(f"  {difference.key}: {_shown(difference)}"), soft_wrap=True)


def _said(change: Change, diff: bool, prune: bool) -> str:
    if change.what != "remove":
        return (WOULD if diff else DID)[change.what]
    if not prune:
        return "belongs to this home, but its policy is not named: left as it is (--prune removes it)"
    return "would be removed" if diff else "removed"


def _shown(difference: Difference) -> str:
    there, wanted = (_text(side) for side in (difference.there, difference.wanted))
    return f"{there} → {wanted}"


def _text(value: Any) -> str:
    return ABSENT if value in (None, "", [], {}) else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
