"""One picture: its size, its inks, and nothing in it of the machine or of another drawing."""

from __future__ import annotations

import re
import threading
import time
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from tasks.reporting.drawing import INKS, PAGE_FONTS, SETTINGS, drawn
from tests.unit.tasks.reporting.png import pixels


def paint(figure: Any) -> None:
    axes = figure.add_subplot()
    axes.bar([0, 1], [1.0, 2.0], color=INKS["main"], label="rows")
    axes.annotate("a < b & c", (0, 1))
    axes.set_xlabel("group")
    axes.legend()


def test_a_picture_is_as_wide_as_its_form_and_as_high_as_it_is_told() -> None:
    assert pixels(drawn(paint, 1.5, "png")) == (600, 150)
    root = ElementTree.fromstring(drawn(paint, 1.5, "svg"))
    assert (root.get("width"), root.get("height")) == ("360pt", "108pt")


def test_drawing_in_several_threads_at_once_gives_the_same_bytes_and_leaves_matplotlib_as_it_was() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    alone = drawn(paint, 1.5, "svg")
    pictures: list[bytes] = []
    threads = [threading.Thread(target=lambda: pictures.append(drawn(paint, 1.5, "svg"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pictures == [alone] * 4
    assert dict(matplotlib.rcParams) == before


def test_matplotlibs_settings_are_lent_to_one_drawing_at_a_time() -> None:
    import matplotlib

    drawing, most = [], []

    def slowly(figure: Any) -> None:
        drawing.append(figure)
        most.append(len(drawing))
        assert {name: matplotlib.rcParams[name] for name in SETTINGS} == SETTINGS
        time.sleep(0.01)
        drawing.remove(figure)

    threads = [threading.Thread(target=lambda: drawn(slowly, 1, "svg")) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1, 1, 1]


def test_a_drawing_that_breaks_gives_the_settings_back_and_lets_the_next_one_draw() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)

    def broken(_: Any) -> None:
        raise ValueError("nothing to draw")

    with pytest.raises(ValueError, match="nothing to draw"):
        drawn(broken, 1, "png")
    assert dict(matplotlib.rcParams) == before
    assert pixels(drawn(paint, 1, "png")) == (600, 100)


def test_an_svg_takes_its_inks_and_fonts_from_the_page_and_has_no_ids_or_styles_that_meet_others() -> None:
    svg = drawn(paint, 1.5, "svg").decode()
    assert svg.startswith("<svg")
    assert "<style" not in svg
    assert re.search(r'<g id="', svg) is None
    for name in ("ink", "main", "grid"):
        assert f"var(--chart-{name}, {INKS[name]})" in svg
        assert svg.count(INKS[name]) == svg.count(f"var(--chart-{name}, {INKS[name]})")
    assert PAGE_FONTS in svg
    assert svg.count("'DejaVu Sans'") == svg.count(PAGE_FONTS)


def test_text_in_a_picture_stays_text() -> None:
    svg = drawn(paint, 1.5, "svg")
    ElementTree.fromstring(svg)
    assert b">a &lt; b &amp; c</text>" in svg
    assert b">group</text>" in svg
