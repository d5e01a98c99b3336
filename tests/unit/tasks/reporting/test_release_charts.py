"""Which pictures a release has: one for everything that was measured, none for what was not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from policies.sealed.manifest import PlanStep
from tasks.reporting.measured_tables import MeasuredRelease
from tasks.reporting.release_charts import allowed_risk, draw_errors, draw_losses, draw_plan, draw_release, draw_table
from tests.unit.claimed import claiming, proximity, required
from tests.unit.tasks.reporting.png import pixels

pytestmark = pytest.mark.slow


def test_a_release_has_all_its_pictures_and_a_table_its_own(release: MeasuredRelease) -> None:
    of_release = draw_release(release, "png")
    assert set(of_release) == {"plan", "trade_off", "group_sizes", "group_risks", "closeness", "loss", "query_errors"}
    assert set(draw_table(release.tables[0], release.promise, "svg")) == {"group_sizes", "group_risks", "closeness", "loss"}
    for picture in of_release.values():
        pixels(picture)


def test_a_release_that_ended_early_has_no_pictures_rather_than_empty_ones() -> None:
    ended = MeasuredRelease(dataset="d", title="D", release_id="r-1", created="", policy_digest="", rows=0, suppressed=0)
    assert draw_release(ended, "png") == {}


def words_of(picture: bytes) -> str:
    return picture.decode()


def test_a_table_has_a_picture_of_what_was_measured_of_it_and_no_other(release: MeasuredRelease) -> None:
    whole = release.tables[0]
    bare = replace(whole, group_sizes=whole.group_sizes[:0], group_risks=None, loss={}, figures=claiming(whole.figures, closeness=None))
    assert draw_table(bare, release.promise, "svg") == {}
    for name, changed in (
        ("group_sizes", replace(bare, group_sizes=whole.group_sizes)),
        ("group_risks", replace(bare, group_risks=whole.group_risks)),
        ("loss", replace(bare, loss=whole.loss)),
        ("closeness", replace(bare, figures=whole.figures)),
    ):
        assert set(draw_table(changed, release.promise, "svg")) == {name}


def test_requirements_stand_in_the_pictures_by_the_policys_own_numbers(release: MeasuredRelease) -> None:
    """k = 10 and 1 − δ = 0.4 are the fixture's promise; without a promise nothing is called too small or too risky."""
    table = release.tables[0]
    promised = draw_table(table, release.promise, "svg")
    assert "0 below 10" in words_of(promised["group_sizes"])
    assert "0 above 0.4" in words_of(promised["group_risks"])
    free = draw_table(table, None, "svg")
    assert "below 10" not in words_of(free["group_sizes"])
    assert "above" not in words_of(free["group_risks"])


def test_columns_have_the_names_in_pictures_that_they_are_given(release: MeasuredRelease, bit: str) -> None:
    own = words_of(draw_table(release.tables[0], release.promise, "svg")["closeness"])
    named = words_of(draw_table(release.tables[0], release.promise, "svg", lambda name: "a column" if name == bit else name)["closeness"])
    assert bit in own
    assert bit not in named
    assert "a column" in named
    assert "income" in named


def test_a_requirement_is_found_by_the_name_that_its_column_has_in_the_picture(release: MeasuredRelease) -> None:
    """With another threshold the picture is another, whatever the column is called in it."""
    assert release.promise is not None
    stricter = release.promise.requiring(required("closeness", "0.05", "income"))
    pictures = [draw_table(release.tables[0], promise, "svg", lambda name: f"column {name}") for promise in (release.promise, stricter)]
    assert pictures[0]["closeness"] != pictures[1]["closeness"]


def test_a_trade_off_is_drawn_only_where_a_method_has_more_than_one_point(release: MeasuredRelease) -> None:
    assert release.plan is not None
    alone = release.plan.model_copy(update={"trade_off": release.plan.trade_off[1:]})
    assert set(draw_plan(replace(release, plan=alone), "svg")) == {"plan"}
    assert set(draw_plan(release, "svg")) == {"plan", "trade_off"}


def test_every_step_of_the_search_is_in_the_picture_of_the_plan(release: MeasuredRelease) -> None:
    assert release.plan is not None
    longer = PlanStep(tables=((0,), (1,), (2,)), association_loss=0.75, information_exposure=0.25, passed=False)
    more = release.plan.model_copy(update={"steps": (*release.plan.steps, longer)})
    assert draw_plan(replace(release, plan=more), "svg")["plan"] != draw_plan(release, "svg")["plan"]


def test_only_tables_whose_queries_were_asked_are_among_the_errors(release: MeasuredRelease) -> None:
    first, second = release.tables
    unasked = replace(second, figures=second.figures.model_copy(update={"query_error_mean": None, "query_error_median": None}))
    picture = words_of(draw_errors(replace(release, tables=(first, unasked)), "svg")["query_errors"])
    assert "table-1" in picture
    assert "table-2" not in picture
    assert draw_errors(replace(release, tables=(unasked,)), "svg") == {}


def test_losses_are_beside_each_other_only_where_there_are_several(release: MeasuredRelease) -> None:
    first, second = release.tables
    assert set(draw_losses(release, "svg")) == {"loss"}
    assert draw_losses(replace(release, tables=(first,)), "svg") == {}
    assert draw_losses(replace(release, tables=(first, replace(second, loss={}))), "svg") == {}


@pytest.mark.parametrize(("delta", "allowed"), [("0.6", 0.4), ("1", 0.0), ("2/3", 1 / 3)])
def test_the_risk_allowed_is_what_the_composite_delta_leaves(release: MeasuredRelease, delta: str, allowed: float) -> None:
    assert release.promise is not None
    promise = release.promise.model_copy(update={"requirements": (required("k", 2), proximity("0.1", "0.9", "income"))})
    assert allowed_risk(promise) is None
    assert allowed_risk(promise.requiring(proximity("0.1", delta))) == pytest.approx(allowed)
    assert allowed_risk(None) is None
