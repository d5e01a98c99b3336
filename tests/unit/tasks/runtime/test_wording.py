"""Figures in sentences."""

from __future__ import annotations

import pytest

from tasks.runtime.wording import counted


@pytest.mark.parametrize(("number", "text"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (12_345, "12,345 rows")])
def test_one_is_singular_and_everything_else_is_plural(number: int, text: str) -> None:
    assert counted(number, "row") == text
