"""Pictures of advice say in words what was reached, what is possible, and what it costs."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from fractions import Fraction

import pytest

from headgate.advice.result import Setting, Tried, TriedDelta
from tasks.advice.advice_charts import FrontierPoint, draw_frontier, draw_map


def setting(k: int, epsilon: float, reached: str | None, possible: str | None) -> Setting:
    points = () if reached is None else (TriedDelta(Fraction(reached), Tried(True)),)
    return Setting(k, epsilon, None, None if possible is None else Fraction(possible), None, None, None, points)


SETTINGS = [setting(5, 0.1, "0.6", "0.75"), setting(10, 0.1, None, None), setting(5, 0.05, "0", "1")]


def point(delta: float, loss: float, error: float | None = None, k: int = 5, epsilon: str = "0.1", best: bool = False) -> FrontierPoint:
    return FrontierPoint(k, epsilon, delta, loss, error, best)


def texts_of(svg: bytes) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")]


def test_each_cell_of_the_map_says_what_was_reached_and_what_is_possible() -> None:
    texts = texts_of(draw_map(SETTINGS, (5, 0.1), "svg"))
    assert {"0.60", "of 0.75", "–", "of –", "0.00", "of 1.00"} <= set(texts)
    assert {"5", "10", "0.05", "0.1", "ε", "k"} <= set(texts)


def test_the_policys_own_setting_is_framed() -> None:
    own, other = (draw_map(SETTINGS, frame, "svg") for frame in ((5, 0.1), (5, 0.05)))
    without = draw_map(SETTINGS, (7, 0.1), "svg")
    assert len({own, other, without}) == 3
    assert own.count(b"<path") == other.count(b"<path") == without.count(b"<path") + 1


def test_what_costs_is_drawn_by_delta_and_queries_only_where_they_were_asked() -> None:
    plain = texts_of(draw_frontier([point(0.3, 0.1), point(0.6, 0.2)], "svg"))
    assert "information lost (NCP)" in plain
    assert "error of count queries" not in plain
    asked = texts_of(draw_frontier([point(0.3, 0.1, 0.05), point(0.6, 0.2, None)], "svg"))
    assert {"information lost (NCP)", "error of count queries", "k = 5", "δ"} <= set(asked)


def test_each_epsilon_has_a_picture_of_its_own_and_each_k_a_line() -> None:
    points = [point(0.3, 0.1), point(0.3, 0.2, k=10), point(0.4, 0.3, epsilon="0.2")]
    texts = texts_of(draw_frontier(points, "svg"))
    assert {"information lost (NCP), ε = 0.1", "information lost (NCP), ε = 0.2", "k = 5", "k = 10"} <= set(texts)


def test_the_frontier_and_what_is_suggested_are_named_where_they_are_drawn() -> None:
    points = [point(0.3, 0.1, best=True), point(0.6, 0.2)]
    marked = texts_of(draw_frontier(points, "svg", suggested=(0.3, 0.6)))
    assert marked.count("suggested") == marked.count("frontier") == 1
    plain = texts_of(draw_frontier([point(0.3, 0.1)], "svg"))
    assert not {"suggested", "frontier"} & set(plain)


@pytest.mark.parametrize("form", ["svg", "png"])
def test_the_same_advice_is_drawn_alike(form: str) -> None:
    points = [point(0.6, 0.2), point(0.3, 0.1)]
    assert draw_frontier(points, form) == draw_frontier(points[::-1], form)
    assert draw_map(SETTINGS, (5, 0.1), form) == draw_map(tuple(SETTINGS), (5, 0.1), form)
