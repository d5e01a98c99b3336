"""Figures and gates of two manifests, by tables that hold the same."""

from __future__ import annotations

from typing import Any

from policies.changes.figure_changes import WORST, figure_changes, gate_changes
from policies.gates.figures import ReleaseUtility, TableFigures
from policies.gates.verdict import Measured, Verdict
from policies.sealed.manifest import Manifest, Plan


def table(name: str, *sensitive: str, k: float = 5, linkability: float = 0.5, **changes: Any) -> TableFigures:
    measured = (Measured(figure="k", value=k), Measured(figure="linkability", value=linkability))
    figures = {"rows": 60, "groups": 10, "mean_group": 6.0, "discernibility": 360, "ncp": 0.1, "measured": measured, **changes}
    return TableFigures(name=name, sensitive=sensitive, **figures)


def verdict(gate: str, where: str, measured: float | None, required: float, **changes: Any) -> Verdict:
    return Verdict(gate=gate, table=where, measured=measured, required=required, **{"comparison": "at most", "passed": True, **changes})


def manifest(*tables: TableFigures, verdicts: tuple[Verdict, ...] = (), **changes: Any) -> Manifest:
    plan = Plan(method="given", tables=tuple(each.sensitive for each in tables), columns=(), association_loss=0.2, information_exposure=0.1)
    utility = ReleaseUtility(ncp=0.1, suppressed_share=0.0)
    said = {"rows": 60, "suppressed": 0, "plan": plan, "utility": utility, **changes}
    return Manifest.model_construct(tables=tables, verdicts=verdicts, **said)


def test_nothing_differs_between_a_release_and_itself() -> None:
    same = manifest(table("table-1", "job"), verdicts=(verdict("linkability", "table-1", 0.5, 0.8),))
    assert figure_changes(same, same) == gate_changes(same, same) == ()


def test_a_table_is_compared_with_the_one_that_holds_the_same_and_of_others_the_worst() -> None:
    before = manifest(table("table-1", "job"), table("table-2", "income", "school", linkability=0.7))
    after = manifest(table("table-1", "income"), table("table-2", "job", groups=9), table("table-3", "school", k=4, linkability=0.6))
    changed = {(change.figure, change.table): (change.before, change.after, change.better) for change in figure_changes(before, after)}
    assert changed == {
        ("tables", ""): (2, 3, None),
        ("groups", "table-2"): (10, 9, None),
        ("k", WORST): (5, 4, False),
        ("linkability", WORST): (0.7, 0.6, True),
    }


def test_a_gate_says_whether_it_asks_for_more_and_measured_better() -> None:
    before = manifest(table("table-1", "job"), verdicts=(verdict("linkability", "table-1", 0.5, 0.8),))
    after = manifest(table("table-1", "job"), verdicts=(verdict("linkability", "table-1", 0.6, 0.7),))
    (change,) = gate_changes(before, after)
    assert (change.gate, change.table, change.stricter, change.better) == ("linkability", "table-1", True, False)
    (back,) = gate_changes(after, before)
    assert (back.stricter, back.better) == (False, True)
    more = {"comparison": "at least"}
    k = [manifest(table("table-1", "job"), verdicts=(verdict("k", "table-1", each, 5, **more),)) for each in (5, 6)]
    assert [(each.stricter, each.better) for each in gate_changes(*k)] == [(None, True)]


def test_of_how_many_people_came_back_no_gate_says_better_or_worse() -> None:
    """All people of a first version count as returning, so the second one always looked worse."""
    for bound, first, second in (("returning", 1.0, 0.8), ("changed", 0.0, 0.02)):
        said = [verdict("series", "", measured, 0.01, bound=bound) for measured in (first, second)]
        versions = [manifest(table("table-1", "job"), verdicts=(each,)) for each in said]
        (change,) = gate_changes(*versions)
        assert (change.gate, change.better, change.stricter) == (f"series.{bound}", None, None)


def test_a_strangers_verdict_on_a_table_that_is_not_there_ends_no_comparison() -> None:
    """It ended as "a defect of headgate"."""
    before = manifest(table("table-1", "job"), verdicts=(verdict("linkability", "table-9", 0.5, 0.8),))
    (change,) = gate_changes(before, manifest(table("table-1", "job")))
    assert (change.table, change.after) == (WORST, None)


def test_a_gate_that_only_one_of_the_two_has_is_told() -> None:
    without, asked = (
        manifest(table("table-1", "job")),
        manifest(table("table-1", "job"), verdicts=(verdict("closeness", "table-1", 0.3, 0.5, attribute="job"),)),
    )
    (change,) = gate_changes(without, asked)
    assert (change.gate, change.before, change.better, change.stricter) == ("closeness of job", None, None, None)
    assert change.after is not None
    (gone,) = gate_changes(asked, without)
    assert gone.after is None


def test_of_tables_that_only_one_has_the_worst_verdict_counts_and_one_that_was_not_measured_is_worst() -> None:
    tables = table("table-1", "job"), table("table-2", "income")
    before = manifest(*tables, verdicts=(verdict("linkability", "table-1", 0.5, 0.8), verdict("linkability", "table-2", 0.7, 0.8)))
    after = manifest(table("table-1", "job", "income"), verdicts=(verdict("linkability", "table-1", 0.6, 0.8),))
    (change,) = gate_changes(before, after)
    assert (change.table, change.before and change.before.measured, change.better) == (WORST, 0.7, True)
    unknown = manifest(*tables, verdicts=(verdict("linkability", "table-1", None, 0.8), verdict("linkability", "table-2", 0.7, 0.8)))
    (change,) = gate_changes(unknown, after)
    assert change.before is not None
    assert (change.before.measured, change.better) == (None, None)
