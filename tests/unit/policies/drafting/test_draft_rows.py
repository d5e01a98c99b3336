from __future__ import annotations

from dataclasses import replace

from policies.drafting.column_roles import guessed_roles
from policies.drafting.draft_rows import order_of, questions_of_order, repeated_identifier
from policies.drafting.policy_draft import draft_policy
from policies.drafting.table_profile import ColumnProfile, Meaning, TableProfile
from policies.schema.loading import parse_policy
from policies.schema.rows_key import Rule

COLUMNS = (
    ColumnProfile("patient id", "text", 40, 100, meaning=Meaning.ID),
    ColumnProfile("visit", "integer", 100, 100, least=1, greatest=100, meaning=Meaning.ID),
    ColumnProfile("sex", "text", 2, 100, meaning=Meaning.SEX),
    ColumnProfile("day", "date", 90, 100, least=19_000, greatest=19_900, meaning=Meaning.DATE),
    ColumnProfile("income", "number", 30, 100, least=0, greatest=900, meaning=Meaning.INCOME),
    ColumnProfile("diagnosis", "text", 9, 100, separator="|", meaning=Meaning.DIAGNOSIS),
    ColumnProfile("notes", "text", 99, 100, meaning=Meaning.FREE_TEXT),
)
VARYING = frozenset({"visit", "day", "income", "diagnosis", "notes"})
VISITS = TableProfile("visits.csv", COLUMNS, per="patient id", varying=VARYING)


def without(*names: str) -> TableProfile:
    return TableProfile("v.csv", tuple(c for c in COLUMNS if c.name not in names), per="patient id", varying=VARYING - {*names})


def test_a_draft_for_visits_makes_one_row_per_person() -> None:
    """It reads as a policy: every published column that differs has a rule, and a number of visits is no identifier."""
    text = draft_policy(VISITS)
    policy = parse_policy(text, "draft")
    assert policy.rows is not None
    assert (policy.rows.per, policy.rows.order) == ("patient id", ("day", "visit"))
    assert policy.rows.rules == dict.fromkeys(("day", "income", "diagnosis"), Rule.LAST)
    assert policy.attributes["visit"].role == "dropped"
    assert policy.attributes["patient id"].role == "identifier"
    assert "`rows` in the draft makes one row per" in text
    assert "union keeps all values, once its kind is set" in text


def test_without_days_or_numbers_of_rows_there_is_no_order_to_draft() -> None:
    policy = parse_policy(draft_policy(without("day", "visit")), "draft")
    assert policy.rows is not None
    assert (policy.rows.order, policy.rows.rules) == (None, {"income": Rule.MAX, "diagnosis": Rule.MODE})
    assert order_of(without("day")) == ("visit",)


def test_what_seems_to_number_people_is_the_identifier_with_the_fewest_values() -> None:
    found = repeated_identifier(COLUMNS)
    assert found is not None
    assert found.name == "patient id"
    assert repeated_identifier(COLUMNS[1:]) is None
    assert "rows:" not in draft_policy(TableProfile("v.csv", COLUMNS[1:]))


def asked(profile: TableProfile) -> str:
    return " ".join(questions_of_order(profile, guessed_roles(profile.columns)))


def test_what_decides_which_row_is_last_is_asked_and_not_guessed() -> None:
    """The first column of days was drafted as `order` without a word, also where it left people undecided and a release refused them."""
    end = ColumnProfile("discharged", "date", 90, 100, least=19_000, greatest=19_900, meaning=Meaning.DATE)
    both = replace(without("visit"), columns=(*without("visit").columns, end), varying=VARYING | {"discharged"})
    assert "takes 'day'; 'discharged' would do as well: choose." in asked(both)
    fewer = replace(both, tied={"day": 1203, "discharged": 1})
    assert order_of(fewer) == ("discharged",)
    assert "1 person has several rows with one 'discharged'." in asked(fewer)
    assert "1,203 people have several rows with one 'day'." in asked(replace(without("visit"), tied={"day": 1203}))
    assert asked(without("visit")) == ""
    assert "takes 'day'" in draft_policy(both)


def test_a_number_of_the_row_decides_between_rows_of_one_day() -> None:
    assert asked(replace(VISITS, tied={"day": 12})) == ""


def test_days_that_can_be_read_in_two_ways_give_no_order_and_that_is_said() -> None:
    unclear = tuple(replace(column, almost="…") if column.name == "day" else column for column in without("visit").columns)
    profile = replace(without("visit"), columns=unclear)
    assert order_of(profile) == ()
    assert "order: day lets rules be first and last" in asked(profile)
