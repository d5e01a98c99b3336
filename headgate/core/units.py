"""Amounts and ratios in sentences."""

from __future__ import annotations

from decimal import Decimal

EQUAL = "only if they are equal"
WHOLE_FROM = 1e5  # larger numbers are said without decimals
FACTOR = 2.0  # larger ratios are said as a factor, smaller ones as per cent


def amount_text(number: float) -> str:
    """24,000, 1,234.5 or 0.1."""
    if float(number).is_integer() or abs(number) >= WHOLE_FROM:
        return f"{number:,.0f}"
    return f"{Decimal(f'{number:.4g}'):,f}" if abs(number) < 1000 else f"{number:,.1f}"


def counted(number: int, thing: str, things: str = "") -> str:
    """`things`: the plural, where it is not made with an s."""
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def ratio_text(more: float) -> str:
    """Of two numbers the larger may be larger by this share of the smaller."""
    if more <= 0:
        return EQUAL
    if 1 + more < FACTOR:
        return f"within {amount_text(float(f'{100 * more:.3g}'))} % of each other"
    return f"within a factor of {amount_text(float(f'{1 + more:.3g}'))} of each other"
