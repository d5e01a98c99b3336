"""`headgate init` drafts a policy that reads, and that nobody can release unread."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.errors import InputRejected, PolicyInvalid
from policies.schema.loading import parse_policy
from policies.schema.policy import require_ready
from policies.schema.policy_draft import ColumnProfile, TableProfile, dataset_name, draft_policy

COLUMNS = (
    ColumnProfile("patient_id", "text", 1000, 1000),
    ColumnProfile("age", "integer", 80, 1000, 0.0, 0, 99),
    ColumnProfile("zipCode", "text", 50, 1000, 0.1),
    ColumnProfile("income", "number", 900, 1000, 0.02, -1500.5, 48231.7),
    ColumnProfile("remarks", "text", 990, 1000),
    ColumnProfile("blood", "text", 8, 1000),
    ColumnProfile("group", "integer", 8, 1000),
)


def test_guesses_follow_names_and_types_and_are_all_marked() -> None:
    policy = parse_policy(draft_policy(TableProfile("data/clinic 2024.csv.gz", COLUMNS, separator=";")), "draft.yaml")
    roles = {name: attribute.role for name, attribute in policy.attributes.items()}
    assert roles == {
        "patient_id": Role.IDENTIFIER,
        "age": Role.QUASI,
        "zipCode": Role.QUASI,
        "income": Role.SENSITIVE,
        "remarks": Role.DROPPED,
        "blood": Role.SENSITIVE,  # not recognized: it will be published as it is, in groups; drop it if it tells who somebody is
        "group": Role.DROPPED,
    }
    assert policy.attributes["income"].kind is Kind.NUMBER
    assert all(attribute.guess for attribute in policy.attributes.values())
    assert policy.draft
    assert policy.dataset == "clinic-2024"
    with pytest.raises(PolicyInvalid, match="draft"):
        require_ready(policy)


def test_what_says_the_same_of_everybody_is_dropped_whatever_its_name() -> None:
    """A constant tells nothing apart, but published it says something of everybody; with missing cells it is no constant."""
    columns = (
        *COLUMNS[:2],
        COLUMNS[5],
        ColumnProfile("ward", "text", 1, 1000),
        ColumnProfile("diagnosis", "text", 1, 1000),
        ColumnProfile("empty", "text", 0, 1000, 1.0),
        ColumnProfile("relapse", "text", 1, 1000, 0.4),
    )
    attributes = parse_policy(draft_policy(TableProfile("t.csv", columns)), "draft.yaml").attributes
    assert [attributes[name].role for name in ("ward", "diagnosis", "empty", "relapse")] == [*[Role.DROPPED] * 3, Role.SENSITIVE]
    assert all(attributes[name].guess for name in ("ward", "diagnosis", "empty"))


def test_ends_of_a_domain_are_rounded_outwards_so_that_they_are_nobodys() -> None:
    domain = parse_policy(draft_policy(TableProfile("t.csv", COLUMNS)), "draft.yaml").attributes["income"].domain
    assert domain is not None
    assert [int(str(end)) for end in domain] == [-2000, 49000]


def test_a_confirmed_draft_is_ready() -> None:
    text = draft_policy(TableProfile("t.csv", COLUMNS)).replace("draft: true\n", "").replace(", guess: true", "")
    require_ready(parse_policy(text, "draft.yaml"))


def test_a_table_that_cannot_hold_both_roles_is_refused() -> None:
    for columns in ((), COLUMNS[:1], (COLUMNS[1], COLUMNS[1])):
        with pytest.raises(InputRejected):
            draft_policy(TableProfile("t.csv", columns))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.builds(
            ColumnProfile,
            name=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(lambda name: name.strip() != ""),
            dtype=st.sampled_from(["number", "integer", "date", "text"]),
            distinct=st.integers(0, 100),
            rows=st.integers(100, 200),
            missing_share=st.floats(0, 1),
            least=st.none() | st.floats(-1e9, 0),
            greatest=st.none() | st.floats(0, 1e9),
        ),
        min_size=2,
        max_size=6,
        unique_by=lambda column: column.name,
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=20).filter(
        lambda path: path.strip() != ""
    ),
)
def test_every_draft_reads_with_every_column_under_its_own_name(columns: list[ColumnProfile], path: str) -> None:
    policy = parse_policy(draft_policy(TableProfile(path, tuple(columns))), "draft.yaml")
    assert list(policy.attributes) == [column.name for column in columns]
    assert policy.source.path == path  # type: ignore[union-attr]
    assert policy.dataset == dataset_name(path)


@pytest.mark.parametrize(("share", "said"), [(0.0, "8 distinct values: "), (0.002, "less than 1% missing"), (0.01, ", 1% missing")])
def test_a_draft_never_says_that_no_cell_is_missing_where_one_is(share: float, said: str) -> None:
    """One missing cell of 500 was told as "0% missing"."""
    columns = (*COLUMNS[:2], ColumnProfile("blood", "text", 8, 500, share))
    line = next(line for line in draft_policy(TableProfile("t.csv", columns)).splitlines() if "8 distinct values" in line)
    assert said in line
