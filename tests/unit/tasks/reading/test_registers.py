"""What attackers may hold, as files and queries: whatever is wrong with it is refused by the dictionary's name, with a cure and no cell."""

from __future__ import annotations

import sqlite3

import numpy as np
import pandas as pd
import pytest

from headgate.core.errors import StoreUnavailable
from headgate.risk.candidates.marginals import Marginals
from tasks.reading.dictionaries import encode_dictionaries
from tasks.reading.ingest import ingest

PRIVATE = "CANARY"


@pytest.fixture
def held(clinic):
    """A clinic whose gate names one dictionary; what it is and holds is the test's."""

    def make(dictionary, content=None, file="held.csv"):
        clinic.policy["gates"]["disclosure"] = {"max": 1, "dictionaries": [dictionary]}
        if content is not None:
            (clinic.folder / file).write_text(content)
        return clinic.load

    return make


def encoded(load):
    loaded = load()
    return encode_dictionaries(loaded, ingest(loaded).table)


PERSONS = "patient_id,years,sex\np1,20,male\np2,,female\np3,999,CANARY-sex\n"
REGISTER = {"path": "held.csv", "on": {"age": "years", "sex": "sex"}}


def test_a_register_is_encoded_under_the_policys_names_and_may_go_beyond_them(held):
    found = encoded(held(REGISTER, PERSONS))
    columns = found.encoded["held.csv"]
    assert list(columns) == ["age", "sex"]
    assert columns["age"].values.tolist() == [20, 999]
    assert columns["age"].codes.tolist() == [0, -1, 1]
    assert (found.keys["held.csv"].name, found.keys["held.csv"].texts.tolist()) == ("patient_id", ["p1", "p2", "p3"])


def test_a_parquet_register_is_the_same_register(held, clinic):
    frame = pd.DataFrame({"years": [20, None, 999], "sex": ["male", "female", "other"], "number": [7, 8, 9]})
    frame.to_parquet(clinic.folder / "held.parquet")
    found = encoded(held({**REGISTER, "path": "held.parquet", "key": "number", "name": "voters"}))
    assert found.encoded["voters"]["age"].codes.tolist() == [0, -1, 1]
    assert found.keys["voters"].texts.tolist() == ["7", "8", "9"]


def test_without_a_key_nobody_in_particular_is_in_it(held):
    assert encoded(held(REGISTER, "years,sex\n20,male\n20,male\n")).keys == {}


# What a register says that it cannot mean.
BAD = [
    ("age,sex\n20,male\n", {}, ["held.csv", "no column 'years'"], "It has: age."),
    ("year,sex\n20,male\n", {}, ["no column 'years'"], "Did you mean 'year'?"),
    ("years,sex\n20,male\n", {"key": "number"}, ["no column 'number'"], "It has"),
    (
        "patient_id,years,sex\nCANARY,20,male\nCANARY,21,male\n",
        {},
        ["held.csv", "0 missing and 1 repeated cells in 'patient_id'"],
        "one row per person",
    ),
    (
        "patient_id,years,sex\nCANARY,20,male\n,21,male\n",
        {},
        ["1 missing and 0 repeated cells in 'patient_id'"],
        "one row per person",
    ),
    ("number,years,sex\nCANARY,20,male\nCANARY,21,male\n", {"key": "number"}, ["cells in 'number'"], "one row per person"),
    ("years,sex\n", {}, ["held.csv", "a header and no rows"], "at least one person"),
    ("", {}, ["held.csv", "is empty"], "header"),
    ("years,years,sex\n20,20,male\n", {}, ["Columns 1 and 2", "the same name"], "Rename"),
    ("years,sex\nCANARY,male\n", {}, ["held.csv", "1 cell of 'age' is not a number (in row 1 of the data)"], "kind: category"),
    ("years,sex\n20.5,male\n", {}, ["held.csv", "1 cell of 'age' has a fraction"], "kind: number"),
    ("years,sex\ninf,male\n", {}, ["held.csv", "infinite"], "finite"),
    ("years,sex\n20,male,CANARY\n", {}, ["held.csv", "1 line does not have the 2 fields"], "separator"),
]


@pytest.mark.parametrize(("content", "more", "phrases", "cure"), BAD, ids=[case[0][:40].replace("\n", "|") for case in BAD])
def test_a_register_that_cannot_be_used_is_refused_by_name(held, refusal, content, more, phrases, cure):
    load = held({**REGISTER, **more}, content)
    problem = refusal(lambda: encoded(load))
    for phrase in phrases:
        assert phrase in problem.message
    assert cure in problem.cure
    assert "held.csv" in problem.message


def test_a_register_may_be_written_in_other_signs(held, clinic):
    content = "years;sex\n20;male\n20;weiblich ä\n".encode("latin-1")
    (clinic.folder / "held.csv").write_bytes(content)
    found = encoded(held({**REGISTER, "separator": ";", "encoding": "latin-1"}))
    assert found.encoded["held.csv"]["sex"].values[-1] == "weiblich ä"


