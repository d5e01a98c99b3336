"""Before and after by somebody who does not exist."""

from __future__ import annotations

import numpy as np
import pandas as pd

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.published_form.published_table import publish_form
from policies.sealed.promise import Promise, QuasiIdentifier, SensitiveAttribute
from tasks.reporting.candidate_page.invented_person import invented_person

AGES, EYES = [20, 29, 40, 49, 41], ["blue", "blue", "brown", "green", None]
PROMISE = Promise(
    requirements=(),
    quasi=(
        QuasiIdentifier(name="age", kind=Kind.INTEGER, domain=(0, 99)),
        QuasiIdentifier(name="eye", kind=Kind.CATEGORY, values=("blue", "brown", "green")),
    ),
    sensitive=(SensitiveAttribute(name="job", kind=Kind.CATEGORY),),
)


def test_the_commonest_cells_are_shown_with_the_middle_of_what_they_cover() -> None:
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 99)),
        "eye": ColumnSpec("eye", Kind.CATEGORY, Role.QUASI),
        "job": ColumnSpec("job", Kind.CATEGORY, Role.SENSITIVE),
    }
    frame = pd.DataFrame({"age": AGES, "eye": EYES, "job": list("abcde")})
    table = encode_table(frame, specs)
    example = invented_person(publish_form(table, np.array([0, 0, 1, 1, 1]), "table-1", table.sensitive), PROMISE)
    assert example is not None
    assert (example.columns, example.people) == (("age", "eye"), 3)
    assert example.published[0] == "[40..49]"
    assert example.invented == ("44", "green")  # the middle of a cell that covers brown, green and nothing


def test_coarse_cells_show_more_than_exact_ones_though_more_rows_have_these() -> None:
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 99)),
        "eye": ColumnSpec("eye", Kind.CATEGORY, Role.QUASI),
        "job": ColumnSpec("job", Kind.CATEGORY, Role.SENSITIVE),
    }
    frame = pd.DataFrame({"age": [30, 30, 30, 50, 59], "eye": ["blue"] * 5, "job": list("abcde")})
    table = encode_table(frame, specs)
    example = invented_person(publish_form(table, np.array([0, 0, 0, 1, 1]), "table-1", table.sensitive), PROMISE)
    assert example is not None
    assert (example.published, example.invented, example.people) == (("[50..59]", "blue"), ("54", "blue"), 2)
