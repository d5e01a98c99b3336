"""Shares in a sentence that says how far to raise a threshold."""

from __future__ import annotations


def rounded_up(share: float) -> str:
    """Rounded up, so that the number as printed is enough."""
    return f"{min(1.0, int(share * 10_000 + 1) / 10_000):.4f}"
