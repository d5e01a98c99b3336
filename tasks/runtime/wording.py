"""How figures are written in a sentence, on pages and in the terminal."""

from __future__ import annotations


def inside(where: str) -> str:
    """The name of a table inside a sentence: "the source people.csv"."""
    return where[:1].lower() + where[1:]
