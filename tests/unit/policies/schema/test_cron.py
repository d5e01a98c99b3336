"""Cron text and time zones are checked before a scheduler sees them."""

from __future__ import annotations

import pytest
from pydantic_core import PydanticCustomError

from policies.schema.cron import check_cron, check_timezone


@pytest.mark.parametrize(
    "text",
    [
        *("0 3 1 * *", "*/15 * * * *", "0 0 29 2 *", "0 3 * * 7", "5,35 8-18/2 * jan-mar,DEC mon-fri", "0 3 1/5 * *", "@daily"),
        *("* * * * * */2", "0 0 31 2 mon"),
    ],
)
def test_times_that_occur_are_accepted(text: str) -> None:
    assert check_cron(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "monthly", "0 3 1 *", "0 3 1 * * * *", "60 3 1 * *", "0 24 1 * *", "0 3 0 * *", "0 3 32 * *", "0 3 1 13 *", "0 3 1 * 8"),
        *(
            "0 3 5-1 * *",
            "*/0 * * * *",
            "*/x * * * *",
            "1-2-3 * * * *",
            "a * * * *",
            "0 3 1, * *",
            "-1 3 1 * *",
            "0 0 30 2 *",
            "0 0 31 4,6 *",
            "@never",
        ),
    ],
)
def test_times_that_do_not_occur_are_refused(text: str) -> None:
    with pytest.raises(PydanticCustomError, match="cron expression"):
        check_cron(text)


@pytest.mark.parametrize("name", ["", "Europe/Rom", "../etc/localtime", "/etc", "CEST+1"])
def test_only_time_zones_of_the_database_are_accepted(name: str) -> None:
    assert check_timezone("Europe/Rome") == "Europe/Rome"
    with pytest.raises(PydanticCustomError):
        check_timezone(name)
