"""Advice on how numbers are published."""

from __future__ import annotations

import pytest

from tasks.advice.number_advice import NumberAdvice, number_advice
from tasks.advice.policy_advice import prepare
from tasks.reading.dictionaries import Dictionaries
from tasks.reading.ingest import ingest
from tasks.reading.prepare import prepare_source


@pytest.fixture
def advised(clinic):
    """On incomes of 0.25, 100.25, 200.25 … for sixty people."""

    def make(**keys) -> tuple[NumberAdvice, ...]:
        for row, person in enumerate(clinic.rows):
            person["income"] = str(100.25 * row)
        clinic.write_source(write(clinic.rows).encode())
        clinic.policy["attributes"]["income"] = {"role": "sensitive", "kind": "number", **keys}
        loaded = clinic.load()
        ingested = ingest(loaded)
        return number_advice(loaded.policy, ingested.table, prepare_source(loaded.policy, ingested, Dictionaries()).table)

    from tests.unit.tasks.clinic import csv_text as write

    return make


def test_steps_are_suggested_with_what_they_cost_and_buy(advised) -> None:
    (income,) = advised()
    said = list(income.sentences())
    assert (
        said[0]
        == "100.0 % of the values of income occur once: whoever knows such a value of somebody finds the row. To publish it rounded:"
    )
    assert [written for written, _ in income.steps] == ["{round: 200}", "{round: 500}"]
    first = income.steps[0][1]
    changes = [abs(100.25 * row - round(100.25 * row / 200) * 200) for row in range(60)]
    assert first.mean_change == pytest.approx(sum(changes) / 60)
    assert first.largest_change == pytest.approx(max(changes))
    assert said[1].startswith("  publish_as: {round: 200} – then ")
    assert income.to_json()["declared"] is None


def test_what_the_policy_declares_is_compared_with_the_source(advised) -> None:
    (income,) = advised(publish_as={"round": 1000, "top": 5000})
    (sentence,) = income.sentences()
    assert sentence.startswith(
        "100.0 % of the values of income occur once in the source; with publish_as: {round: 1000, top: 5000}, 0.0 % do; "
    )
    assert sentence.endswith("by 914.75 at most.")


def test_numbers_that_many_people_share_are_not_spoken_of(clinic) -> None:
    loaded = clinic.load()
    ingested = ingest(loaded)
    assert number_advice(loaded.policy, ingested.table, ingested.table) == ()


def test_an_identifier_among_the_columns_is_said_and_the_rest_is_tried_without_it(clinic) -> None:
    clinic.policy["attributes"]["notes"] = {"role": "insensitive", "kind": "category"}
    clinic.load()
    prepared = prepare(clinic.folder / "policy.yaml")
    assert prepared.foreseen.startswith("In the source, 100 % of the values of notes occur once")
    assert prepared.trials.promise.of("uniqueness") == ()
