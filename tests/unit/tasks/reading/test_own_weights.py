"""What people themselves want weighed is joined person by person at ingestion; a wish that is missing or cannot be read is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headgate.core.columns import Role
from tasks.reading.ingest import ingest
from tasks.reading.own_weights import columns_read, preference_of

COST = {"form": "additive", "weights": {"income": 1}}


@pytest.fixture
def weighed(clinic):
    """A clinic in which sixty people weigh theirs; the table is written from its columns."""

    def make(cost, **columns):
        people = [row["patient_id"] for row in clinic.rows]
        columns = {"patient_id": people, **columns}
        header, rows = ",".join(columns), zip(*columns.values(), strict=True)
        (clinic.folder / "people.csv").write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
        clinic.policy["gates"]["disclosure"] = {"max": 99, "sensitivity": {**cost, "people": {"path": "people.csv", "key": "patient_id"}}}
        return clinic.load()

    return make


def test_each_person_is_weighed_by_what_is_listed_for_them_in_whatever_order(weighed, clinic):
    rng = np.random.default_rng(3)
    order = rng.permutation(60)
    people = [clinic.rows[row]["patient_id"] for row in order]
    loaded = weighed(COST, patient_id=people, all=[f"{row}.5" for row in order], income=[row * 2 for row in order])
    own = ingest(loaded).own
    assert own.everything.tolist() == [row + 0.5 for row in range(60)]
    assert {name: numbers.tolist() for name, numbers in own.each.items()} == {"income": [row * 2.0 for row in range(60)]}


def test_people_who_are_no_part_of_the_source_do_not_matter(weighed, clinic):
    people = ["CANARY-stranger", *(row["patient_id"] for row in clinic.rows)]
    own = ingest(weighed(COST, patient_id=people, all=range(61))).own
    assert own.everything.tolist() == [row + 1.0 for row in range(60)]


def test_an_infinite_wish_is_one_and_a_set_can_be_weighed(weighed):
    own = ingest(weighed({"form": "additive"}, diagnosis=[".inf", "inf", " .inf ", "0"] * 15)).own
    assert own.everything is None
    assert own.each["diagnosis"].tolist() == [math.inf, math.inf, math.inf, 0.0] * 15


BAD = [
    ({"all": [-1] + [1] * 59}, ["'all' of the table of weights people.csv", "missing, negative or not a number in 1 row"], "from 0 up"),
    ({"all": ["nan"] * 2 + [1] * 58}, ["not a number in 2 rows"], "from 0 up"),
    ({"all": [""] * 3 + [1] * 57}, ["not a number in 3 rows"], "from 0 up"),
    ({"all": ["CANARY"] + [1] * 59}, ["not a number in 1 row"], "from 0 up"),
    ({"all": ["-.inf"] + ["-inf"] + [1] * 58}, ["not a number in 2 rows"], "from 0 up"),
    ({"incom": [1] * 60}, ["'incom', which is not a published attribute"], "'all' for a factor"),
    ({"notes": [1] * 60}, ["'notes', which is not a published attribute"], "published attributes"),
    ({}, ["people.csv has no weights"], "Add a column"),
    ({"patient_id": ["CANARY"] * 60, "all": [1] * 60}, ["0 missing and 59 repeated cells in 'patient_id'"], "exactly one row per person"),
    ({"patient_id": [""] + [f"x{row}" for row in range(59)], "all": [1] * 60}, ["1 missing and 0 repeated"], "exactly one row per person"),
    ({"patient_id": [f"CANARY-{row}" for row in range(60)], "all": [1] * 60}, ["lacks 60 of the 60 people"], "List everybody once"),
]


@pytest.mark.parametrize(("columns", "phrases", "cure"), BAD)
def test_a_table_of_wishes_that_cannot_be_used_is_refused(weighed, refusal, columns, phrases, cure):
    loaded = weighed(COST, **columns)
    problem = refusal(lambda: ingest(loaded))
    for phrase in phrases:
        assert phrase in problem.message
    assert cure in problem.cure


def test_a_blank_behind_a_persons_key_makes_no_other_person(weighed, clinic, refusal):
    people = [row["patient_id"] for row in clinic.rows]
    assert ingest(weighed(COST, patient_id=[f" {who} " for who in people], all=range(60))).own.everything.tolist() == list(range(60))
    loaded = weighed(COST, patient_id=[*people, people[0] + " "], all=[1] * 61)
    assert "0 missing and 1 repeated cells" in refusal(lambda: ingest(loaded)).message


def test_of_a_table_without_a_header_no_wish_is_shown(weighed, clinic, refusal):
    """The first person and the wish stood in the message, and so in Prefect's database."""
    weighed(COST, all=[1] * 60)
    (clinic.folder / "people.csv").write_text("CANARY-person,CANARY-wish,2\np2,3,4\n")
    loaded = clinic.load()
    problem = refusal(lambda: ingest(loaded))
    assert "the first line must name the columns" in problem.cure
    assert "CANARY" not in problem.message + problem.cure


