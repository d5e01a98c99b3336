"""Lines of a CSV by the numbers of its rows."""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from tasks.reading.csv_lines import lines_of_rows, uneven_lines
from tasks.reading.source_csv import open_csv_bytes

CELLS = st.text(alphabet='ab,"\n\r é', max_size=6)


@given(
    rows=st.lists(st.tuples(st.integers(0, 99).map(str), CELLS), min_size=1, max_size=8),
    blank=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_the_line_of_a_row_is_where_it_begins(rows: list[tuple[str, str]], blank: bool, end: str) -> None:
    text, starts = "", []
    for cells in [("k", "v"), *rows]:
        written = io.StringIO()
        csv.writer(written, lineterminator=end, quoting=csv.QUOTE_ALL).writerow(cells)
        starts.append(len((text + "|").splitlines()) if "\x0b" not in text else 0)
        text += written.getvalue() + (end if blank else "")
    content = text.encode()
    source = open_csv_bytes(content, "The table")
    assert source.read(["k"]).num_rows == len(rows)
    assert lines_of_rows(io.BytesIO(content), ",", range(len(rows))) == starts[1:]


def test_uneven_lines_are_those_with_another_number_of_fields() -> None:
    content = b'a,b\n1,2\n1\n"x\ny",2\n\n1,2,3\n1,2\n1\n'
    assert uneven_lines(io.BytesIO(content), ",", 2, 2) == [3, 7]
    assert uneven_lines(io.BytesIO(content), ",", 2, 9) == [3, 7, 9]


def test_a_text_that_cannot_be_followed_has_no_lines() -> None:
    content = b"a,b\n" + b"x" * 200_000 + b",1\n2,2\n"
    assert lines_of_rows(io.BytesIO(content), ",", [1]) is None
    assert uneven_lines(io.BytesIO(content), ",", 3, 3) == [1] or uneven_lines(io.BytesIO(content), ",", 2, 3) == []
