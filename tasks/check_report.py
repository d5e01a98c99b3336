"""What `headgate check` found, as one self-contained page and as the sentences that the terminal shows too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from headgate.check import CheckResult, Line
from headgate.errors import InputRejected
from headgate.measures import MEASURES
from tasks.charts import draw_closeness, draw_group_risks, draw_group_sizes
from tasks.page import framed, page_template
from tasks.step import reason_of

CAPTIONS = {
    "group_sizes": "Group sizes.",
    "proximity": "Proximity risk, group by group.",
    "prosecutor": "Chance to pick a known person's row, group by group.",
    "closeness": "Closeness of each sensitive attribute.",
}
MOST_SETS = 10  # sets of quasi-identifiers that single people out, shown on a page


@dataclass(frozen=True)
class Concerned:
    """How many groups and rows fall short; where nothing was required, how many have the worst figure."""

    groups: int
    rows: int
    verdict: str  # empty where nothing was required


def concerned(line: Line) -> Concerned:
    figure, short = line.measured.figure, line.short
    if short is not None:
        return Concerned(len(short.groups), short.people, "passed" if short.met else "refused")
    worst = [np.flatnonzero(figures == figure.value) for figures in figure.per_class]
    place = max(range(len(worst)), key=lambda i: len(worst[i]))
    return Concerned(len(worst[place]), int(figure.sizes[place][worst[place]].sum()), "")


def uniques_in_words(found: CheckResult) -> str:
    told = f"{_of(found.sample_uniques, 'row')} alone in their group"
    if found.special_uniques is None:
        return told
    return f"{told}; {_of(len(found.special_uniques.rows), 'row')} already by three or fewer quasi-identifiers (special uniques)"


def render_check(name: str, quasi: Sequence[str], group: str | None, found: CheckResult) -> str:
    """The whole page as text."""
    return page_template("check.html.j2").render(
        name=name,
        grouped_by=", ".join([*quasi, *([f"the group numbers in {group}"] if group else [])]),
        found=found,
        lines=[(line, concerned(line)) for line in sorted(found.lines, key=lambda line: line not in found.missed)],
        asked=any(line.short is not None for line in found.lines),
        uniques=uniques_in_words(found),
        sets=_sets(found),
        pictures=framed(_pictures(found), CAPTIONS),
        glossary={MEASURES[key].title: MEASURES[key].says for key in dict.fromkeys(line.measured.key for line in found.lines)},
    )


def write_page(path: Path, text: str) -> None:
    """Over one that is there: it is made again from the same table."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise InputRejected(f"{path} cannot be written ({reason_of(problem)}).", "Name a file in a folder that can be written.") from None


def _sets(found: CheckResult) -> list[tuple[str, int]]:
    """Which quasi-identifiers single people out: names of columns and numbers of rows."""
    if found.special_uniques is None:
        return []
    ordered = sorted(found.special_uniques.sets.items(), key=lambda one: (-one[1], one[0]))
    return [(", ".join(names), rows) for names, rows in ordered[:MOST_SETS]]


def _pictures(found: CheckResult) -> dict[str, bytes]:
    lines = {(line.measured.key, line.measured.attribute): line for line in found.lines}
    k, prosecutor, near = lines["k", ""], lines["prosecutor", ""], lines.get(("risk", ""))
    pictures = {
        "group_sizes": draw_group_sizes([("", k.measured.figure.sizes[0])], None if k.short is None else int(k.short.required), "svg")
    }
    if near is not None:
        allowed = None if found.proximity is None or found.proximity.delta is None else 1 - found.proximity.delta
        pictures["proximity"] = draw_group_risks([("", near.measured.figure.per_group)], allowed, "svg")
    limit = None if prosecutor.short is None else prosecutor.short.required
    pictures["prosecutor"] = draw_group_risks([("", prosecutor.measured.figure.per_group)], limit, "svg")
    closeness = {attribute: line for (key, attribute), line in lines.items() if key == "closeness"}
    required = {name: line.short.required for name, line in closeness.items() if line.short is not None}
    pictures["closeness"] = draw_closeness([("", {name: line.measured.figure.value for name, line in closeness.items()})], required, "svg")
    return pictures


def _of(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