def test_people_listed_twice_are_refused_even_with_a_blank_behind_their_key(held, refusal):
    """Everybody stood there as p1 and as "p1 ", so that each hid among twice as many."""
    problem = refusal(lambda: encoded(held(REGISTER, 'patient_id,years,sex\np1,20,male\n"p1 ",20,male\n')))
    assert "0 missing and 1 repeated cells in 'patient_id'" in problem.message


def test_a_field_of_which_no_value_is_released_is_refused(held, refusal):
    """A register with codes where the release has words found nobody, and so passed every bound."""
    problem = refusal(lambda: encoded(held(REGISTER, "patient_id,years,sex\np1,20,1\np2,21,2\n")))
    assert "held.csv: No value of 'sex' is one of 'sex' in the release" in problem.message
    assert "after `map`" in problem.cure
    assert encoded(held(REGISTER, "patient_id,years,sex\np1,20,1\np2,21,male\n")).encoded["held.csv"]


def test_what_a_register_may_not_do_is_not_its_cure(held, refusal):
    """The cure was to declare `decimal` in the policy, which registers are not read by."""
    problem = refusal(lambda: encoded(held(REGISTER, 'patient_id,years,sex\np1,"20,5",male\n')))
    assert problem.cure.startswith("A register is read as it stands")


def test_a_field_without_a_single_cell_is_refused(held, refusal):
    """A broken export fitted everybody and so passed every bound."""
    problem = refusal(lambda: encoded(held(REGISTER, "patient_id,years,sex\np1,,male\np2,,female\n")))
    assert "held.csv: Column 'years' has only empty cells" in problem.message
    assert "leave it out" in problem.cure


@pytest.mark.parametrize("dictionary", [REGISTER, {"marginals": "held.csv", "on": ["age"]}])
def test_of_a_file_without_a_header_no_cell_is_shown(held, refusal, dictionary):
    """Its first line is somebody's: it stood in the message."""
    problem = refusal(lambda: encoded(held(dictionary, "CANARY-1,CANARY,CANARY-3\np2,,female\n")))
    assert "the first line must name the columns" in problem.cure
    assert PRIVATE not in problem.message + problem.cure


# Frequency tables.
TABLES = "field,value,count\nyears,20,30\nyears,,10\nsex,male,25\nsex,CANARY-sex,15\nplace,CANARY,few\n"
MARGINALS = {"marginals": "held.csv", "on": {"age": "years", "sex": "sex"}}


def test_frequency_tables_are_read_under_the_policys_names_and_others_play_no_part(held):
    found = encoded(held(MARGINALS, TABLES))
    tables = found.encoded["held.csv"]
    assert isinstance(tables, Marginals)
    assert tables.individuals == 40
    assert sorted(tables.columns) == ["age", "sex"]
    assert tables.counts["age"].tolist() == [30, 10]
    assert found.keys == {}


BAD_TABLES = [
    ("field,value\nyears,20\n", {}, ["no column 'count'"], "It has"),
    ("name,value,count\nyears,20,1\n", {}, ["no column 'field'"], "It has"),
    ("field,label,count\nyears,20,1\n", {}, ["no column 'value'"], "It has"),
    ("field,value,count\n", {}, ["a header and no rows"], "at least"),
    (TABLES.replace("30", "-30"), {}, ["1 counts", "not whole numbers from 0 up"], "Correct"),
    (TABLES.replace("30", "30.5"), {}, ["1 counts", "not whole numbers from 0 up"], "Correct"),
    (TABLES.replace("30", "nan"), {}, ["1 counts"], "Correct"),
    (TABLES.replace("30", "inf"), {}, ["1 counts"], "Correct"),
    (TABLES.replace(",30", ","), {}, ["1 counts"], "Correct"),
    (TABLES.replace(",30", ",CANARY"), {}, ["1 counts"], "Correct"),
    (TABLES.replace("30", "9007199254740994"), {}, ["1 counts"], "Correct"),
    (TABLES.replace("30", "31"), {}, ["do not count the same number of people"], "how many individuals"),
    (TABLES.replace("years", "age"), {}, ["'age' has no frequency table"], "leave the field out"),
    (TABLES.replace("20,30", "0,0").replace(",,10", ",1,0"), {"individuals": 9}, ["'age' counts nobody"], "Leave the field out"),
    (TABLES.replace("years,,10", "years,20,10"), {}, ["lists a value twice"], "one row per value"),
    (TABLES.replace("years,20,", "years,CANARY,"), {}, ["1 cell of 'age' is not a number"], "kind: category"),
]


@pytest.mark.parametrize(("content", "more", "phrases", "cure"), BAD_TABLES)
def test_frequency_tables_that_cannot_be_used_are_refused_by_name(held, refusal, content, more, phrases, cure):
    load = held({**MARGINALS, **more}, content)
    problem = refusal(lambda: encoded(load))
    for phrase in phrases:
        assert phrase in problem.message
    assert cure in problem.cure
    assert "held.csv" in problem.message


