"""How figures are written in a sentence, on pages and in the terminal."""

from __future__ import annotations


def counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
