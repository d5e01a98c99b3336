"""What nobody sees, and what YAML could read in another way, is refused before anything is made of it."""

from __future__ import annotations

import re

import pytest

from policies.schema.loading import parse_policy
from tests.unit.policies.refused import refusal


@pytest.mark.parametrize(
    ("written", "point"),
    [(r"\u202e", "U+202E"), (r"\e[2J", "U+001B"), (r"\u200b", "U+200B"), (r"\n", "U+000A"), (r"\L", "U+2028"), (r"\U000E0041", "U+E0041")],
)
def test_what_nobody_sees_in_a_title_is_refused_with_its_code_point_and_line(small: str, written: str, point: str) -> None:
    told = refusal(small.replace("dataset:", f'title: "Patients{written} 2024"\ndataset:')).message
    assert f"line 2, title: found {point}" in told
    assert told.isprintable()


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("dataset:", "# approved by all \u202e\ndataset:", 2),
        ("dataset:", "title: Pa\u200btients\ndataset:", 2),
        ("publish:", '"pub\\u200blish":', 16),
        ("[flu, gout]", '[flu, "go\\u2066ut"]', 8),
    ],
)
def test_what_nobody_sees_is_refused_in_comments_keys_and_lists_too(small: str, old: str, new: str, line: int) -> None:
    assert re.search(rf"line {line}\b.*found U\+20", refusal(small.replace(old, new)).message)


def test_a_query_may_have_lines_and_a_separator_may_be_a_control_character(small: str) -> None:
    query = 'source: {kind: sql, url_env: REGISTER, query: "select *\\n\\tfrom people\\n"}'
    assert "\n\tfrom" in parse_policy(re.sub(r"source:.*", lambda _: query, small), "p.yaml").source.query
    separated = 'source: {kind: csv, path: p.csv, separator: "\\x1f"}'
    assert parse_policy(re.sub(r"source:.*", lambda _: separated, small), "p.yaml").source.separator == "\x1f"
