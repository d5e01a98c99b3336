from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from policies.sealed.manifest import Alternative
from tasks.reporting.charts import (
    PathStep,
    draw_closeness,
    draw_group_risks,
    draw_group_sizes,
    draw_loss,
    draw_plan_path,
    draw_query_errors,
    draw_trade_off,
)
from tasks.reporting.drawing import WIDTH_INCHES

pytestmark = pytest.mark.slow

STEPS = [PathStep(1 - i / 6, (i / 6) ** 2, i != 5) for i in range(7)]


def sizes(seed: int, groups: int = 200) -> np.ndarray:
    return np.random.default_rng(seed).integers(10, 14, groups)


def risks(seed: int, groups: int = 200) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 5, groups) / 10


def named(count: int, make) -> list:
    return [(f"table-{place}", make(place)) for place in range(1, count + 1)]


def plan_of(tables: int, association_loss: float, information_exposure: float) -> Alternative:
    return Alternative(method="codip*", tables=tables, association_loss=association_loss, information_exposure=information_exposure)


# Each draws with a seed for its figures and the number of tables.
CHARTS = {
    "group sizes": lambda seed, n: draw_group_sizes(named(n, lambda i: sizes(seed + i)), 10),
    "group risks": lambda seed, n: draw_group_risks(named(n, lambda i: risks(seed + i)), 0.4),
    "group risks without a requirement": lambda seed, n: draw_group_risks(named(n, lambda i: risks(seed + i)), None),
    "closeness": lambda seed, n: draw_closeness(named(n, lambda i: {"income": seed / 10, f"a{i}": i / 10}), {"income": 0.2}),
    "plan": lambda seed, n: draw_plan_path(STEPS[: seed + 1], (1.0, 0.0), (0.4, 0.5)),
    "plan without a search": lambda seed, n: draw_plan_path([], (seed / 10, 1.0), (None, None)),
    "trade-off": lambda seed, n: draw_trade_off(
        [("codip*", [plan_of(i, 1 - i / 6, (i / 6) ** 2) for i in range(1, 7)]), ("optimal", [plan_of(2, 0.5, seed / 100)])],
        plan_of(n, 0.4, 0.2),
    ),
    "query errors": lambda seed, n: draw_query_errors(
        [(f"t{i}", seed / 10 + i / 50, i / 80, (None, None) if i == 1 else (seed / 11, seed / 9 + i / 50)) for i in range(n)], 0.15
    ),
    "loss": lambda seed, n: draw_loss(named(n, lambda i: {"age": seed / 10, "sex": 0.0, "region": i / 20})),
}


@pytest.mark.parametrize("tables", [1, 8])
@pytest.mark.parametrize("chart", CHARTS)
def test_an_svg_is_well_formed_stands_alone_and_tells_no_date_or_version(chart: str, tables: int) -> None:
    svg = CHARTS[chart](1, tables).decode()
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    width, height = (float((root.get(side) or "").removesuffix("pt")) for side in ("width", "height"))
    assert width == WIDTH_INCHES["svg"] * 72 == 360
    assert 60 <= height <= 900
    assert "<metadata" not in svg
    assert "<image" not in svg
    assert "matplotlib" not in svg.lower()
    places = [value for element in root.iter() for name, value in element.attrib.items() if name.endswith("href")]
    assert all(value.startswith("#") for value in places)
    known = {element.get("id") for element in root.iter()}
    assert {value[1:] for value in places} <= known


@pytest.mark.parametrize("chart", CHARTS)
def test_the_same_figures_give_the_same_bytes_and_others_give_others(chart: str) -> None:
    first = CHARTS[chart](1, 1)
    assert CHARTS[chart](1, 1) == first
    assert CHARTS[chart](3, 1) != first


def test_groups_below_k_are_counted_and_hatched() -> None:
    good = draw_group_sizes([("t", np.array([10, 10, 11]))], 10).decode()
    bad = draw_group_sizes([("t", np.array([3, 10, 11]))], 10).decode()
    assert "3 groups, 0 below 10" in good
    assert "--chart-fail" not in good
    assert "3 groups, 1 below 10" in bad
    assert "--chart-fail" in bad
    assert "<pattern" in bad


def test_a_risk_that_is_exactly_what_is_allowed_is_not_above_it() -> None:
    """0.1 + 0.3 is a hair more than 0.4; the tolerance of the gates holds in the picture too."""
    exact = draw_group_risks([("t", np.array([0.1, 0.1 + 0.3]))], 0.4).decode()
    above = draw_group_risks([("t", np.array([0.1, 0.41]))], 0.4).decode()
    assert "2 groups, 0 above 0.4" in exact
    assert "--chart-fail" not in exact
    assert "2 groups, 1 above 0.4" in above


@pytest.mark.parametrize(("allowed", "worst"), [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.001, 0.9)])
def test_extreme_requirements_can_be_drawn(allowed: float, worst: float) -> None:
    ElementTree.fromstring(draw_group_risks([("t", np.array([0.0, worst]))], allowed))


def test_one_group_of_many_rows_and_a_loss_of_nothing_can_be_drawn() -> None:
    ElementTree.fromstring(draw_group_sizes([("t", np.array([2_000_000]))], 2))
    ElementTree.fromstring(draw_loss([("t", {"age": 0.0})]))
    ElementTree.fromstring(draw_loss([("t", {"age": 0.0}), ("u", {"sex": 0.0})]))


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "cost in $ or $$", r"\frac{1}{", "a&b\x07", "x" * 300, "Größe – 年齢"])
def test_any_attribute_name_can_stand_in_a_picture(name: str) -> None:
    svg = draw_closeness([("t", {name: 0.1}), (name, {"b": 0.2})], {}).decode()
    ElementTree.fromstring(svg)
    assert "<script" not in svg


def test_text_stays_text_in_a_page_and_inks_take_the_colours_of_the_page() -> None:
    svg = CHARTS["closeness"](1, 1).decode()
    assert ">income</text>" in svg
    assert "var(--chart-ink, #1f2328)" in svg
    assert not [rest for rest in svg.split("#0072b2")[1:] if not rest.startswith(")")]


def test_pictures_can_be_drawn_without_a_display_and_without_pyplot() -> None:
    code = (
        "import sys, numpy; from tasks.reporting.charts import draw_group_sizes; assert 'matplotlib' not in sys.modules;"
        "draw_group_sizes([('t', numpy.array([10]))], 10); assert 'matplotlib.pyplot' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_a_picture_of_thousands_of_figures_is_no_larger_than_one_of_forty() -> None:
    """5,000 bars were a picture of 1,350 inches."""
    figures = {f"a{place}": place / 5000 for place in range(5000)}
    many = draw_closeness([("table-1", figures)], {}).decode()
    few = draw_closeness([("table-1", dict(list(figures.items())[-40:]))], {}).decode()
    assert len(many) < 1.1 * len(few)
    assert "the 40 nearest to their limit of 5,000" in many
    assert len(draw_loss([("table-1", figures)])) < 1.1 * len(few)
