"""Days in the order in which a source writes them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.intake.rule import UNREAD
from policies.intake.written_days import WrittenDays, day_form


def reading(*texts: str, span: tuple[date, date] | None = None) -> WrittenDays:
    forms = [day_form(text) for text in texts]
    assert all(forms)
    return WrittenDays(tuple(form for form in forms if form), span)


@pytest.mark.parametrize(
    ("forms", "text", "day"),
    [
        (("%d.%m.%Y",), "3.4.2024", "2024-04-03"),
        (("%d.%m.%Y",), "31.02.2024", UNREAD),
        (("%d.%m.%Y",), "03/04/2024", UNREAD),
        (("%d.%m.%Y",), "03.04.24", UNREAD),
        (("%d.%m.%Y",), "03.04.2024 10:00", UNREAD),
        (("%d/%m/%Y", "%m/%d/%Y"), "03/04/2024", "2024-04-03"),  # the first that fits
        (("%d/%m/%Y", "%m/%d/%Y"), "03/14/2024", "2024-03-14"),
        (("%m/%d/%Y", "%d/%m/%Y"), "03/04/2024", "2024-03-04"),
        (("%d%b%Y",), "01MAR2024", "2024-03-01"),
        (("%d %B %Y",), "1 march 2024", "2024-03-01"),
        (("%d-%b-%Y",), "01-Mrz-2024", UNREAD),
        (("%Y%m%d",), "20240301", "2024-03-01"),
        (("%Y%m%d",), "2024031", UNREAD),  # the first or the 31st: nobody can tell
        (("%d.%m.%Y %H:%M",), "03.04.2024 23:59", "2024-04-03"),
        (("%d.%m.%Y %H:%M",), "03.04.2024 24:00", UNREAD),
        (("%d.%m.%Y",), "\u0663.04.2024", UNREAD),
    ],
)
def test_a_day_is_read_by_the_first_form_that_fits_it_or_not_at_all(forms: tuple[str, ...], text: str, day: object) -> None:
    assert reading(*forms).read(text) == day


def test_two_digits_of_a_year_mean_the_year_in_the_domain() -> None:
    """Python's own pivot makes somebody who was born in 1930 unborn."""
    born = reading("%d.%m.%y", span=(date(1925, 1, 1), date(2024, 12, 31)))
    assert [born.read(text) for text in ("01.02.30", "01.02.24", "01.02.25")] == ["1930-02-01", "2024-02-01", "1925-02-01"]
    later = reading("%d.%m.%y", span=(date(2020, 6, 1), date(2024, 12, 31)))
    assert [later.read(text) for text in ("01.05.20", "01.06.20", "01.02.30")] == [UNREAD, "2020-06-01", UNREAD]
    assert reading("%d.%m.%y").read("01.02.30") is UNREAD


@pytest.mark.parametrize("text", ["%m.%Y", "%d.%m", "%d.%m.%Y %Z", "%d.%m.%Y %d", "%j", "", "%", "%d.%m.%b.%Y", "%d.%m.%Y %y", "day"])
def test_a_form_that_names_no_whole_day_is_no_form(text: str) -> None:
    assert day_form(text) is None


@given(day=st.dates(), form=st.sampled_from(["%d.%m.%Y", "%Y%m%d", "%m/%d/%Y", "%d %B %Y", "%d%b%Y", "%d.%m.%Y %H:%M:%S"]))
def test_what_is_written_in_a_form_is_read_back(day: date, form: str) -> None:
    text = day.strftime(form.replace("%Y", f"{day.year:04d}"))
    assert reading(form).read(text) == day.isoformat()
