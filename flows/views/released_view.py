"""What `read` and `estimate` print of a published folder; their `--json` shapes are contracts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headgate.released.estimates import Estimate
    from tasks.verification.released_folder import ReleasedFolder


def released_document(opened: ReleasedFolder) -> dict[str, Any]:
    release = opened.release
    return {
        "dataset": release.dataset,
        "title": release.title,
        "suppressed": release.suppressed,
        "withdrawn": opened.withdrawn,
        "tables": [
            {
                "name": name,
                "rows": table.rows,
                "quasi": list(table.quasi),
                "sensitive": list(table.sensitive),
                "insensitive": list(table.insensitive),
                "parts": table.parts,
            }
            for name, table in release.items()
        ],
    }


def estimate_document(found: Estimate) -> dict[str, Any]:
    return {
        "measure": str(found.measure),
        "of": found.of,
        "where": found.where,
        "table": found.table,
        "lowest": found.lowest,
        "expected": found.expected,
        "highest": found.highest,
        "rows": found.rows,
        "suppressed": found.suppressed,
        "weight": found.weight,
        "notes": list(found.notes),
    }


def say_withdrawn(opened: ReleasedFolder) -> None:
    from flows.terminal.output import console, tell

    if opened.withdrawn:
        tell(console(), "This version was withdrawn. Do not use it.", "bold red")
