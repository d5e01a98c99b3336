from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from headgate.risk.disclosure.decision import risk_distribution
from headgate.risk.disclosure.patterns import Pattern
from policies.changes.policy_changes import PolicyChange
from policies.changes.release_changes import Changes, ColumnChange, Compared
from policies.gates.series_figures import SeriesFigures
from policies.gates.verdict import Measured, Verdict
from policies.judging.exposure import AttributeChange, Exposure
from policies.sealed.promise import CombinedRows, Promise, QuasiIdentifier, SensitiveAttribute
from tasks.reporting.candidate_page.further_down import GLOSSARY
from tasks.reporting.candidate_page.page_content import Answered, Sample, page_json
from tasks.reporting.candidate_page.page_told import render_page
from tasks.reporting.candidate_page.regulators import regulators
from tasks.reporting.measured_tables import MeasuredRelease, MeasuredTable, Outcome
from tasks.reporting.report import ReportContent, candidate_page, render_report
from tests.unit.claimed import claiming, required

pytestmark = pytest.mark.slow

ATTACK = "<script>alert('1')</script>\"><img src=x onerror=alert(2)>"
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """What a browser would make of the page, and whether every element is closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, text: str) -> None:
        self.words.append(text)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def page_of(release: MeasuredRelease, *samples: Sample, patterns: Any = None) -> Page:
    content = ReportContent(release, "headgate 0.1.0", samples, patterns or {}, approvals_required=2, publish_to="hospital")
    return Page(render_report(content))


def test_a_candidate_page_says_that_all_gates_passed_and_who_must_sign(release: MeasuredRelease) -> None:
    page = page_of(release)
    assert "All 6 requirements are met; two approvals are needed." in page.text
    assert "not passed" in page.text  # the step of the search that the plan stopped before
    assert "headgate verify FOLDER" in page.text


def test_directly_under_the_verdict_stands_the_attack_that_gains_most(release: MeasuredRelease) -> None:
    html = render_report(ReportContent(release, "headgate 0.1.0"))
    said = (
        "The attack that gains most: somebody is right about &#39;income&#39; for 50\u00a0% of 64 people; by guessing without the "
        "published tables, for 25\u00a0%."
    )
    assert re.search(r'role="status"><p>All 6 requirements are met; [^<]*</p></div>\s*<p class="worst">' + re.escape(said), html)
    assert "no requirement depends on it" in html
    gated = (*release.verdicts, release.verdicts[0].model_copy(update={"gate": "attack", "bound": "homogeneity", "table": ""}))
    assert "The policy limits what some of these attacks may gain" in render_report(
        ReportContent(replace(release, verdicts=gated), "headgate 0.1.0")
    )


def test_the_page_names_who_ran_it_the_policy_and_the_columns_that_are_left_out(release: MeasuredRelease) -> None:
    content = ReportContent(release, "headgate 0.1.0", runner="steward", policy_file="patients.yaml", left_out=("patient_id", "notes"))
    page = Page(render_report(content))
    for said in ("run by steward", "policy patients.yaml", "Not published: patient_id, notes.", "headgate show r-20260801-4f2a"):
        assert said in page.text


def test_the_plan_stands_beside_everything_in_one_table_and_attacks_are_told(release: MeasuredRelease) -> None:
    """The fixture's tables are 0.25 from the whole at worst, and its plan exposes a half."""
    assert release.plan is not None
    page = page_of(replace(release, plan=release.plan.model_copy(update={"naive_closeness": 0.5}), attacks=("table-1: nobody is found.",)))
    assert "less threat than one table, 1 − Γβ 50 %" in page.text
    assert "closer than one table, 1 − t′/t 50 %" in page.text
    assert "table-1: nobody is found." in page.text
    page = page_of(replace(release, attacks=(), attack_gains=()))
    assert "less threat than one table, 1 − Γβ 50 %" in page.text
    assert "closer than one table" not in page.text  # nobody has tried that table
    assert "Attacks" not in page.text


