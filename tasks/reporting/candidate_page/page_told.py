"""The page in one language: everything that its templates need, and the whole of it as one file that fetches nothing.

The console tells the same page in its own frame. What it needs: `page_context`, and a template of its own that says
`{% extends "candidate.html.j2" %}` and fills the blocks `after_answer` (forms to decide) and `comments`; `frame` names the template around
the page, with the blocks `title`, `navigation` and `content` (here `frame.html.j2`); `image` gives the address of a picture by its name.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Any

from policies.gates.attack import ATTACK
from policies.gates.figures import worst_attack
from policies.judging.alike_in_words import alike_in
from policies.judging.series_in_words import series_in_words
from policies.schema.about import TITLES
from policies.sealed.promise import NOBODY_CHECKED
from tasks.reporting.candidate_page.attacks_in_words import attack_answer, attack_sentences
from tasks.reporting.candidate_page.further_down import (
    against_one,
    alike_together,
    declared_columns,
    disclosures,
    glossary,
    judged,
    plan_steps,
    remarks,
    sides,
    table_figures,
    texts_apart,
)
from tasks.reporting.candidate_page.may_it_go_out import Standing, in_words, may_it_go_out, reasons, role_name
from tasks.reporting.candidate_page.page_content import CandidatePage, Sample
from tasks.reporting.candidate_page.regulators import regulators, shown_clauses
from tasks.reporting.candidate_page.requirement_lines import known_of, refusal_of, requirement_groups
from tasks.reporting.language import PACKAGE, Language, language, message
from tasks.reporting.page import page_environment
from tasks.reporting.shown_part import MOST_BARS, MOST_CELLS, MOST_LINES

CAPTIONS = {
    "plan": message("The search for the plan. Each point is one way to divide the sensitive attributes among tables."),
    "trade_off": message("What could be had if every table passed: the plans of codip*, and the least exposed that lose as little."),
    "group_sizes": message("Group sizes. No bar may be left of the line."),
    "group_risks": message("Proximity risk, group by group. No bar may be right of the line."),
    "closeness": message("Closeness of each sensitive attribute."),
    "loss": message("Information lost by each quasi-identifier."),
    "query_errors": message("Relative error of random count queries."),
}
DIRECTION = {True: message("better"), False: message("worse"), None: ""}
REQUIRED = {True: message("stricter"), False: message("less strict"), None: message("the same")}
PLACES = (message("missing"), message("all others"), message("has it"), message("does not have it"))  # of distributions
WORST_SHOWN = 5  # comparisons of versions; the others are folded
CHART_WORDS = frozenset(
    (
        message("rows in the group"), message("groups"), message("risk of the group"), message("required"), message("allowed"),
        message("closeness; tick: at most"), message("closeness"), message("allowed by the policy"), message("tables passed"),
        message("tables did not pass"), message("the plan"), message("association lost, Γα"), message("threat of joining, Γβ"),
        message("median"), message("mean"), message("95 %% interval"), message("interval required at most"),
        message("relative error of count queries"), message("information lost (NCP)"), message("information lost (NCP), per cent"),
    )
)  # fmt: skip
TEXT = re.compile(r"(<text[^>]*>)([^<]+)(</text>)")
DARK = "ink:#e7eaee muted:#a3adb8 grid:#38414b main:#4aa8de fail:#f08a4b second:#f0bb4f room:#23463b"

Image = Callable[[str], str]


def svg_file(svg: str, spoken: Language) -> bytes:
    """A sealed picture as a file of its own, with its words in the language, and with colours for dark pages."""
    dark = "".join("--chart-{}:{};".format(*ink.split(":")) for ink in DARK.split())
    style = f"<style>@media (prefers-color-scheme:dark){{:root{{{dark}}}}}</style>"
    told = TEXT.sub(lambda found: f"{found[1]}{_chart_word(found[2], spoken)}{found[3]}", svg)
    return told.replace(">", f">{style}", 1).encode()


def _chart_word(text: str, spoken: Language) -> str:
    """Names of columns stay what they are."""
    return spoken.reword(text) if text.replace("%", "%%") in CHART_WORDS else text


def data_image(page: CandidatePage, spoken: Language) -> Image:
    """Pictures inside the page."""
    pictures = page.of_release

    def image(name: str) -> str:
        return f"data:image/svg+xml;base64,{base64.b64encode(svg_file(pictures[name], spoken)).decode()}"

    return image


@cache
def stylesheet() -> tuple[str, str]:
    """The one stylesheet, and the source expression by which a Content-Security-Policy allows it."""
    text = resources.files(PACKAGE).joinpath("templates", "page.css").read_text(encoding="utf-8")
    return text, f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def render_page(page: CandidatePage, code: str = "en") -> str:
    """One file, as it is sealed. Everything in it is escaped."""
    return page_environment(code).get_template("candidate.html.j2").render(page_context(page, code))


def page_context(
    page: CandidatePage, code: str = "en", *packages: str, image: Image | None = None, standing: Standing | None = None
) -> Mapping[str, Any]:
    """What `candidate.html.j2` is told. `packages` as in `page_environment`; `image` and `standing` are the console's."""
    from markupsafe import Markup

    spoken = language(code, PACKAGE, *reversed(packages))
    css, css_source = stylesheet()
    figures = {table.name: tuple(table_figures(table.figures, spoken)) for table in page.tables}
    shown = {figure.name.partition(":")[0] for group in figures.values() for figure in group}
    remarked, verdicts = remarks(page), judged(page.verdicts)
    declared = tuple(declared_columns(page.promise)) if page.promise else ()
    return {
        "frame": "frame.html.j2",
        "css": Markup(css),
        "css_source": Markup(css_source),
        "image": image or data_image(page, spoken),
        "alone": image is None,
        "captions": {name: spoken.say(caption) for name, caption in CAPTIONS.items()},
        "page": page,
        "answer": may_it_go_out(page, spoken, standing),
        "reasons": reasons(page, spoken, (spoken.reword(page.refusal),) if page.refusal else ()),
        "refused_by": [refusal_of(verdict, spoken) for verdict in page.refused_by],
        "groups": requirement_groups(page, spoken, remarked),
        "roles": [(role_name(role, spoken), number) for role, number in sorted(page.roles.items())],
        "place_name": lambda place: spoken.gettext(place) if place in PLACES else place,
        "in_words": lambda number: in_words(number, spoken),
        "known": known_of(page.known, spoken),
        "attacks": attack_sentences(page, spoken),
        "attack_answer": attack_answer(page, spoken),
        "worst_attack": worst_attack(page.attack_gains),
        "attack_gated": any(verdict.gate == ATTACK for verdict in page.verdicts),
        "texts": [(text, shown_clauses(text, page, spoken)) for text in regulators().texts],
        "regulators_version": regulators().version,
        "series": None if page.series is None else series_in_words(page.series, page.verdicts, page.versions),
        "worst_shown": WORST_SHOWN,
        "most_lines": MOST_LINES,
        "most_bars": MOST_BARS,
        "nobody_checked": NOBODY_CHECKED,
        "about": [(title, page.about[name]) for name, title in TITLES.items() if name in page.about],
        "declared": alike_together(declared),
        "published_columns": len(declared),
        "verdicts": [(verdict, *texts_apart(verdict, spoken), remarked.get(verdict.place, "")) for verdict in verdicts],
        "remarked": bool(remarked),
        "unlisted": len(page.verdicts) - len(verdicts),
        "alike": {table.name: alike_in(page.promise, table.figures.sensitive) for table in page.tables} if page.promise else {},
        "figures": figures,
        "samples": {table.name: _cut(table.sample, spoken) for table in page.tables if table.sample is not None},
        "plan_steps": tuple(plan_steps(page)),
        "against_one": against_one(page),
        "disclosures": tuple(disclosures(page)),
        "sides": sides(page.outcomes),
        "direction": DIRECTION,
        "required": REQUIRED,
        "glossary": glossary(page, shown),
    }


def _cut(sample: Sample, spoken: Language) -> Sample:
    """Of very many columns the first, which are the quasi-identifiers."""
    left = len(sample.columns) - MOST_CELLS
    if left <= 0:
        return sample
    columns = (*sample.columns[:MOST_CELLS], spoken.say("and %(number)s more columns", number=spoken.number(left)))
    return Sample(table=sample.table, columns=columns, rows=tuple((*row[:MOST_CELLS], "…") for row in sample.rows))
