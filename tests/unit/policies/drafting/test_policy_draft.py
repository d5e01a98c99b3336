"""`headgate init` drafts a policy that reads, and that nobody can release unread."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.errors import InputRejected, PolicyInvalid
from policies.drafting.policy_draft import dataset_name, draft_policy
from policies.drafting.table_profile import ColumnProfile, Form, Meaning, TableProfile
from policies.schema.loading import parse_policy
from policies.schema.policy import require_ready
from policies.words.unseen import unseen_in

COLUMNS = (
    ColumnProfile("patient_id", "text", 1000, 1000, meaning=Meaning.ID),
    ColumnProfile("age", "integer", 80, 1000, 0.0, 0, 99, meaning=Meaning.AGE),
    ColumnProfile("zipCode", "text", 50, 1000, 0.1, meaning=Meaning.POSTAL_CODE),
    ColumnProfile("income", "number", 900, 1000, 0.02, -1500.5, 48231.7, meaning=Meaning.INCOME),
    ColumnProfile("remarks", "text", 990, 1000, meaning=Meaning.FREE_TEXT),
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
        "blood": Role.DROPPED,  # not recognized: as sensitive it would be published as it is
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
        COLUMNS[3],
        ColumnProfile("ward", "text", 1, 1000),
        ColumnProfile("diagnosis", "text", 1, 1000, meaning=Meaning.DIAGNOSIS),
        ColumnProfile("empty", "text", 0, 1000, 1.0),
        ColumnProfile("relapse", "text", 1, 1000, 0.4, meaning=Meaning.DIAGNOSIS),
    )
    attributes = parse_policy(draft_policy(TableProfile("t.csv", columns)), "draft.yaml").attributes
    assert [attributes[name].role for name in ("ward", "diagnosis", "empty", "relapse")] == [*[Role.DROPPED] * 3, Role.SENSITIVE]
    assert all(attributes[name].guess for name in ("ward", "diagnosis", "empty"))


@pytest.mark.parametrize(
    ("column", "domain"),
    [
        (COLUMNS[3], ["-2000", "49000"]),
        (ColumnProfile("age", "integer", 80, 1000, 0.0, 6, 99), ["0", "100"]),
        (ColumnProfile("height", "integer", 80, 1000, 0.0, 143, 204), ["140", "210"]),
        (ColumnProfile("grade", "integer", 5, 1000, 0.0, 1, 5), ["1", "5"]),
        (ColumnProfile("born", "date", 80, 1000, 0.0, -16345, 17000, meaning=Meaning.BIRTH_DATE), ["1920-01-01", "2019-12-31"]),
        (ColumnProfile("born", "date", 80, 1000, 0.0, -719162, 2932896, meaning=Meaning.BIRTH_DATE), ["0001-01-01", "9999-12-31"]),
        (ColumnProfile("admitted", "date", 80, 1000, 0.0, 19732, 20053), ["2024-01-01", "2024-12-31"]),
    ],
)
def test_ends_of_a_domain_are_rounded_outwards_so_that_they_are_nobodys(column: ColumnProfile, domain: list[str]) -> None:
    columns = (ColumnProfile("sex", "text", 2, 1000, meaning=Meaning.SEX), ColumnProfile("dx", "text", 9, 1000, meaning=Meaning.DIAGNOSIS))
    known = column if column.meaning or column.dtype == "date" else replace(column, meaning=Meaning.AGE)
    drafted = parse_policy(draft_policy(TableProfile("t.csv", (*columns, known))), "draft.yaml").attributes[column.name].domain
    assert drafted is not None
    assert [str(end) for end in drafted] == domain


def test_a_confirmed_draft_is_ready() -> None:
    text = draft_policy(TableProfile("t.csv", COLUMNS)).replace("draft: true\n", "").replace(", guess: true", "")
    require_ready(parse_policy(text, "draft.yaml"))


def test_a_table_that_cannot_hold_both_roles_is_refused() -> None:
    for columns in ((), COLUMNS[:1], (COLUMNS[1], COLUMNS[1])):
        with pytest.raises(InputRejected):
            draft_policy(TableProfile("t.csv", columns))


SEEN = st.characters(exclude_categories=["Cs"]).filter(lambda sign: not unseen_in(sign))


def test_names_that_nobody_sees_whole_are_refused_by_their_place() -> None:
    def profile(path: str, name: str) -> TableProfile:
        return TableProfile(path, (ColumnProfile("age", "integer", 5, 9, 0.0), ColumnProfile(name, "text", 5, 9, 0.0)))

    draft_policy(profile("t.csv", "town"))
    with pytest.raises(InputRejected, match=r"The name of column 2 has U\+200B"):
        draft_policy(profile("t.csv", "to\u200bwn"))
    with pytest.raises(InputRejected, match=r"The path of the table has U\+202E"):
        draft_policy(profile("t\u202e.csv", "town"))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.builds(
            ColumnProfile,
            name=st.text(SEEN, min_size=1, max_size=12).filter(lambda name: name.strip() != ""),
            dtype=st.sampled_from(["number", "integer", "date", "text"]),
            distinct=st.integers(0, 100),
            rows=st.integers(100, 200),
            missing_share=st.floats(0, 1),
            least=st.none() | st.floats(-1e9, 0),
            greatest=st.none() | st.floats(0, 1e9),
            meaning=st.none() | st.sampled_from(list(Meaning)),
            form=st.none() | st.sampled_from(list(Form)),
            tail=st.none() | st.floats(5, 100),
            step=st.none() | st.integers(1, 10**6).map(float),
        ),
        min_size=2,
        max_size=6,
        unique_by=lambda column: column.name,
    ),
    st.text(SEEN, min_size=1, max_size=20).filter(lambda path: path.strip() != ""),
)
def test_every_draft_reads_with_every_column_under_its_own_name(columns: list[ColumnProfile], path: str) -> None:
    try:
        text = draft_policy(TableProfile(path, tuple(columns)))
    except InputRejected:
        event("nothing in it can be published")
        return
    policy = parse_policy(text, "draft.yaml")
    assert list(policy.attributes) == [column.name for column in columns]
    assert policy.source.path == path  # type: ignore[union-attr]
    assert policy.dataset == dataset_name(path)


@pytest.mark.parametrize(("share", "said"), [(0.0, "8 distinct values. "), (0.002, "less than 1% missing"), (0.01, ", 1% missing")])
def test_a_draft_never_says_that_no_cell_is_missing_where_one_is(share: float, said: str) -> None:
    """One missing cell of 500 was told as "0% missing"."""
    columns = (*COLUMNS[:2], COLUMNS[3], ColumnProfile("blood", "text", 8, 500, share))
    line = next(line for line in draft_policy(TableProfile("t.csv", columns)).splitlines() if "8 distinct values" in line)
    assert said in line


def lines_above(name: str, *columns: ColumnProfile) -> str:
    """The comments on one attribute."""
    lines = draft_policy(TableProfile("t.csv", (*COLUMNS[:2], COLUMNS[3], *columns))).splitlines()
    last = next(number for number, line in enumerate(lines) if line.startswith(f"  {name}:"))
    first = next(number for number in range(last - 1, 0, -1) if not lines[number].startswith("  #   "))
    return "\n".join(lines[first:last])


def test_what_nobody_recognizes_says_how_it_would_be_published() -> None:
    above = lines_above("bilirubin", ColumnProfile("bilirubin", "number", 300, 1000, 0.0, 0.2, 22.5))
    assert "Not recognized, so it is not published." in above
    assert "To publish it as it is, in groups: {role: sensitive, kind: number, domain: [0, 30]}" in above


def test_a_sensitive_column_says_that_it_is_published_as_it_is_in_groups() -> None:
    above = lines_above("dx", ColumnProfile("dx", "text", 300, 1000, meaning=Meaning.DIAGNOSIS))
    assert "Nobody may learn it of a person. It is published as it is, in groups." in above


def test_many_different_numbers_are_drafted_rounded_and_a_long_tail_with_a_top() -> None:
    cost = ColumnProfile("cost", "number", 5000, 9000, 0.0, 0, 4e6, meaning=Meaning.AMOUNT, tail=40.2, step=500.0)
    above = lines_above("cost", cost)
    assert "The largest value is 40 times the 99th percentile" in above
    assert "publish_as rounds them" in above
    assert "publish_as makes the largest 0.5% one value (top)" in above
    assert published_as(cost) == {"round": "500", "top": "0.995"}
    assert published_as(replace(cost, tail=None)) == {"round": "500"}
    assert published_as(replace(cost, step=0.05)) == {"round": "0.05", "top": "0.995"}
    assert published_as(replace(cost, step=None, tail=None)) == {}
    fewer = replace(cost, rows=1999, distinct=1500)  # at least twice ten people lie beyond
    assert published_as(fewer) == {"round": "500", "top": "0.98"}
    few = replace(cost, rows=199, distinct=150)
    assert published_as(few) == {"round": "500"}
    assert "(top)" not in lines_above("cost", few)
    assert "too few people for a top by their share" in lines_above("cost", few)


def test_a_tail_among_the_visits_of_few_people_is_cut_by_their_number() -> None:
    """A share of the visits was taken for one of the people, of whom fewer than k then lay beyond it."""
    cost = ColumnProfile("cost", "number", 5000, 9000, 0.0, 0, 4e6, meaning=Meaning.AMOUNT, tail=40.2)
    patient = ColumnProfile("patient", "text", 2000, 9000, meaning=Meaning.ID)
    text = draft_policy(TableProfile("t.csv", (patient, *COLUMNS[1:4], cost), per="patient", varying=frozenset({"cost"})))
    declared = parse_policy(text, "draft.yaml").attributes["cost"].publish_as
    assert declared is not None
    assert declared.declared == {"top": "0.99"}


@pytest.mark.parametrize(("least", "said"), [(10.0, True), (0.0, False), (None, False)])
def test_ratios_are_offered_for_a_tail_above_0(least: float | None, said: bool) -> None:
    cost = ColumnProfile("cost", "number", 900, 9000, 0.0, least, 4e6, meaning=Meaning.AMOUNT, tail=40.2)
    assert ("scale: log compares by ratios" in lines_above("cost", cost)) is said


def test_a_weight_of_which_nobody_knows_the_meaning_says_how_each_would_be_declared() -> None:
    """ "Gewicht" was dropped, and nothing told how to publish it."""
    weight = ColumnProfile("Gewicht", "number", 900, 1000, 0.0, 41.5, 140.0, meaning=Meaning.WEIGHT)
    above = lines_above("Gewicht", weight)
    assert "how many people a row stands for: {role: weight, kind: number, publish_as: {round: 2}}" in above
    assert "what a body weighs: {role: sensitive, kind: number, domain: [40, 140]}" in above
    missing = lines_above("Gewicht", replace(weight, missing_share=0.1))
    assert "role: weight," not in missing
    assert "what a body weighs: {role: sensitive" in missing
    assert "Is 'Gewicht' what a body weighs" in draft_policy(TableProfile("t.csv", (*COLUMNS[:4], weight)))


def published_as(column: ColumnProfile) -> dict[str, str]:
    policy = parse_policy(draft_policy(TableProfile("t.csv", (*COLUMNS[:2], COLUMNS[3], column))), "draft.yaml")
    declared = policy.attributes[column.name].publish_as
    return {} if declared is None else declared.declared


def test_what_is_dropped_is_not_told_how_to_be_written() -> None:
    said = "The numbers have a decimal comma."
    assert said not in lines_above("tel", ColumnProfile("tel", "number", 90, 1000, almost=said, meaning=Meaning.PHONE))
    assert said in lines_above("cost", ColumnProfile("cost", "number", 90, 1000, almost=said, meaning=Meaning.AMOUNT))


def test_the_first_thing_to_look_at_stands_before_the_attributes() -> None:
    columns = (*COLUMNS[:2], COLUMNS[3], ColumnProfile("born", "date", 900, 1000, meaning=Meaning.BIRTH_DATE))
    text = draft_policy(TableProfile("t.csv", columns))
    assert "# Look at this first:\n#   - 'born' and 'age' tell the same." in text
    assert "Look at this first" not in draft_policy(TableProfile("t.csv", columns[:3]))


@pytest.mark.parametrize(
    ("dtype", "least", "greatest", "step"),
    [
        ("number", 41.7, 41_700, "2"),
        ("number", 0.31, 310, "0.02"),
        ("integer", 3.0, 3000, "1"),
        ("integer", 250.0, 9999, "20"),
        ("number", 1.5, 4000.0, "1"),  # tenths of thousands of people were drafted
        ("number", 1.5, 40.0, "0.1"),
    ],
)
def test_a_weight_is_drafted_rounded_so_that_none_becomes_0(dtype: str, least: float, greatest: float, step: str) -> None:
    column = ColumnProfile("wgt", dtype, 900, 1000, least=least, greatest=greatest, meaning=Meaning.SAMPLING_WEIGHT)
    assert published_as(column) == {"round": step}


def test_a_household_is_drafted_with_what_it_does() -> None:
    home = ColumnProfile("hh_id", "text", 400, 1000, meaning=Meaning.HOUSEHOLD)
    assert "never published; k then counts households" in lines_above("hh_id", home)
