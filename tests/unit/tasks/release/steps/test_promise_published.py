"""What is promised once it is known who is published."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tasks.release.steps.anonymize_tables import Agreed
from tasks.release.steps.promise_published import promise_published
from tests.unit.tasks.release.finished import Made


def test_what_only_suppressed_people_have_is_not_promised(finished: Made) -> None:
    sex = finished.encoded.table["sex"]
    women = sex.values[sex.codes] == "female"
    agreed = Agreed(finished.run.spool.put(women), int((~women).sum()))
    planned = promise_published(finished.run, finished.transformed, finished.planned, agreed)
    promise = finished.run.spool.get(planned.promise)
    assert {quasi.name: quasi.values for quasi in promise.quasi}["sex"] == ("female",)
    assert promise.requirements == finished.run.spool.get(finished.planned.promise).requirements


def test_where_everybody_is_published_the_promise_is_that_of_the_policy(finished: Made) -> None:
    everybody = Agreed(finished.run.spool.put(np.ones(60, dtype=bool)))
    planned = promise_published(finished.run, finished.transformed, finished.planned, everybody)
    assert finished.run.spool.get(planned.promise) == finished.encoded.promise


def test_the_plan_tells_nothing_of_people_who_are_suppressed(finished: Made) -> None:
    """Its figures were those of all rows, to the last digit: whoever tried each pair of values for the one who was missing found theirs."""
    kept = np.arange(60) != 7
    agreed, told = Agreed(finished.run.spool.put(kept), 1), []
    for shift in range(3):
        table = finished.encoded.table
        others = {
            name: replace(column, codes=np.where(kept, column.codes, (column.codes + shift) % len(column.values)))
            for name, column in table.columns.items()
        }
        encoded = replace(finished.encoded, table=replace(table, columns=others))
        transformed = replace(finished.transformed, encoded=finished.run.spool.put(encoded))
        planned = promise_published(finished.run, transformed, finished.planned, agreed)
        told.append(finished.run.spool.get(planned.plan))
    assert told[0] == told[1] == told[2]