def test_a_refused_release_has_the_same_page_with_the_reason_and_the_cure(refused: MeasuredRelease) -> None:
    page = page_of(refused)
    assert "It may not go out: 1 of 7 requirements is not met." in page.text
    assert "In table-2, 90 % of the people in some group share a sensitive value" in page.text
    assert "Raise k." in page.text
    assert "None of it was published" in page.text
    assert "requirements are met;" not in page.text
    assert "headgate audit show r-20260801-4f2a" in page.text


def test_an_approver_reads_how_the_policy_treats_each_column(undrawn: MeasuredRelease) -> None:
    """Approvers are asked whether roles and values without protection are right, and the page did not say them."""
    sensitive = (
        SensitiveAttribute(name="income", kind="number"),
        SensitiveAttribute(name="job", kind="category", nonsensitive=("retired", None)),
        SensitiveAttribute(name="ill=flu", kind="category", origin="ill", nonsensitive=("0", None)),
        SensitiveAttribute(name="ill=none", kind="category", origin="ill", nonsensitive=("0", "1", None)),
    )
    promise = Promise(
        requirements=(required("k", 10), required("linkability", "0.8")),
        quasi=(QuasiIdentifier(name="age", kind="integer"),),
        sensitive=sensitive,
        insensitive=("shoe",),
    )
    text = page_of(replace(undrawn, promise=promise)).text
    assert "age quasi-identifier integer generalized" in text
    assert "income sensitive number published as it is; every value is protected" in text
    assert "job sensitive category published as it is; not protected: retired, a missing cell" in text
    assert "ill sensitive set a column for each of 2 values; having a value is protected; not protected: none" in text
    assert "shoe insensitive – published as it is; no gate but uniqueness looks at it" in text


def test_of_each_dictionary_the_table_that_is_worst_off_shows_its_steps_and_its_patterns(undrawn: MeasuredRelease) -> None:
    """Of two that are as bad, the first; what could not be measured is worse than both."""
    largest = {"register": [0.5, 0.5], "voters": [0.5, None]}
    measured = [{name: known for name, each in largest.items() if (known := each[place]) is not None} for place in range(2)]
    tables = [
        replace(table, figures=claiming(table.figures, disclosure_max=own)) for table, own in zip(undrawn.tables, measured, strict=False)
    ]
    spread = risk_distribution(np.array([0.5, 0.1]))
    names = [(table.name, dictionary) for table in tables for dictionary in largest]
    now, step = AttributeChange("as it is", 0.3, 0.5, 0.25, 2, True), AttributeChange("suppress age", 0.1, 0.1, 0.0, 9, False)
    found = [Exposure(table, dictionary, ("age",), spread, now, (step,)) for table, dictionary in names]
    release = replace(undrawn, tables=tuple(tables), exposures=tuple(found))
    patterns = {key: (Pattern((f"[{place}..9]",), 2, 2.0, 0.5, 1.0),) for place, key in enumerate(names)}
    text = page_of(release, patterns=patterns).text
    assert text.count("what one step would buy") == text.count("the riskiest patterns of published cells") == 2
    for name, dictionary in (("table-1", "register"), ("table-2", "voters")):
        assert f"{name} against {dictionary}: what one step would buy" in text
        assert f"{name} against {dictionary}: the riskiest patterns" in text
        assert f"[{names.index((name, dictionary))}..9]" in text
    assert "as it is 0.3 0.5 25 % 2 kept" in text
    assert GLOSSARY["loss of a record"] in text
    assert "suppress age 0.1 0.1 0 % 9 not kept" in text


def test_where_people_weigh_their_own_records_no_single_loss_is_sealed(undrawn: MeasuredRelease) -> None:
    """The page hid them; the file beside it is published as well."""
    spread = risk_distribution(np.array([0.5, 0.123456]))
    now = AttributeChange("as it is", 0.3, 0.5, 0.25, 2, True)
    own = Exposure("table-1", "register", ("age",), spread, now, (), personal=True)
    patterns = {("table-1", "register"): (Pattern(("[1..9]",), 2, 2.0, 0.123456, 0.234567),)}
    for personal in (True, False):
        release = replace(undrawn, exposures=(replace(own, personal=personal),))
        sealed = page_json(candidate_page(ReportContent(release, "headgate 0.1.0", patterns=patterns)))
        assert (b"0.123456" in sealed, b"0.234567" in sealed) == (not personal, not personal)