def test_totals_that_disagree_are_cured_by_saying_how_many_people_there_are(held):
    tables = encoded(held({**MARGINALS, "individuals": 1000}, TABLES.replace("30", "31"))).encoded["held.csv"]
    assert isinstance(tables, Marginals)
    assert tables.individuals == 1000


def test_a_name_takes_the_place_of_the_file_among_several(held, clinic):
    (clinic.folder / "other.csv").write_text("years,sex\n30,female\n")
    load = held({**REGISTER, "name": "voters"}, PERSONS)
    clinic.policy["gates"]["disclosure"]["dictionaries"] += [{**REGISTER, "path": "other.csv"}, {"source": True}]
    found = encoded(load)
    assert list(found.encoded) == ["voters", "other.csv"]
    assert list(found.keys) == ["voters"]


# Queries.
SQL = {
    "sql": {"url_env": "HELD_URL", "query": "SELECT id, years, sex FROM people ORDER BY id"},
    "on": {"age": "years", "sex": "sex"},
    "key": "id",
}


@pytest.fixture
def database(tmp_path, monkeypatch):
    path = tmp_path / "held.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE people (id TEXT, years INTEGER, sex TEXT)")
        connection.executemany(
            "INSERT INTO people VALUES (?, ?, ?)", [("p1", 20, "male"), ("p2", None, "female"), ("p3", 999, "CANARY-sex")]
        )
    connection.close()
    monkeypatch.setenv("HELD_URL", f"sqlite:///{path}")
    return path


def test_a_query_gives_the_register_that_a_file_would(held, database):
    from_query = encoded(held(SQL))
    from_file = encoded(held({**REGISTER, "name": "file"}, PERSONS))
    for name in ("age", "sex"):
        one, other = from_query.encoded["query HELD_URL"][name], from_file.encoded["file"][name]
        assert one.codes.tolist() == other.codes.tolist()
        assert np.array_equal(one.values, other.values)
    assert from_query.keys["query HELD_URL"].texts.tolist() == ["p1", "p2", "p3"]


def test_a_policy_with_a_query_loads_where_its_database_is_not(held, monkeypatch):
    monkeypatch.delenv("HELD_URL", raising=False)
    assert held(SQL)().references.dictionaries == {}


@pytest.mark.parametrize("url", [None, "", " "])
def test_a_database_that_is_not_named_is_refused(held, refusal, monkeypatch, url):
    monkeypatch.delenv("HELD_URL", raising=False)
    if url is not None:
        monkeypatch.setenv("HELD_URL", url)
    load = held({**SQL, "name": "voters"})
    problem = refusal(lambda: encoded(load))
    assert problem.message == "The database URL of the dictionary voters is not set."
    assert "HELD_URL" in problem.cure


@pytest.mark.parametrize(
    ("query", "message", "cure"),
    [
        ("SELECT CANARY FROM nowhere", "The query of the dictionary voters was refused", "own client"),
        ("SELECT id, sex FROM people", "The result of the query of the dictionary voters has no column 'years'", "It has: id, sex."),
        (
            "SELECT id, years, sex FROM people WHERE 0",
            "The result of the query of the dictionary voters has a header and no rows",
            "at least one",
        ),
        (
            "SELECT 'CANARY' AS id, years, sex FROM people",
            "voters has 0 missing and 2 repeated cells in 'id'",
            "one row per person",
        ),
        ("SELECT id, years, sex AS years FROM people", "Columns 2 and 3 of the result of the query of the dictionary voters", "Rename"),
        (
            "SELECT id, 'CANARY' AS years, sex FROM people",
            "voters: 3 cells of 'age' are not numbers (in rows 1, 2 and 3 of the data)",
            "kind: category",
        ),
        ("DELETE FROM people", "The query of the dictionary voters was refused", "SELECT"),
    ],
)
def test_a_query_that_gives_no_register_is_refused_by_name(held, refusal, database, query, message, cure):
    load = held({**SQL, "name": "voters", "sql": {"url_env": "HELD_URL", "query": query}})
    problem = refusal(lambda: encoded(load))
    assert message in problem.message
    assert cure in problem.cure


def test_a_query_changes_nothing(held, refusal, database):
    load = held({**SQL, "sql": {"url_env": "HELD_URL", "query": "DELETE FROM people"}})
    refusal(lambda: encoded(load))
    with sqlite3.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM people").fetchone() == (3,)
    connection.close()


def test_no_password_and_no_path_of_a_database_is_told(held, refusal, monkeypatch):
    for url in ("postgresql+nothing://CANARY:CANARY@CANARY/db", "sqlite:////CANARY/people.sqlite", "CANARY"):
        monkeypatch.setenv("HELD_URL", url)
        load = held(SQL)
        problem = refusal(lambda load=load: encoded(load))
        assert "HELD_URL" in problem.message
        assert not isinstance(problem, StoreUnavailable)
