"""How figures are said in a sentence, on pages and in the terminal alike."""

from __future__ import annotations


def counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