def test_of_a_candidate_that_is_answered_no_value_is_sealed(undrawn: MeasuredRelease) -> None:
    """The page is published, and the candidate that was sent back never was."""
    compared = Compared(candidate="ab" * 32, release="r-0", dataset="d", created="2026-01-01T00:00:00+00:00", policy_digest="ab", tables=())
    moved = ColumnChange(table="table-1", column="city", total_variation=0.5, place="Atlantis", before=0.5, after=0.0)
    key = PolicyChange(key="attributes.city.role", before="insensitive", after="dropped")
    changes = Changes(
        before=compared, after=compared, same_source=True, policy=(key,), readers=(), gates=(), figures=(), columns=(moved,)
    )  # fmt: skip
    answered = Answered(candidate="ab" * 32, changes=changes)
    page = candidate_page(ReportContent(undrawn, "headgate 0.1.0", changes=changes, answered=(answered,)))
    assert b"Atlantis" not in page_json(page.model_copy(update={"changes": None}))
    assert b"insensitive" not in page_json(page.model_copy(update={"promise": None}))
    assert page.changes is not None  # of what is published, all is told
    assert page.changes.columns == (moved,)
    text = Page(render_page(page)).text
    assert "Since the candidate that it answers" in text
    assert text.count("attributes.city.role") == 2


def test_a_gate_that_could_not_be_measured_is_shown_as_such_and_refuses(undrawn: MeasuredRelease) -> None:
    unmeasured = verdict_of("disclosure", None, 0.1, dictionary="register", bound="mean", remedy="Give the dictionary.")
    page = page_of(replace(undrawn, verdicts=(*undrawn.verdicts, unmeasured)))
    assert "It may not go out: 1 of 7 requirements is not met." in page.text
    assert "In table-1, disclosure.mean against register could not be measured." in page.text
    assert "not measured" in page.text


def verdict_of(gate: str, measured: float | None, required: float, comparison: str = "at most", **rest: Any) -> Verdict:
    return Verdict.model_validate(
        {"gate": gate, "table": "table-1", "comparison": comparison, "measured": measured, "required": required, "passed": False, **rest}
    )


@pytest.mark.parametrize(
    ("place", "name", "way"),
    [
        ({"gate": "k"}, "k", "at least"),
        ({"gate": "dissimilarity", "attribute": "income"}, "dissimilarity of income", "at least"),
        ({"gate": "reidentification", "bound": "max"}, "reidentification.max", "at most"),
        ({"gate": "closeness", "attribute": "job"}, "closeness of job", "at most"),
        ({"gate": "disclosure", "dictionary": "a.b: c", "bound": "candidates"}, "disclosure.candidates against a.b: c", "at least"),
        ({"gate": "disclosure", "dictionary": "register", "bound": "share"}, "disclosure.share against register", "at most"),
    ],
)
def test_the_gates_table_says_which_way_each_gate_compares(undrawn: MeasuredRelease, place: dict[str, str], name: str, way: str) -> None:
    verdict = verdict_of(**place, measured=7, required=5, comparison=way, passed=True, remedy="A remark.")
    assert f"{name} table-1 7 {way} 5 ✓ passed A remark." in page_of(replace(undrawn, verdicts=(verdict,))).text


def test_what_the_versions_tell_together_is_a_section_with_the_worst_comparison_first(undrawn: MeasuredRelease, bit: str) -> None:
    text = page_of(undrawn).text
    assert "Together with the versions before" in text
    assert "compared with version 1 of 2026-07-01" in text
    assert "The policy sets no limits for several versions" in text
    assert text.index(f"income, {bit} 75 % 2 of 4") < text.index(f"{bit} 62.5 % 2 of 4") < text.index("income 50 % 2 of 4")
    assert "ef" * 6 not in text
    assert "Together with" not in page_of(replace(undrawn, series=None)).text


