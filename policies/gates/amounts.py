"""Figures in the sentences of gates. What was measured and what is required never look equal unless they are."""

from __future__ import annotations

from policies.gates.verdict import Verdict

SHOWN = "{:.6g}".format


def amount(number: float, noun: str = "", several: str = "") -> str:
    """12, 1,234 or 0.25, with its noun in the right number."""
    text = f"{number:,.0f}" if float(number).is_integer() else SHOWN(number)
    return f"{text} {noun if number == 1 else several or noun + 's'}" if noun else text


def amounts(verdict: Verdict, noun: str = "", several: str = "") -> tuple[str, str]:
    """Measured, with its noun, and required."""
    measured, required = verdict.measured or 0.0, verdict.required or 0.0
    if measured != required and SHOWN(measured) == SHOWN(required):
        return repr(measured), repr(required)
    return amount(measured, noun, several), amount(required)


def shares(verdict: Verdict) -> tuple[str, str]:
    """The same of shares, as percentages."""
    measured, required = 100 * (verdict.measured or 0.0), 100 * (verdict.required or 0.0)
    if measured != required and SHOWN(measured) == SHOWN(required):
        return f"{measured!r} %", f"{required!r} %"
    return f"{SHOWN(measured)} %", f"{SHOWN(required)} %"
