from __future__ import annotations

import pytest

from headgate.core.errors import InputRejected
from tasks.runtime.waiting_time import seconds_in


def test_the_environment_says_how_long_it_may_take_and_else_it_is_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADGATE_SOME_SECONDS", raising=False)
    assert seconds_in("HEADGATE_SOME_SECONDS", 60) == 60
    monkeypatch.setenv("HEADGATE_SOME_SECONDS", "0.5")
    assert seconds_in("HEADGATE_SOME_SECONDS", 60) == 0.5


@pytest.mark.parametrize("text", ["soon", "", "0", "-1", "nan", "inf"])
def test_what_is_not_a_time_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_SOME_SECONDS", text)
    with pytest.raises(InputRejected, match="HEADGATE_SOME_SECONDS is not a number of seconds") as refused:
        seconds_in("HEADGATE_SOME_SECONDS", 60)
    assert "such as 60" in refused.value.cure