def test_why_versions_were_left_out_stands_directly_under_the_verdict(undrawn: MeasuredRelease) -> None:
    """Whoever approves accepts the reason: it must not wait on the fifth page."""
    left_out = SeriesFigures(not_measured=2, unmeasured=f"They were purged.{ATTACK}", people=63, came=63)
    html = render_report(ReportContent(replace(undrawn, series=left_out), "headgate 0.1.0"))
    assert re.search(r'role="status"><p>[^<]*</p></div>.{0,400}role="note"><p>This version was not compared with any', html, re.S)
    assert "They were purged.&lt;script&gt;" in html


@pytest.mark.parametrize("checked", [True, False])
def test_a_page_says_where_nobody_checked_that_a_row_is_a_person(undrawn: MeasuredRelease, checked: bool) -> None:
    promise = undrawn.promise
    assert promise is not None
    text = page_of(replace(undrawn, promise=promise.model_copy(update={"people_checked": checked}))).text
    assert ("Nobody checked that a row is a person" in text) is not checked


def test_a_page_says_how_rows_of_a_person_were_combined(undrawn: MeasuredRelease) -> None:
    promise = undrawn.promise
    assert promise is not None
    combined = CombinedRows(per="person", rules={"visits": "count"}, source_rows=21_530)
    text = page_of(replace(undrawn, promise=promise.model_copy(update={"combined": combined}))).text
    assert "The 21,530 rows of the source were combined into one row per person (person): visits (count)" in text


def test_what_was_asked_for_stands_beside_what_was_allowed(undrawn: MeasuredRelease) -> None:
    verdict = verdict_of("dissimilarity", 5 / 9, 0.3, "at least", asked=0.95, passed=True, remedy="A remark.")
    assert (
        "dissimilarity table-1 0.555556 0.95 asked for, 0.3 accepted ✓ passed A remark."
        in page_of(replace(undrawn, verdicts=(verdict,))).text
    )


def test_a_figure_a_hair_over_its_limit_does_not_read_as_equal_to_it(undrawn: MeasuredRelease) -> None:
    text = page_of(replace(undrawn, verdicts=(verdict_of("linkability", 0.80000001, 0.8),))).text
    assert "80.000001 % of the people in some group" in text
    assert "0.80000001 at most 0.8" in text


def test_a_run_that_ended_before_any_table_was_made_still_has_its_page() -> None:
    ended = MeasuredRelease(
        dataset="d", title="D", release_id="r-1", created="2026-01-01T00:00:00Z", policy_digest="ab", rows=12, suppressed=0,
        outcomes=(Outcome("in", "expect_column_values_to_not_be_null", "age", False), Outcome("in", "expect_column_to_exist", "age", True)),
    )  # fmt: skip
    page = page_of(ended)
    assert "It may not go out: 1 expectation of the data is not met." in page.text
    assert "The expectation expect_column_values_to_not_be_null was not met." in page.text
    assert "1 of 2 met" in page.text
    assert page.all("svg") == []


@pytest.mark.parametrize(
    "changes",
    [{"verdicts": ()}, {"refusal": "no plan passes"}, {"outcomes": (Outcome("out", "expect_column_to_not_exist", "id", False),)}],
)
def test_nothing_judged_a_refusal_or_a_failed_expectation_is_never_shown_as_passed(undrawn: MeasuredRelease, changes: dict) -> None:
    changed = replace(undrawn, **changes)
    assert not changed.passed
    assert "It may not go out" in page_of(changed).text


