"""`headgate estimate`: figures with what generalized cells allow."""

from __future__ import annotations

from typing import Any

import pandas as pd


def test_a_count_comes_with_what_must_and_may_be(run: Any, world: Any) -> None:
    folder = world.published().folder
    cells = pd.read_csv(folder / "tables" / "table-1.csv", dtype=str)
    ends = cells["age"].str.extract(r"\[(\d+)\.\.(\d+)\]").astype(int)
    found = run("estimate", folder, "count", "--where", "age >= 40", "--where", "job == nurse", "--json").json
    nurse = cells["job"] == "nurse"
    assert (found["lowest"], found["highest"]) == ((nurse & (ends[0] >= 40)).sum(), (nurse & (ends[1] >= 40)).sum())
    spread = ((ends[1] - ends[0].clip(lower=40) + 1) / (ends[1] - ends[0] + 1)).clip(0, 1)
    assert abs(found["expected"] - spread[nurse].sum()) < 1e-9
    assert (found["table"], found["rows"], found["suppressed"]) == ("table-1", 60, 0)
    assert (found["measure"], found["of"], found["where"]) == ("count", None, "age >= 40 and job == nurse")


def test_a_mean_and_a_share_are_shown_for_people(run: Any, world: Any) -> None:
    folder = world.published().folder
    mean = run("estimate", folder, "mean", "--of", "income")
    assert mean.code == 0, mean.err
    assert "mean of income, in table-2 (60 rows)" in mean.out
    assert mean.out.count("483.4") == 3
    share = run("estimate", folder, "share", "--where", "job is missing")
    assert "1.7 %" in share.out
    assert "nobody checked that a row is a person" in share.out


def test_two_tables_are_not_asked_at_once(run: Any, world: Any) -> None:
    refused = run("estimate", world.published().folder, "count", "--where", "income > 3 and job == nurse", "--json")
    assert refused.code == 2
    assert "tables cannot be joined" in refused.error["message"]
