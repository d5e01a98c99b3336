"""`make docs`: writes the parts of the documentation that follow from the code. `--check` compares them and changes nothing.

A part stands in its page between `<!-- begin NAME: written by make docs -->` and `<!-- end NAME -->`. People write the rest.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from policies.ledger.transitions import state_diagram
from tools import blocks_example
from tools.command_reference import command_list, command_options
from tools.policy_reference import gate_keys, gate_meanings
from tools.rooms_diagram import package_diagram, room_tables, rooms_diagram

DOCS = Path(__file__).resolve().parents[1] / "docs"


@dataclass(frozen=True)
class Part:
    """A part of a page, and what writes it."""

    page: str
    name: str
    text: Callable[[], str]

    def replaced_in(self, page: str) -> str:
        begin, end = f"<!-- begin {self.name}: written by make docs -->\n", f"<!-- end {self.name} -->"
        changed, count = re.subn(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: f"{begin}{self.text()}{end}", page, flags=re.DOTALL)
        if count != 1:
            raise ValueError(f"docs/{self.page} must hold the part '{self.name}' once; it holds it {count} times")
        return changed


PARTS = (
    Part("architecture.md", "packages", package_diagram),
    Part("architecture.md", "rooms", rooms_diagram),
    Part("architecture.md", "room tables", room_tables),
    Part("architecture.md", "states", lambda: f"```mermaid\n{state_diagram()}```\n"),
    Part("reference-policy.md", "gates of anonymize", lambda: gate_keys("anonymize")),
    Part("reference-policy.md", "gates of gates", lambda: gate_keys("gates")),
    Part("reference-policy.md", "gates of utility", lambda: gate_keys("utility")),
    Part("reference-policy.md", "meanings of gates", gate_meanings),
    Part("reference-cli.md", "commands", command_list),
    Part("reference-cli.md", "options", command_options),
    Part("blocks.md", "people", blocks_example.people_table),
    Part("blocks.md", "tree", blocks_example.tree_picture),
    Part("blocks.md", "begun", blocks_example.begun_table),
    Part("blocks.md", "started", blocks_example.started_table),
    Part("blocks.md", "placed", blocks_example.placed_table),
    Part("blocks.md", "moved", blocks_example.moved_table),
    Part("blocks.md", "recount", blocks_example.recount_table),
)


def outdated(folder: Path) -> dict[Path, str]:
    """The pages whose parts differ from the code, as they should read."""
    pages: dict[Path, str] = {}
    for part in PARTS:
        path = folder / part.page
        pages[path] = part.replaced_in(pages.get(path) or path.read_text(encoding="utf-8"))
    return {path: text for path, text in pages.items() if text != path.read_text(encoding="utf-8")}


def main(arguments: list[str]) -> int:
    pages = outdated(DOCS)
    for path, text in pages.items():
        if "--check" in arguments:
            sys.stderr.write(f"docs/{path.name} does not match the code: run make docs\n")
        else:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"docs/{path.name}\n")
    return 1 if pages and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
