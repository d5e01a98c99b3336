"""The whole page, as one file and for the console's frame."""

from __future__ import annotations

import base64
import re

import pytest
from lxml import etree

from tasks.reporting.candidate_page.may_it_go_out import Standing
from tasks.reporting.candidate_page.page_content import CandidatePage, Example
from tasks.reporting.candidate_page.page_told import data_image, page_context, render_page, stylesheet, svg_file
from tasks.reporting.language import ENGLISH, LANGUAGES
from tasks.reporting.page import page_environment

CURE = "Raise k, declare what is not sensitive (nonsensitive), or accept a higher gates.linkability."
HOSTILE = "<script>alert('1')</script>\"><img src=x onerror=alert(2)>"
QUESTIONS = ("answer", "contents", "attacker", "cost", "origin", "regulators", "further")
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text x="1">median</text><text>income</text></svg>'


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_page_answers_the_questions_in_their_order_and_is_well_formed(hospital: CandidatePage, code: str) -> None:
    html = render_page(hospital, code)
    assert f'<html lang="{code}">' in html
    assert [found for found in re.findall(r'<section id="(\w+)"', html) if found in QUESTIONS] == list(QUESTIONS)
    parser = etree.HTMLParser(recover=False)
    etree.fromstring(html.replace("<main>", "<div>").replace("</main>", "</div>").encode(), parser)
    unknown = [entry for entry in parser.error_log if "Tag " not in entry.message]  # libxml2 does not know the elements of HTML 5
    assert unknown == []
    assert len(re.findall(r'\bid="([^"]*)"', html)) == len(set(re.findall(r'\bid="([^"]*)"', html)))
    assert "%(" not in html


def test_only_the_sample_shows_values_of_rows(hospital: CandidatePage) -> None:
    """Cells that stand in the sample alone are gone with it."""
    bare = hospital.model_copy(update={"tables": tuple(table.model_copy(update={"sample": None}) for table in hospital.tables)})
    sample = hospital.tables[1].sample
    assert sample is not None
    place = sample.columns.index("income")
    incomes = {str(row[place]) for row in sample.rows}
    assert all(f"<td>{income}</td>" in render_page(hospital) for income in incomes)
    assert not any(f">{income}<" in render_page(bare) for income in incomes)


def test_markup_in_names_values_and_sentences_stays_text(hospital: CandidatePage) -> None:
    example = Example(columns=(HOSTILE,), invented=(HOSTILE,), published=(HOSTILE,), people=3)
    first = hospital.tables[0].model_copy(update={"example": example})
    verdicts = tuple(verdict.model_copy(update={"passed": False, "remedy": HOSTILE, "table": HOSTILE}) for verdict in hospital.verdicts[:3])
    page = hospital.model_copy(
        update={
            "title": HOSTILE, "dataset": HOSTILE, "release_id": HOSTILE, "runner": HOSTILE, "left_out": (HOSTILE,), "uncompared": HOSTILE,
            "tables": (first,), "verdicts": verdicts, "roles": {HOSTILE: 1}, "about": {"purpose": HOSTILE}, "attacks": (HOSTILE,),
            "refusal": HOSTILE, "passed": False, "publish_to": HOSTILE, "bounds": (HOSTILE,), "policy_file": HOSTILE,
        }
    )  # fmt: skip
    for code in LANGUAGES:
        html = render_page(page, code)
        assert "<script" not in html
        assert "<img src=x" not in html
        assert not re.search(r"<[^>]*\son\w+=", html)
        assert html.count("&lt;script&gt;") > 10


def test_a_picture_is_a_file_of_its_own_in_the_language_and_for_dark_pages(hospital: CandidatePage) -> None:
    told = svg_file(SVG, ENGLISH).decode()
    assert "prefers-color-scheme:dark" in told
    assert told.endswith('<text x="1">median</text><text>income</text></svg>')
    etree.fromstring(told.encode())
    page = hospital.model_copy(update={"pictures": {"query_errors": SVG}})
    address = data_image(page, ENGLISH)("query_errors")
    assert base64.b64decode(address.removeprefix("data:image/svg+xml;base64,")) == told.encode()
    assert f'<img src="{address}"' in render_page(page)


def test_the_console_gives_its_own_frame_pictures_and_forms(hospital: CandidatePage) -> None:
    page = hospital.model_copy(update={"pictures": {"query_errors": SVG}})
    environment = page_environment("en")
    frame = environment.from_string("<x>{% block title %}{% endblock %}</x><y>{% block content %}{% endblock %}</y>")
    child = environment.from_string('{% extends "candidate.html.j2" %}{% block after_answer %}<form id="decide"></form>{% endblock %}')
    standing = Standing(signed=1, missing={"": 1})
    said = child.render({**page_context(page, "en", image=lambda name: f"/pictures/{name}.svg", standing=standing), "frame": frame})
    assert said.startswith("<x>Hospital patients")
    assert "<!DOCTYPE" not in said
    assert "fetches nothing" not in said
    assert "fetches nothing" in render_page(page)
    assert '<img src="/pictures/query_errors.svg"' in said
    places = [said.index(text) for text in ("one approval is given, one more is needed", '<form id="decide">', "Who could be recognized")]
    assert places == sorted(places)


ENGLISH_WORDS = re.compile(r"\b(the|of|and|is|are|for|with|by|not|people|at least|at most|or|which|this)\b")
KEPT = ("Hospital patients, admissions of 2024", "Public Release of Clinical Information", "Opinion 05/2014", "Quelle: http")  # names


@pytest.mark.parametrize("which", ["hospital", "refused_page"])
def test_nothing_on_the_german_page_is_english_but_names(which: str, request: pytest.FixtureRequest) -> None:
    page = request.getfixturevalue(which)
    if which == "refused_page":
        page = page.model_copy(update={"verdicts": (*page.verdicts[:-1], page.verdicts[-1].model_copy(update={"remedy": CURE}))})
    html = render_page(page, "de").split("<main>")[1]
    texts = {text.strip() for text in re.findall(r">([^<]+)<", html)}
    left = [text for text in texts if ENGLISH_WORDS.search(text) and not any(name in text for name in KEPT)]
    assert left == []


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def schemes() -> dict[str, dict[str, str]]:
    css = stylesheet()[0]
    light, dark = re.findall(r":root\s*\{(.*?)\}", css, re.S)[:2]
    found = {name: dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for name, block in (("light", light), ("dark", dark))}
    return {"light": found["light"], "dark": {**found["light"], **found["dark"]}}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        *((ink, ground) for ink in ("ink", "muted", "link") for ground in ("page", "panel")),
        ("good", "page"), ("bad", "page"), ("good", "panel"), ("bad", "panel"), ("ink", "good-panel"), ("ink", "bad-panel"),
    ],
)  # fmt: skip
def test_text_can_be_read_by_people_with_weak_sight(scheme: str, ink: str, ground: str) -> None:
    """WCAG 2.2, 1.4.3: 4.5 to 1."""
    colours = schemes()[scheme]
    assert contrast(colours[ink], colours[ground]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("ink", ["chart-main", "chart-fail", "chart-second", "ink"])
def test_bars_can_be_told_from_their_ground(scheme: str, ink: str) -> None:
    """WCAG 2.2, 1.4.11: 3 to 1."""
    colours = schemes()[scheme]
    assert min(contrast(colours[ink], colours[ground]) for ground in ("page", "track")) >= 3
