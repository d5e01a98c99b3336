"""What all rules have in common: a text is read or refused, never taken for a missing cell, and the refusal says what to do."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from policies.intake.age_at import AgeAt
from policies.intake.bands import Bands
from policies.intake.recoding import Recoding
from policies.intake.rule import UNREAD, Rule
from policies.intake.written_days import WrittenDays, day_form
from policies.intake.written_numbers import WrittenNumbers

RULES: list[tuple[Rule, str]] = [
    (AgeAt("born", datetime.date(2024, 12, 31)), "1990-01-02"),
    (Bands(("young", "old"), (Decimal(0), Decimal(40), Decimal(110))), "39.5"),
    (Recoding({"1": "male", "2": "female"}), "2"),
    (WrittenDays((day_form("%d.%m.%Y"),)), "31.12.1990"),
    (WrittenNumbers(",", ".", ("kg",)), "1.234,5 kg"),
]


@pytest.mark.parametrize(("rule", "text"), RULES, ids=lambda value: type(value).__name__)
def test_a_rule_reads_what_it_is_for_and_nothing_else(rule: Rule, text: str) -> None:
    assert isinstance(rule.read(text), str)
    assert rule.read(text) == rule.read(text)
    assert rule.read("not like that at all") is UNREAD


@pytest.mark.parametrize("rule", [rule for rule, _ in RULES], ids=lambda rule: type(rule).__name__)
def test_a_rule_says_what_is_wrong_with_one_cell_and_with_several_and_what_helps(rule: Rule) -> None:
    one, several = rule.wrong
    assert one != several
    assert "" not in (one, several, rule.cure)
    assert rule.cure[0].isupper()
    assert rule.cure.endswith(".")
