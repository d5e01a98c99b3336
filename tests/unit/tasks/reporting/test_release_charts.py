"""Which pictures a release has: one for everything that was measured, none for what was not."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from policies.sealed.manifest import PlanStep
from tasks.reporting.measured_tables import MeasuredRelease
from tasks.reporting.release_charts import (
    Pictures,
    allowed_risk,
    draw_errors,
    draw_losses,
    draw_plan,
    draw_release,
    draw_table,
    files_of,
)
from tests.unit.claimed import claiming, proximity, required

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def drawn(release: MeasuredRelease) -> Pictures:
    return draw_release(release)


def test_a_release_has_all_its_pictures_and_each_table_its_own(release: MeasuredRelease, drawn: Pictures) -> None:
    assert set(drawn.whole) == {"plan", "trade_off", "loss", "query_errors"}
    assert list(drawn.tables) == [table.name for table in release.tables]
    for pictures in drawn.tables.values():
        assert set(pictures) == {"group_sizes", "group_risks", "closeness", "loss"}


def test_a_release_that_ended_early_has_no_pictures_rather_than_empty_ones() -> None:
    ended = MeasuredRelease(dataset="d", title="D", release_id="r-1", created="", policy_digest="", rows=0, suppressed=0)
    assert draw_release(ended) == Pictures({}, {})


def test_the_files_are_the_same_pictures_on_paper(release: MeasuredRelease, drawn: Pictures) -> None:
    files = files_of(drawn, release, str)
    assert len(files) == len(drawn.whole) + sum(map(len, drawn.tables.values()))
    for path, picture in {"plan.svg": drawn.whole["plan"], "table-2/closeness.svg": drawn.tables["table-2"]["closeness"]}.items():
        root = ElementTree.fromstring(files[path])
        assert root.attrib.pop("style") == "background: #fff"
        assert ElementTree.tostring(root) == ElementTree.tostring(ElementTree.fromstring(picture))


def test_a_column_that_has_another_name_in_the_files_has_its_own_in_none(release: MeasuredRelease, drawn: Pictures, bit: str) -> None:
    files = files_of(drawn, release, lambda name: "a column" if name == bit else name)
    assert any(bit.encode() in picture for picture in files_of(drawn, release, str).values())
    assert not any(bit.encode() in picture for picture in files.values())
    assert sum(b"a column" in picture for picture in files.values()) == 1


def words_of(picture: bytes) -> str:
    return picture.decode()


def test_a_table_has_a_picture_of_what_was_measured_of_it_and_no_other(release: MeasuredRelease) -> None:
    whole = release.tables[0]
    bare = replace(whole, group_sizes=whole.group_sizes[:0], group_risks=None, loss={}, figures=claiming(whole.figures, closeness=None))
    assert draw_table(bare, release.promise) == {}
    for name, changed in (
        ("group_sizes", replace(bare, group_sizes=whole.group_sizes)),
        ("group_risks", replace(bare, group_risks=whole.group_risks)),
        ("loss", replace(bare, loss=whole.loss)),
        ("closeness", replace(bare, figures=whole.figures)),
    ):
        assert set(draw_table(changed, release.promise)) == {name}


def test_requirements_stand_in_the_pictures_by_the_policys_own_numbers(release: MeasuredRelease) -> None:
    """k = 10 and 1 − δ = 0.4 are the fixture's promise; without a promise nothing is called too small or too risky."""
    table = release.tables[0]
    promised = draw_table(table, release.promise)
    assert "0 below 10" in words_of(promised["group_sizes"])
    assert "0 above 0.4" in words_of(promised["group_risks"])
    free = draw_table(table, None)
    assert "below 10" not in words_of(free["group_sizes"])
    assert "above" not in words_of(free["group_risks"])


def test_a_requirement_is_found_by_the_name_that_its_column_has_in_the_file(release: MeasuredRelease, drawn: Pictures) -> None:
    """With another threshold the picture is another, whatever the column is called in it."""
    assert release.promise is not None
    stricter = replace(release, promise=release.promise.requiring(required("closeness", "0.05", "income")))
    path = next(f"{table.name}/closeness.svg" for table in release.tables if "income" in table.figures.each("closeness"))
    assert files_of(drawn, release, "column {}".format)[path] != files_of(drawn, stricter, "column {}".format)[path]


def test_a_trade_off_is_drawn_only_where_a_method_has_more_than_one_point(release: MeasuredRelease) -> None:
    assert release.plan is not None
    alone = release.plan.model_copy(update={"trade_off": release.plan.trade_off[1:]})
    assert set(draw_plan(replace(release, plan=alone))) == {"plan"}
    assert set(draw_plan(release)) == {"plan", "trade_off"}


def test_every_step_of_the_search_is_in_the_picture_of_the_plan(release: MeasuredRelease) -> None:
    assert release.plan is not None
    longer = PlanStep(tables=((0,), (1,), (2,)), association_loss=0.75, information_exposure=0.25, passed=False)
    more = release.plan.model_copy(update={"steps": (*release.plan.steps, longer)})
    assert draw_plan(replace(release, plan=more))["plan"] != draw_plan(release)["plan"]


def test_only_tables_whose_queries_were_asked_are_among_the_errors(release: MeasuredRelease) -> None:
    first, second = release.tables
    unasked = replace(second, figures=second.figures.model_copy(update={"query_error_mean": None, "query_error_median": None}))
    picture = words_of(draw_errors(replace(release, tables=(first, unasked)))["query_errors"])
    assert "table-1" in picture
    assert "table-2" not in picture
    assert draw_errors(replace(release, tables=(unasked,))) == {}


def test_losses_are_beside_each_other_only_where_there_are_several(release: MeasuredRelease) -> None:
    first, second = release.tables
    assert set(draw_losses(release)) == {"loss"}
    assert draw_losses(replace(release, tables=(first,))) == {}
    assert draw_losses(replace(release, tables=(first, replace(second, loss={})))) == {}


@pytest.mark.parametrize(("delta", "allowed"), [("0.6", 0.4), ("1", 0.0), ("2/3", 1 / 3)])
def test_the_risk_allowed_is_what_the_composite_delta_leaves(release: MeasuredRelease, delta: str, allowed: float) -> None:
    assert release.promise is not None
    promise = release.promise.model_copy(update={"requirements": (required("k", 2), proximity("0.1", "0.9", "income"))})
    assert allowed_risk(promise) is None
    assert allowed_risk(promise.requiring(proximity("0.1", delta))) == pytest.approx(allowed)
    assert allowed_risk(None) is None
