"""What the HTML pages share: how a figure is written, and charts that stand inside a page."""

from __future__ import annotations

import math

import pytest
from jinja2 import UndefinedError

from headgate.core.errors import Defect
from tasks.reporting import page
from tasks.reporting.page import brief_text, figure_text, framed, page_template, percent_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "not measured"),
        (10, "10"),
        (10.0, "10"),
        (1234567, "1,234,567"),
        (0.4000001, "0.4"),
        (0.400001, "0.400001"),
        (2 / 3, "0.666667"),
    ],
)
def test_a_figure_keeps_six_digits(value: float | None, text: str) -> None:
    assert figure_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "not measured"),
        (0.0, "0"),
        (2 / 3, "0.6667"),
        (12345, "12,345"),
        (12345.0, "12,345"),
        (12345.6, "12,346"),
        (1234.5678, "1,235"),
        (math.inf, "∞"),
        (1e15, "1e+15"),
    ],
)
def test_in_a_wide_table_a_figure_keeps_four_digits_and_a_whole_number_all_of_them(value: float | None, text: str) -> None:
    assert brief_text(value) == text


@pytest.mark.parametrize(("share", "text"), [(None, "not measured"), (0.0, "0 %"), (0.125, "12.5 %"), (1 / 3, "33.33 %"), (1.0, "100 %")])
def test_a_share_is_a_percentage(share: float | None, text: str) -> None:
    assert percent_text(share) == text


def test_a_chart_stands_in_a_page_as_markup_without_addresses_and_a_name_stays_text() -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><use xlink:href="#a"/></svg>'
    ((caption, markup),) = framed({"sizes": svg}, {"sizes": "Sizes <of> groups.", "other": "-"})
    assert caption == "Sizes <of> groups."
    assert markup.__html__() == '<svg><use href="#a"/></svg>'
    template = page_template("check.html.j2").environment.from_string("{{ caption }}|{{ markup }}")
    assert template.render(caption=caption, markup=markup) == 'Sizes &lt;of&gt; groups.|<svg><use href="#a"/></svg>'


def test_figures_on_a_page_are_written_alike_and_one_that_is_not_given_is_an_error() -> None:
    environment = page_template("check.html.j2").environment
    assert environment.from_string("{{ x | figure }} {{ x | brief }} {{ x | percent }}").render(x=2 / 3) == "0.666667 0.6667 66.67 %"
    with pytest.raises(UndefinedError):
        environment.from_string("{{ y }}").render(x=1)


def test_a_page_that_is_not_installed_is_a_defect_with_a_cure() -> None:
    with pytest.raises(Defect, match="nothing.html.j2 is not installed") as caught:
        page.page_template("nothing.html.j2")
    assert caught.value.cure == "Install headgate again."