def test_markup_in_titles_names_cells_and_remedies_stays_text(release: MeasuredRelease) -> None:
    figures = release.tables[0].figures
    table = MeasuredTable(claiming(figures, name=ATTACK, closeness={ATTACK: 0.5}), np.array([10]), np.array([0.1]), {ATTACK: 0.25})
    hostile = replace(
        release,
        title=ATTACK,
        dataset=ATTACK,
        release_id=ATTACK,
        refusal=ATTACK,
        tables=(table,),
        verdicts=(
            Verdict(
                gate="closeness", attribute=ATTACK, table=ATTACK, comparison="at most", measured=1, required=1, passed=False, remedy=ATTACK
            ),
        ),
        outcomes=(Outcome("in", ATTACK, ATTACK, False, ATTACK),),
    )
    plain = page_of(replace(release, tables=release.tables[:1]))
    page = page_of(hostile, Sample(table=ATTACK, columns=(ATTACK, "age"), rows=((ATTACK, None),)))
    assert page.all("script") == []
    assert all((image["src"] or "").startswith("data:image/svg+xml;base64,") for image in page.all("img"))
    assert {name for name, _ in page.tags} - {name for name, _ in plain.tags} <= {"pattern", "rect"}
    assert not any(attribute.startswith("on") for _, attributes in page.tags for attribute in attributes)
    assert ATTACK in " ".join(page.words)


