"""What the pages of all redone papers share: a table between two marks, and a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

END = "<!-- end -->"


def begin(script: str) -> str:
    return f"<!-- made by {script}: begin -->"


def between_marks(text: str, tables: str, script: str) -> str:
    """The page with what stands between its marks replaced."""
    mark = begin(script)
    before, found, rest = text.partition(mark)
    _, end, after = rest.partition(END)
    if not found or not end:
        raise ValueError(f"The page has lost its marks: {mark} … {END}.")
    return f"{before}{mark}\n\n{tables}\n{END}{after}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def yes(holds: bool) -> str:
    return "yes" if holds else "**no**"


def listed(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers)
