"""`make dist`: who made what is installed with headgate, and under which licence, from the software bill of materials."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

UNKNOWN = "not stated"


def licence_list(bill: dict[str, Any]) -> list[str]:
    """A line for each package, with those that state no licence first."""
    lines = [(licence := licences_of(part), f"{part['name']} {part['version']}: {licence}") for part in bill["components"]]
    return [line for _, line in sorted(lines, key=lambda pair: (pair[0] != UNKNOWN, pair[1].casefold()))]


def licences_of(part: dict[str, Any]) -> str:
    """An SPDX expression if there is one; else what the package says in its own words, without the text of the licence."""
    stated = part.get("licenses", [])
    expressions = [each["expression"] for each in stated if "expression" in each]
    ids = [each["license"]["id"] for each in stated if "id" in each.get("license", {})]
    names = [each["license"]["name"].rpartition(" :: ")[2] for each in stated if "name" in each.get("license", {})]
    chosen = expressions or ids or [name for name in names if "\n" not in name and not name.startswith("declared license of")]
    return ", ".join(dict.fromkeys(chosen)) or UNKNOWN


def main() -> None:
    bill = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.stdout.write("".join(f"{line}\n" for line in licence_list(bill)))


if __name__ == "__main__":
    main()
