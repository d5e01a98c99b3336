from __future__ import annotations

from datetime import UTC, datetime

import pytest

from policies.words.publication_moment import PublicationMoment, moment_in_words

TUESDAYS = PublicationMoment(cron="30 9 * * 2", timezone="Europe/Rome")


@pytest.mark.parametrize(
    ("after", "due"),
    [
        ((2025, 6, 1, 12, 0), "2025-06-03T09:30:00+02:00"),
        ((2025, 6, 3, 7, 29), "2025-06-03T09:30:00+02:00"),
        ((2025, 6, 3, 7, 30), "2025-06-10T09:30:00+02:00"),  # approved at the very moment: the next one
        ((2025, 12, 1, 12, 0), "2025-12-02T09:30:00+01:00"),  # by the clock there, in winter too
    ],
)
def test_it_is_the_first_match_after_by_the_local_clock(after: tuple[int, ...], due: str) -> None:
    assert TUESDAYS.first_after(datetime(*after, tzinfo=UTC)).isoformat() == due


def test_it_is_said_as_people_write_it() -> None:
    assert moment_in_words(TUESDAYS.first_after(datetime(2025, 6, 1, tzinfo=UTC))) == "2025-06-03 at 09:30 (Europe/Rome)"
