"""What people see: results on stdout, progress and messages on stderr. Names, titles and paths are shown as they are: markup in them has no
effect, and no control character reaches the terminal."""

from __future__ import annotations

import codecs
import io
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


IN_LETTERS = {
    "δ": "delta", "ε": "epsilon", "Δ": "Delta", "≤": "<=", "≥": ">=", "∞": "inf", "–": "-", "—": "-", "−": "-", "…": "...", "×": "x",
    "→": "->", "✓": "ok", "✗": "x", "◆": "*", "·": ".", "’": "'", "‘": "'", "“": '"', "”": '"',
}  # fmt: skip
BY_LETTERS = "headgate.letters"


def write_any_sign() -> None:
    """Where the terminal or a pipe is not UTF-8, a sign that it lacks is spelled in letters (δ: delta), or becomes a question mark; it does
    not end the command."""
    codecs.register_error(BY_LETTERS, _spelled)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=BY_LETTERS)


def _spelled(problem: UnicodeError) -> tuple[str, int]:
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    return "".join(IN_LETTERS.get(sign, "?") for sign in problem.object[problem.start : problem.end]), problem.end


def as_written(text: str, encoding: str) -> str:
    """As it will be shown there, so that a table knows its widths."""
    codecs.register_error(BY_LETTERS, _spelled)
    return text.encode(encoding, BY_LETTERS).decode(encoding)


def tell_unrecorded(why: str) -> None:
    """Where somebody looks at a candidate and no event says so, they must know that nobody else will."""
    if why:
        tell(console(), plain(f"That you look at it is not recorded, because {why}."))


def write_document(text: str) -> None:
    """A document on stdout as it is; on a terminal without what could steer that, since cells may be a stranger's. Where stdout is not
    UTF-8, other signs are written as the escapes of JSON and YAML strings."""
    encoding = sys.stdout.encoding or "utf-8"
    shown = plain_lines(text) if sys.stdout.isatty() else text
    sys.stdout.write("".join(sign if _can_be_written(sign, encoding) else _escaped(sign) for sign in shown))


def _can_be_written(sign: str, encoding: str) -> bool:
    return sign.isascii() or sign.encode(encoding, "ignore") != b""


def _escaped(sign: str) -> str:
    return json.dumps(sign)[1:-1]


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


def plain_lines(text: str) -> str:
    return "\n".join(map(plain, text.split("\n")))


def print_json(document: dict[str, Any]) -> None:
    """The one object on stdout; numbers as they are, never rounded."""
    write_document(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def error_document(refusal: HeadgateError) -> dict[str, Any]:
    return {"error": {"code": refusal.code, "message": refusal.message, "cure": refusal.cure}}


def print_error(refusal: HeadgateError) -> None:
    from rich.text import Text

    text = Text.assemble((TITLES.get(refusal.code, "Stopped"), "bold red"), ": ", plain_lines(refusal.message))
    if refusal.cure:
        text.append("\nCure: ", "bold")
        text.append(plain_lines(refusal.cure))
    tell(console(), text)
