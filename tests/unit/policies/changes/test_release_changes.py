"""All that changed between two releases, and how far the published values moved."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from policies.changes.release_changes import Side, column_changes, release_changes
from policies.gates.figures import ReleaseUtility
from policies.sealed.manifest import Manifest, Plan
from policies.sealed.promise import Promise
from tests.unit.headgate.released.tiny_releases import frame, of_tables


def tables(**columns: list[Any]) -> Any:
    return of_tables({"table-1": frame(**columns)})


def side(source: str, released: Any, policy: dict[str, Any] | None = None) -> Side:
    plan = Plan(method="given", tables=(("income",),), columns=("income",), association_loss=0.0, information_exposure=0.0)
    said = {"release_id": "r", "dataset": "tiny", "created": "2026-01-01", "policy_digest": "0" * 64, "source_hmac": source}
    promise, utility = Promise(requirements=(), quasi=(), sensitive=()), ReleaseUtility(ncp=0.0, suppressed_share=0.0)
    whole = {"rows": 2, "suppressed": 0, "tables": (), "verdicts": (), "files": (), "plan": plan, "promise": promise, "utility": utility}
    return Side(Manifest.model_construct(**said, **whole), released, "c" * 64, policy)


def test_columns_that_both_have_are_compared_once_and_what_moved_most_stands_first() -> None:
    before = tables(eye=["blue", "blue"], income=[10, 10])
    after = of_tables(
        {name: frame(eye=["blue", "green"], **own) for name, own in (("table-1", {"income": [10, 90]}), ("table-2", {"kids": [1, 1]}))}
    )
    found = [(change.table, change.column, change.total_variation) for change in column_changes(before, after)]
    assert found == [("table-1", "eye", 0.5), ("table-1", "income", 0.5)]


def test_a_column_is_found_in_whichever_table_it_was() -> None:
    before = of_tables({"table-1": frame(eye=["blue"], kids=[1]), "table-2": frame(eye=["blue"], income=[1])})
    (eye, income) = sorted(column_changes(before, tables(eye=["blue"], income=[90])), key=lambda change: change.column)
    assert (income.column, income.table, income.total_variation, eye.total_variation) == ("income", "table-1", 1.0, 0.0)


def test_policies_are_compared_only_where_both_are_known() -> None:
    released = tables(eye=["blue"], income=[1])
    known = release_changes(side("a", released, {"k": 5}), side("a", released, {"k": 6}))
    assert known.same_source
    assert [(change.key, change.before, change.after) for change in known.policy or ()] == [("k", "5", "6")]
    unknown = release_changes(side("a", released, {"k": 5}), side("b", released))
    assert (unknown.policy, unknown.same_source) == (None, False)


def test_the_document_holds_all_parts() -> None:
    released = of_tables({"table-1": pd.DataFrame({"eye": ["blue"], "income": [1], "group": [1]}, dtype=object)})
    document = release_changes(side("a", released), side("a", released)).model_dump(mode="json")
    assert set(document) == {"before", "after", "same_source", "people", "policy", "readers", "gates", "figures", "columns"}
    assert document["columns"][0]["total_variation"] == pytest.approx(0)