def test_one_person_who_is_not_listed_is_one_too_many(weighed, clinic, refusal):
    people = [row["patient_id"] for row in clinic.rows[1:]]
    loaded = weighed(COST, patient_id=people, all=[1] * 59)
    assert "lacks 1 of the 60 people" in refusal(lambda: ingest(loaded)).message


def test_a_table_without_its_key_or_without_rows_is_refused(weighed, clinic, refusal):
    loaded = weighed(COST, all=[1] * 60)
    (clinic.folder / "people.csv").write_text("patient_id,all\n")
    loaded = clinic.load()
    assert "a header and no rows" in refusal(lambda: ingest(loaded)).message
    (clinic.folder / "people.csv").write_text("patient,all\nCANARY,1\n")
    loaded = clinic.load()
    problem = refusal(lambda: ingest(loaded))
    assert "people.csv has no column 'patient_id'" in problem.message
    assert "Did you mean 'patient'?" in problem.cure


def test_what_would_weigh_nothing_at_all_is_refused(weighed, refusal):
    """A factor on no weights gave every record a cost of nothing, and let any table pass."""
    loaded = weighed({"form": "additive"}, all=[5] * 60)
    problem = refusal(lambda: ingest(loaded))
    assert "a factor on all weights, but no weights are given" in problem.message
    pairs = {"form": "interactions", "pairs": [{"of": ["age", "income"], "weight": 1}]}
    assert ingest(weighed(pairs, all=[5] * 60)).own.everything.tolist() == [5.0] * 60


def test_form_count_needs_a_weight_a_person_and_no_other(weighed, refusal):
    loaded = weighed({"form": "count"}, income=[1] * 60)
    assert "no column 'all'" in refusal(lambda: ingest(loaded)).message
    loaded = weighed({"form": "count"}, all=[1] * 60, income=[1] * 60)
    assert "weighs 'income', but form count weighs no attribute" in refusal(lambda: ingest(loaded)).message
    assert ingest(weighed({"form": "count"}, all=[2] * 60)).own.everything.tolist() == [2.0] * 60


def test_a_preference_is_read_from_its_dropped_column_and_goes_no_further(clinic):
    for place, row in enumerate(clinic.rows):
        row["notes"] = str(place / 2)
    clinic.write_source(_csv(clinic.rows))
    clinic.policy["gates"]["disclosure"] = {"max": 99, "sensitivity": {**COST, "preference": "notes"}}
    loaded = clinic.load()
    ingested = ingest(loaded)
    assert ingested.own.everything.tolist() == [place / 2 for place in range(60)]
    assert (dict(ingested.own.each), preference_of(loaded.policy), columns_read(loaded.policy)) == ({}, "notes", ("notes",))
    assert "notes" not in ingested.table.columns
    assert "notes" not in ingested.cells.columns
    assert "notes" not in ingested.specs or ingested.specs["notes"].role is Role.DROPPED


@pytest.mark.parametrize("cell", ["", "CANARY", "-1", "nan"])
def test_a_preference_that_is_missing_or_no_number_is_refused(clinic, refusal, cell):
    for row in clinic.rows:
        row["notes"] = "1"
    clinic.rows[7]["notes"] = cell
    clinic.write_source(_csv(clinic.rows))
    clinic.policy["gates"]["disclosure"] = {"max": 99, "sensitivity": {**COST, "preference": "notes"}}
    loaded = clinic.load()
    problem = refusal(lambda: ingest(loaded))
    assert "'notes' of the source clinic.csv is missing, negative or not a number in 1 row" in problem.message


def test_where_nobody_is_asked_nothing_is_read(clinic):
    assert ingest(clinic.load()).own is None
    clinic.policy["gates"]["disclosure"] = {"max": 99, "sensitivity": COST}
    loaded = clinic.load()
    assert (ingest(loaded).own, preference_of(loaded.policy), columns_read(loaded.policy)) == (None, None, ())


def _csv(rows):
    return "\n".join([",".join(rows[0]), *(",".join(row.values()) for row in rows)]).encode() + b"\n"
