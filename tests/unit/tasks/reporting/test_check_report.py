"""What `headgate check` says of a table that can be counted by hand, and where it may write its page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from headgate.core.errors import InputRejected
from headgate.library.check_table import CheckResult, check
from tasks.reporting.check_report import (
    COMPARED,
    PAGE_START,
    compared_in_words,
    concerned,
    render_check,
    require_place,
    uniques_in_words,
    write_page,
)

# Groups by age and sex: 20 f three times, 20 m twice, 30 f once.
PEOPLE = pd.DataFrame(
    {
        "age": [20, 20, 20, 20, 20, 30],
        "sex": ["f", "f", "f", "m", "m", "f"],
        "ill": ["CANARY-flu", "CANARY-flu", "cold", "cold", "cold", "gout"],
        "pay": [100, 200, 300, 100, 100, 900],
    }
)


def checked(frame: pd.DataFrame = PEOPLE, sensitive: str = "ill", **question: Any) -> CheckResult:
    return check(frame, ["age", "sex"], [sensitive], **question)


def page_of(result: CheckResult, group: str | None = None) -> str:
    return render_check("people.csv", ["age", "sex"], group, result)


def figures_of(result: CheckResult, key: str, attribute: str = "") -> tuple[int, int, str]:
    line = result.line(key, attribute)
    assert line is not None
    counts = concerned(line)
    return counts.groups, counts.rows, counts.verdict


def test_where_something_is_required_those_who_fall_short_are_counted() -> None:
    assert figures_of(checked(require={"k": 3}), "k") == (2, 3, "refused")
    assert figures_of(checked(require={"k": 2}), "k") == (1, 1, "refused")
    assert figures_of(checked(require={"k": 1}), "k") == (0, 0, "passed")


def test_where_nothing_is_required_those_with_the_worst_figure_are_counted() -> None:
    assert figures_of(checked(), "k") == (1, 1, "")
    assert figures_of(checked(), "distinct_l", "ill") == (2, 3, "")  # cold twice, and gout


def test_the_reading_with_more_groups_at_the_worst_figure_is_the_one_counted() -> None:
    """In no group by number is anybody's pay near another's; together the two have one combination of quasi-identifiers, and are."""
    frame = pd.DataFrame({"age": [20] * 4, "sex": ["f"] * 4, "pay": [100, 500, 100, 500], "number": [1, 1, 2, 2]})
    result = check(frame, ["age", "sex"], ["pay"], epsilon="0.1", group="number")
    line = result.line("risk")
    assert line is not None
    assert line.measured.figure.value == pytest.approx(1 / 3)
    assert figures_of(result, "risk") == (1, 4, "")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (slice(0, 5), "no row is alone in its group"),
        (slice(0, 6), "1 row is alone in its group; three or fewer quasi-identifiers already single out 1 row (special uniques)"),
    ],
)
def test_who_is_alone_is_told_in_a_sentence(rows: slice, words: str) -> None:
    assert uniques_in_words(checked(PEOPLE[rows])) == words


def test_several_who_are_alone_are_several_and_group_numbers_single_nobody_out_by_attributes() -> None:
    alone = PEOPLE.assign(number=[1, 1, 2, 3, 4, 4])
    assert uniques_in_words(check(alone, [], ["ill"], group="number")) == "2 rows are alone in their group"


def test_the_way_values_were_compared_is_told_by_attribute() -> None:
    both = check(PEOPLE, ["age", "sex"], ["ill", "pay"])
    assert compared_in_words(both) == "values compared by equality: ill; as numbers: pay"
    assert compared_in_words(
        checked(hierarchies={"ill": [["CANARY-flu", "cold or flu", "*"], ["cold", "cold or flu", "*"], ["gout", "gout", "*"]]})
    ) == ("values compared by their hierarchy: ill")
    assert compared_in_words(checked(kinds={"ill": "set"})) == f"values compared {COMPARED['set']}: ill"


def test_the_page_says_what_is_missed_first_and_holds_no_value_of_the_table() -> None:
    page = page_of(checked(require={"k": 1, "distinct_l": 2}))
    assert page.startswith(PAGE_START.decode())
    assert "1 of the required figures is not met" in page
    assert page.index("✗ refused") < page.index("✓ passed")
    assert "people.csv" in page
    assert "age, sex" in page
    assert "CANARY" not in page
    free = page_of(checked(), "number")
    assert "refused" not in free
    assert "not met" not in free
    assert "age, sex, the group numbers in number" in free


def test_the_page_has_a_picture_of_proximity_only_where_an_epsilon_was_given() -> None:
    assert page_of(checked(sensitive="pay")).count("<svg") == 3
    near = page_of(checked(sensitive="pay", epsilon="0.1", delta="0.5"))
    assert near.count("<svg") == 4
    assert "above 0.5" in near


def test_the_page_names_the_quasi_identifiers_that_single_people_out() -> None:
    """Only the one of 30 is alone, and the age alone tells."""
    result = checked()
    assert result.special_uniques is not None
    assert dict(result.special_uniques.sets) == {("age",): 1}
    assert ">age<" in page_of(result)


def test_a_page_may_be_written_again_and_an_empty_file_filled(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    for before in (None, b"", PAGE_START + b"<p>an older page"):
        if before is not None:
            page.write_bytes(before)
        write_page(page, PAGE_START.decode() + "<p>β")
        assert page.read_text(encoding="utf-8") == "<!DOCTYPE html><p>β"


@pytest.mark.parametrize("content", [b"age,sex\nCANARY,f\n", b"<!doctype", b" <!DOCTYPE html>"])
def test_nothing_else_is_written_over(tmp_path: Path, content: bytes) -> None:
    table = tmp_path / "people.csv"
    table.write_bytes(content)
    for act in (lambda: require_place(table), lambda: write_page(table, "<!DOCTYPE html>")):
        with pytest.raises(InputRejected, match="is not a headgate report") as caught:
            act()
        assert (caught.value.code, "CANARY" in str(caught.value)) == (2, False)
        assert "Name another file" in caught.value.cure
    assert table.read_bytes() == content


def test_a_place_where_no_file_can_be_is_named_with_its_reason(tmp_path: Path) -> None:
    """`advise --report` into a folder that does not exist was refused only after all settings had been tried."""
    (tmp_path / "file").write_text("")
    for place in (tmp_path, tmp_path / "nowhere" / "report.html", tmp_path / "file" / "report.html"):
        for act in (lambda: require_place(place), lambda: write_page(place, "<!DOCTYPE html>")):  # noqa: B023 - called here
            with pytest.raises(InputRejected, match="cannot be written") as caught:
                act()
            assert str(place) in caught.value.message
            assert "a folder that can be written" in caught.value.cure
