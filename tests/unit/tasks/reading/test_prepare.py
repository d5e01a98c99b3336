from __future__ import annotations

import numpy as np

from tasks.reading.dictionaries import Dictionaries
from tasks.reading.ingest import ingest
from tasks.reading.prepare import as_published, prepare_source


def test_sets_become_columns_and_without_a_wish_nothing_is_suppressed(clinic) -> None:
    loaded = clinic.load()
    ingested = ingest(loaded)
    made = prepare_source(loaded.policy, ingested, Dictionaries())
    assert "diagnosis" not in made.table.columns
    codes = ("asthma", "flu", "none", "stroke")
    assert {name for name in made.table.columns if "diagnosis" in name} == {f"diagnosis={code}" for code in codes}
    for name in made.table.columns:
        assert np.array_equal(made.table[name].codes, made.original[name].codes)
    assert made.attackers == ()


def test_suppressed_cells_are_missing_from_what_is_anonymized_and_known_to_the_attackers(clinic) -> None:
    clinic.policy["gates"]["disclosure"] = {"sensitivity": {"weights": {"education": 1, "income": 2}}, "max": 1000}
    clinic.policy["suppress_cells"] = {"dictionary": "source", "keep": 4}
    loaded = clinic.load()
    made = prepare_source(loaded.policy, ingest(loaded), Dictionaries())
    gone = [name for name in made.table.columns if not np.array_equal(made.table[name].codes, made.original[name].codes)]
    assert gone
    assert all((made.table[name].codes[made.table[name].codes != made.original[name].codes] < 0).all() for name in gone)
    assert made.attackers


def test_numbers_are_rounded_and_coded_before_anything_else_sees_them(clinic) -> None:
    clinic.policy["attributes"]["income"] |= {"publish_as": {"round": 1000, "top": 10000}}
    clinic.policy["gates"]["disclosure"] = {"sensitivity": {"weights": {"education": 1, "income": 2}}, "max": 1000}
    clinic.policy["suppress_cells"] = {"dictionary": "source", "keep": 4}
    loaded = clinic.load()
    ingested = ingest(loaded)
    made = prepare_source(loaded.policy, ingested, Dictionaries())
    for table in (made.table, made.original, as_published(loaded.policy, ingested)):
        assert table["income"].values.tolist() == [1000.0 * number for number in range(11)]
        assert table["income"].domain == (0, 10000)
    assert made.promise.sensitive[-2].name == "income"
    assert made.promise.sensitive[-2].domain == (0, 10000)
