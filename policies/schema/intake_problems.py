"""What the keys of an attribute's cells do not go with."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from headgate.core.columns import Kind
from policies.schema.intake_keys import WITHOUT_SPAN, IntakeKeys, forms_of, span_of
from policies.words.fields import Problem, choices

WRITTEN = ("decimal", "thousands", "unit", "date", "map")  # how a column of the source is written


def problems_of_intake(
    keys: IntakeKeys, kind: Kind | None, domain: tuple[Any, Any] | None, levels: bool, listed: tuple[str, ...] | None
) -> Iterator[Problem]:
    """`levels`: whether the attribute has some of its own; `listed`: its values, where the policy lists them."""
    yield from _marks(keys)
    yield from _bands(keys, kind, levels)
    two = [form.text for form in forms_of(keys.date or ()) if form.two_digits]
    if two and span_of(domain) is None:
        yield Problem(("date",), f"'{two[0]}'. {WITHOUT_SPAN}", "%Y; or domain: [1925-01-01, 2024-12-31], in which each day must lie")
    yield from _made(keys)
    yield from _map(keys, "string" if kind is None else kind.rules.storage, listed)


def _marks(keys: IntakeKeys) -> Iterator[Problem]:
    decimal = keys.decimal or "."
    if keys.thousands == decimal:
        wanted = f"another mark than decimal: '{decimal}'" + ("" if keys.decimal else "; write `decimal` too where it is a comma")
        yield Problem(("thousands",), f"'{keys.thousands}'", wanted)
    for unit in keys.unit or ():
        if not unit.strip() or any(sign.isdecimal() for sign in unit) or unit.strip() != unit:
            yield Problem(("unit",), f"'{unit}'", "what stands beside a number, such as kg, without digits and without blanks around it")


def _bands(keys: IntakeKeys, kind: Kind | None, levels: bool) -> Iterator[Problem]:
    if keys.bands is None:
        for key in ("decimal", "thousands", "unit", "age"):
            if kind is not None and "levels" in kind.rules.keys and getattr(keys, key) is not None:
                yield Problem((key,), f"'{key}' with kind {kind} and without bands", "bands: [0, 18, 65, 110]; or kind integer or number")
        return
    if levels:
        yield Problem(("levels",), "both 'levels' and 'bands'", "one of them: bands are the levels")
    if keys.region is not None:
        yield Problem(("bands",), "both 'bands' and 'region'", "one of them")


def _made(keys: IntakeKeys) -> Iterator[Problem]:
    if keys.unmapped is not None and keys.map is None and keys.region is None:
        yield Problem(("unmapped",), "'unmapped' without 'map'", "only beside map or region")
    if keys.origin is None:
        return
    key = "age" if keys.age is not None else "region"
    if keys.age is not None and keys.region is not None:
        yield Problem(("region",), "both 'age' and 'region'", "one of them")
    if keys.region is not None and keys.unmapped == "keep":
        yield Problem(("unmapped",), "'keep' with region", "refuse or missing: what is in no region must not be published as one")
    for other in WRITTEN:
        if getattr(keys, other) is not None:
            yield Problem((other,), f"'{other}' beside '{key}'", f"'{other}' in '{keys.origin}', from which it is made")


def _map(keys: IntakeKeys, stored: str, listed: tuple[str, ...] | None) -> Iterator[Problem]:
    for found, value in (keys.map or {}).items():
        if value is None:
            continue
        if not value.strip():
            yield Problem(("map", found), "a blank value", "what it means, or null for a missing cell")
        elif listed is not None and value not in listed:
            yield Problem(("map", found), f"'{value}', which is not among the values", choices(listed, value))
        elif wanted := _misfit(keys, stored, value):
            yield Problem(("map", found), f"'{value}'", wanted)


def _misfit(keys: IntakeKeys, stored: str, value: str) -> str:
    """What a value should be that a number or a day becomes."""
    if keys.date is not None or stored == "date":
        return "" if _is_day(value) else "a day written YYYY-MM-DD, or null for a missing cell"
    if keys.bands is not None or stored in ("number", "integer"):
        return "" if _is_number(value) else "a number, or null for a missing cell"
    return ""


def _is_day(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False
