"""Step 3: sets become columns of bits, and with them it is known what is promised; what cells were, attackers still know."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.core.errors import RequirementNotMet
from tasks.release.steps import gate_tables as gate
from tasks.release.steps.ingest_source import ingest_source
from tasks.release.steps.transform_source import dictionaries_of, suppress_cells, transform_source
from tests.unit.tasks.release.finished import Made, finish


def test_the_number_told_is_that_of_the_cells_that_are_gone_and_sets_go_whole(begin):
    made = begin()
    run = made.run
    before = run.spool.get(made.read.ingested).table
    suppressed = suppress_cells(run, made.read, made.dictionaries)
    after = run.spool.get(suppressed.table)
    gone = {name: int((before[name].codes != after[name].codes).sum()) for name in before.columns}
    assert sum(suppressed.cells.values()) == sum(gone.values()) > 0
    assert suppressed.cells == {name: number for name, number in gone.items() if number}
    present = sum((before[name].codes >= 0).astype(int) for name in (*before.quasi, *before.sensitive))
    left = sum((after[name].codes >= 0).astype(int) for name in (*before.quasi, *before.sensitive))
    assert left.tolist() == np.minimum(present, 5).tolist()
    encoded = run.spool.get(transform_source(run, made.read, made.dictionaries, suppressed).encoded)
    bits = [column for column in encoded.table.columns.values() if column.origin == "diagnosis"]
    for bit in bits:
        assert ((bit.codes < 0) == (after["diagnosis"].codes < 0)).all()
    for bit in bits:
        assert (encoded.original[bit.name].codes >= 0).all()


def test_attackers_and_count_queries_still_have_the_cells_that_are_gone(begin, monkeypatch):
    asked = []
    counted = gate.count_query_error
    monkeypatch.setattr(gate, "count_query_error", lambda table, *others: asked.append(table) or counted(table, *others))
    made = begin(dictionaries=[{"source": True, "on": ["age", "sex"]}])
    before = made.run.spool.get(made.read.ingested).table
    finish(made)
    (attacker,) = made.encoded.attackers
    assert sum(made.suppressed.cells.get(name, 0) for name in ("age", "sex")) > 0
    for name in ("age", "sex"):
        assert attacker.dictionary[name].codes.tolist() == before[name].codes.tolist()
        assert (attacker.dictionary[name].codes >= 0).all()
    assert len(asked) == len(made.planned.names)
    for table in asked:
        assert table["age"].codes.tolist() == before["age"].codes.tolist() != made.encoded.table["age"].codes.tolist()


def test_a_set_becomes_a_column_for_each_value_that_says_who_has_it(finished: Made, clinic):
    encoded = finished.encoded
    assert finished.transformed.sensitive == len(encoded.table.sensitive) == 6
    for value in ("asthma", "flu", "stroke"):
        bit = encoded.table[f"diagnosis={value}"]
        assert bit.origin == "diagnosis"
        expected = ["1" if value in row["diagnosis"].split("|") else "0" for row in clinic.rows]
        assert [str(bit.values[code]) for code in bit.codes] == expected
    assert "diagnosis" not in encoded.table.columns


def test_where_nothing_is_suppressed_the_table_is_the_original_and_jobs_find_it_alone(finished: Made):
    get = finished.run.spool.get
    assert finished.encoded.table is finished.encoded.original is get(finished.transformed.columns)
    assert get(finished.transformed.attackers) == finished.encoded.attackers == ()


def test_the_promise_is_the_policys_for_the_columns_that_there_are(finished: Made):
    promise = finished.encoded.promise
    assert [attribute.name for attribute in promise.sensitive] == list(finished.encoded.table.sensitive)
    assert {requirement.gate for requirement in promise.requirements} == {"k", "linkability", "closeness", "utility"}
    assert promise.k == 6


def test_without_dictionaries_nobody_holds_any(finished: Made):
    assert dictionaries_of(finished.run, None).encoded == {}


def test_dictionaries_are_counted_and_only_the_results_of_queries_have_an_hmac(begin, clinic, canary):
    (clinic.folder / "register.csv").write_text("name,sex\n" + "".join(f"{canary}-{row},female\n" for row in range(3)))
    made = begin(dictionaries=[{"path": "register.csv", "name": "register", "on": ["sex"]}])
    assert made.dictionaries is not None
    assert (made.dictionaries.count, dict(made.dictionaries.hmacs)) == (1, {})
    assert canary not in repr(made.dictionaries)
    assert set(dictionaries_of(made.run, made.dictionaries).encoded) == {"register"}
    encoded = made.run.spool.get(transform_source(made.run, made.read, made.dictionaries).encoded)
    assert [attacker.name for attacker in encoded.attackers] == ["register"]


def test_a_table_that_was_read_is_not_changed(run_of, loaded):
    run = run_of(loaded)
    read = ingest_source(run)
    before = {name: column.codes.copy() for name, column in run.spool.get(read.ingested).table.columns.items()}
    transform_source(run, read)
    after = run.spool.get(read.ingested).table.columns
    assert all((after[name].codes == codes).all() for name, codes in before.items())


@pytest.mark.parametrize("role", ["sensitive", "insensitive"])
def test_a_column_as_good_as_an_identifier_is_refused_before_anything_is_grouped(run_of, clinic, role):
    clinic.policy["attributes"]["notes"] = {"role": role, "kind": "category"}
    run = run_of(clinic.load())
    with pytest.raises(RequirementNotMet) as refused:
        transform_source(run, ingest_source(run))
    assert refused.value.message == (
        "In the source, 100 % of the values of notes occur once, so a value is as good as a name; at most 90 % may."
    )
    assert "unique: accepted" in refused.value.cure
    clinic.policy["attributes"]["notes"]["unique"] = "accepted"
    run = run_of(clinic.load(), name="again")
    promise = run.spool.get(transform_source(run, ingest_source(run)).encoded).promise
    assert promise.unique_accepted == ("notes",)
    assert promise.of("uniqueness") == ()
