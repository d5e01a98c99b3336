from __future__ import annotations

import pytest

from headgate.core.errors import InputRejected
from tasks.reading.databases.query_limits import query_seconds


def test_a_query_may_take_an_hour_unless_the_environment_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADGATE_QUERY_SECONDS", raising=False)
    assert query_seconds() == 3600
    monkeypatch.setenv("HEADGATE_QUERY_SECONDS", "0.5")
    assert query_seconds() == 0.5


def test_a_time_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_QUERY_SECONDS", "soon")
    with pytest.raises(InputRejected, match="not a number of seconds"):
        query_seconds()