def test_the_page_fetches_nothing_and_forbids_it(release: MeasuredRelease) -> None:
    text = render_report(ReportContent(release, "headgate 0.1.0"))
    page = Page(text)
    named = {clauses.source for clauses in regulators().texts}  # as text, for those who want to read them
    assert set(re.findall(r"https?:[^\s<]+", text)) <= named
    assert "url(" not in text.replace("url(#", "")
    assert "@import" not in text
    assert not {"script", "link", "iframe", "object", "embed", "image", "base", "form"} & {name for name, _ in page.tags}
    for _, attributes in page.tags:
        assert (attributes.get("src") or "data:").startswith("data:")
        assert (attributes.get("href") or "#").startswith("#")
    policies = [meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert len(policies) == 1
    assert (policies[0] or "").startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in (policies[0] or "")
    style = re.search(r"<style>(.*?)</style>", text, re.S)
    assert style is not None
    assert base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode() in (policies[0] or "")
    assert not any("style" in attributes for _, attributes in page.tags)  # the policy would not apply them


def test_every_link_inside_the_page_leads_somewhere(refused: MeasuredRelease) -> None:
    page = page_of(refused)
    ids = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    assert {(attributes["href"] or "")[1:] for _, attributes in page.tags if "href" in attributes} <= ids


def test_sample_rows_are_shown_as_published_with_missing_cells_named(undrawn: MeasuredRelease) -> None:
    sample = Sample(table="table-1", columns=("age", "income", "group"), rows=(("[20..29]", "1234.5", "7"), ("{a|b}", None, "8")))
    page = page_of(undrawn, sample)
    assert "2 of 63 published rows, as in the file" in page.text
    assert "[20..29] 1234.5 7" in page.text
    assert "{a|b} missing 8" in page.text


def test_every_figure_shown_has_its_line_in_the_glossary(release: MeasuredRelease) -> None:
    page = page_of(release)
    for name in ("risk", "linkability", "closeness", "distinct l", "(δ, l)", "query error", "threat of joining, Γβ"):
        assert f"{name} {GLOSSARY[name]}" in page.text


def test_a_mean_of_random_queries_stands_beside_its_interval(release: MeasuredRelease) -> None:
    assert "query error: 95 % interval of the mean 0.0625 to 0.125" in page_of(release).text


def test_a_figure_that_was_not_measured_is_left_out_rather_than_shown_as_nothing(undrawn: MeasuredRelease) -> None:
    bare = claiming(undrawn.tables[0].figures, risk=None, linkability=None, query_error_mean=None)
    page = page_of(replace(undrawn, tables=(replace(undrawn.tables[0], figures=bare),)))
    assert GLOSSARY["linkability"] not in page.text
    assert "None" not in page.text
    assert "nan" not in page.text.split()


def test_a_column_of_which_little_is_left_is_told_beside_its_table(undrawn: MeasuredRelease) -> None:
    hidden = undrawn.tables[0].figures.model_copy(update={"everything": {"age": 0.75, "region": 0.25}})
    text = page_of(replace(undrawn, tables=(replace(undrawn.tables[0], figures=hidden),))).text
    assert "In 75 % of the rows of table-1, age is * (everything)" in text
    assert "region is *" not in text


def test_the_plan_shows_every_step_with_the_chosen_one_marked(release: MeasuredRelease, bit: str) -> None:
    page = page_of(release)
    assert f"1 income + {bit} 2 0.25 0.5 ✓ passed (the plan)" in page.text
    assert f"✗ not passed closeness of {bit}" in page.text


@pytest.mark.parametrize(
    ("suppressed", "said"), [(0, "Nobody was left out: each of the 70 rows is in every table."), (7, "7 of 70 rows are in none")]
)
def test_suppression_is_stated_either_way(undrawn: MeasuredRelease, suppressed: int, said: str) -> None:
    assert said in page_of(replace(undrawn, suppressed=suppressed)).text


def test_the_same_content_gives_the_same_page(release: MeasuredRelease) -> None:
    content = ReportContent(release, "headgate 0.1.0")
    assert render_report(content) == render_report(content)


def test_what_the_policy_says_of_purpose_and_recipients_stands_above_the_figures(undrawn: MeasuredRelease) -> None:
    page = render_report(ReportContent(replace(undrawn, about={"recipients": "Anybody", "purpose": "Teaching <b>"}), "headgate"))
    assert page.index("<dt>Purpose</dt><dd>Teaching &lt;b&gt;</dd>") < page.index("<dt>Recipients</dt>") < page.index("rows in the source")
    assert "<dt>Purpose</dt>" not in render_report(ReportContent(undrawn, "headgate"))


def with_attributes(release: MeasuredRelease, many: int) -> MeasuredRelease:
    """Its first table with so many attributes, each with a figure, a verdict and expectations of its own."""
    names = tuple(f"answer_{place}" for place in range(many))
    figures = tuple(Measured(figure="closeness", of=name, value=place / many) for place, name in enumerate(names))
    table = replace(release.tables[0], figures=release.tables[0].figures.model_copy(update={"sensitive": names, "measured": figures}))
    requirement = next(verdict for verdict in release.verdicts if verdict.passed and verdict.required is not None)
    verdicts = tuple(requirement.model_copy(update={"attribute": name}) for name in names)
    outcomes = tuple(Outcome("out", "expect_something", name, True, table.name) for name in names)
    attributes = tuple(SensitiveAttribute(name=name, kind="category") for name in names)
    promise = release.promise.model_copy(update={"sensitive": attributes})
    return replace(release, tables=(table,), verdicts=verdicts, outcomes=outcomes, promise=promise)


def test_a_page_about_thousands_of_attributes_stays_small_and_says_what_it_leaves_out(undrawn: MeasuredRelease) -> None:
    columns = tuple(f"answer_{place}" for place in range(4000))
    sample = Sample(table=undrawn.tables[0].name, columns=columns, rows=(("1",) * len(columns),))
    few, many = (with_attributes(undrawn, number) for number in (2000, 4000))
    page = ReportContent(many, "headgate 0.1.0", (sample,), {}, approvals_required=2, publish_to="hospital")
    text = render_report(page)
    assert len(text) - len(render_report(replace(page, measured=few))) < 150_000  # names, in three lists
    assert len(text) < 600_000
    said = Page(text).text
    assert "3,800 more verdicts passed with more room than these" in said
    assert "3,800 more were met" in said
    assert "and 3,950 more columns" in said
    assert "Figures of the attributes that are worst off: 40 for each figure" in said
    assert "answer_3999" in said


def test_of_very_many_tables_those_nearest_to_their_bounds_have_pictures(release: MeasuredRelease) -> None:
    first = release.tables[0]
    tables = tuple(replace(first, figures=first.figures.model_copy(update={"name": f"table-{place}"})) for place in range(30))
    verdict = next(verdict for verdict in release.verdicts if verdict.passed and verdict.required and verdict.comparison == "at most")
    verdicts = tuple(
        verdict.model_copy(update={"table": table.name, "measured": verdict.required * place / 30}) for place, table in enumerate(tables)
    )
    page = page_of(replace(release, tables=tables, verdicts=verdicts, plan=None, exposures=()))
    assert page.text.count("No pictures: of 30 tables, only the 12") == 18
