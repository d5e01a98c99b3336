"""When the groups of a version are kept no longer."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from policies.schema.keep_key import KeepKey, months_after

PUBLISHED = datetime(2024, 1, 31, 12, tzinfo=UTC)


def test_after_so_many_months_to_the_moment() -> None:
    keep = KeepKey(groups="13 months")
    assert not keep.due(PUBLISHED, 99, datetime(2025, 2, 28, 11, 59, tzinfo=UTC))
    assert keep.due(PUBLISHED, 0, datetime(2025, 2, 28, 12, tzinfo=UTC))
    assert months_after(PUBLISHED, 1) == datetime(2024, 2, 29, 12, tzinfo=UTC)
    assert months_after(PUBLISHED, 12) == datetime(2025, 1, 31, 12, tzinfo=UTC)


def test_after_so_many_newer_versions() -> None:
    keep = KeepKey(groups="2 versions")
    assert [keep.due(PUBLISHED, newer, PUBLISHED) for newer in (0, 1, 2, 3)] == [False, False, True, True]
    assert KeepKey(groups="1 version").due(PUBLISHED, 1, PUBLISHED)


def test_without_a_rule_nothing_is_due() -> None:
    assert not KeepKey().due(PUBLISHED, 999, datetime(2999, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    "text", ["0 months", "24", "months", "2 years", "-1 months", "1000 months", "2 months ", "2  months", "1.5 months"]
)
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        KeepKey(groups=text)
