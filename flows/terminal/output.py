"""What people see: results on stdout, progress and messages on stderr. Names, titles and paths are shown as they are: markup in them has no
effect, and no control character reaches the terminal."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from headgate.core.errors import HeadgateError

TITLES = {
    1: "Defect",
    2: "Not accepted",
    3: "Refused",
    4: "Not allowed",
    5: "Integrity broken",
    6: "Store unavailable",
    130: "Interrupted",
}


def console(stderr: bool = True) -> Console:
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            """Rich would end the program as if it had failed, because the reader has stopped early, as `head` does."""
            raise BrokenPipeError

    return Piped(stderr=stderr, highlight=False, soft_wrap=False, markup=False, emoji=False)


def results() -> Console:
    """The stream for the results of a command."""
    return console(stderr=False)


def tell(out: Console, text: str | Text, style: str = "") -> None:
    """A sentence: wrapped between words on a terminal, on one line in a file. For paths and commands print with `soft_wrap`."""
    out.print(text, style=style or None, soft_wrap=not out.is_terminal)


def plain(text: str) -> str:
    """A control character in a title or a name of the policy could move the cursor over a figure that an approver reads."""
    return "".join(sign if sign.isprintable() else "�" for sign in text)


def _plain_lines(text: str) -> str:
    return "\n".join(map(plain, text.split("\n")))


def print_json(document: dict[str, Any]) -> None:
    """The one object on stdout; numbers as they are, never rounded."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def error_document(refusal: HeadgateError) -> dict[str, Any]:
    return {"error": {"code": refusal.code, "message": refusal.message, "cure": refusal.cure}}


def print_error(refusal: HeadgateError) -> None:
    from rich.text import Text

    text = Text.assemble((TITLES.get(refusal.code, "Stopped"), "bold red"), ": ", _plain_lines(refusal.message))
    if refusal.cure:
        text.append("\nCure: ", "bold")
        text.append(_plain_lines(refusal.cure))
    tell(console(), text)


def print_wide(out: Console, table: Any, width: int) -> None:
    """A table with many columns; in a file as wide as it needs."""
    if not out.is_terminal:
        out.width = width
    out.print(table)
