from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tasks.rows.people import people_of, ranks

ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 2)), min_size=1, max_size=14)


@given(ROWS)
def test_people_are_numbered_by_their_first_rows(rows) -> None:
    people = people_of(np.array([person for person, _ in rows]))
    known = list(dict.fromkeys(person for person, _ in rows))
    assert people.of_row.tolist() == [known.index(person) for person, _ in rows]
    assert people.any_row(people.of_row).tolist() == [[person for person, _ in rows].index(person) for person in known]
    assert people.sizes().tolist() == [sum(person == other for other, _ in rows) for person in known]


@given(ROWS)
def test_people_vary_who_have_several_present_cells(rows) -> None:
    people, codes = people_of(np.array([person for person, _ in rows])), np.array([code for _, code in rows])
    cells = {person: {code for other, code in rows if other == person and code >= 0} for person, _ in rows}
    assert people.varying(codes) == sum(len(own) > 1 for own in cells.values())
    assert people.present(codes).tolist() == [sum(o == person and code >= 0 for o, code in rows) for person in cells]
    chosen = people.any_row(codes).tolist()
    assert [None if row < 0 else int(codes[row]) for row in chosen] == [
        next((code for other, code in rows if other == person and code >= 0), None) for person in cells
    ]


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=1, max_size=12))
def test_ranks_order_rows_by_the_first_key_then_by_the_next(rows) -> None:
    found = ranks([np.array(key) for key in zip(*rows, strict=True)])
    for place, row in enumerate(rows):
        assert (found[place] == -1) == (-1 in row)
        for other, beside in enumerate(rows):
            if -1 not in row and -1 not in beside:
                assert (found[place] < found[other]) == (row < beside)
