"""Policies that are refused: which text replaces which, the line that the problem is reported on, and phrases of the message."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from headgate.core.errors import PolicyInvalid
from policies.schema.loading import parse_policy

Case = tuple[str, str, int, list[str]]


def refusal(text: str) -> PolicyInvalid:
    with pytest.raises(PolicyInvalid) as caught:
        parse_policy(text, "small.yaml")
    assert caught.value.cure
    assert "pydantic" not in str(caught.value)
    return caught.value


def require_refused(small: str, case: Case) -> None:
    old, new, line, phrases = case
    assert small.count(old) == 1
    message = refusal(small.replace(old, new)).message
    for phrase in phrases:
        assert phrase in message
    assert re.search(rf"small\.yaml, line {line}\b", message), message


def names_of(cases: Sequence[Case]) -> list[str]:
    return [new[:60] or f"without {old}" for old, new, _, _ in cases]
