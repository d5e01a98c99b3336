"""What `headgate check` found, as one self-contained page and as the sentences that the terminal shows too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from headgate.core.errors import InputRejected
from headgate.core.units import counted
from headgate.library.check_table import CheckResult, Line
from headgate.library.measures import MEASURES
from tasks.reporting.charts import draw_closeness, draw_group_risks, draw_group_sizes
from tasks.reporting.page import framed, page_template
from tasks.runtime.boundary import reason_of

CAPTIONS = {
    "group_sizes": "Group sizes.",
    "proximity": "Proximity risk, group by group.",
    "prosecutor": "Chance to pick a known person's row, group by group.",
    "closeness": "Closeness of each sensitive attribute.",
}
COMPARED = {
    "category": "by equality",
    "number": "as numbers",
    "integer": "as numbers",
    "date": "as dates",
    "hierarchy": "by their hierarchy",
    "set": "as sets",
    "ordinal": "by the order of their levels",
}
PAGE_START = b"<!DOCTYPE html>"
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


def uniques_in_words(result: CheckResult) -> str:
    if not result.sample_uniques and (result.special_uniques is None or not len(result.special_uniques.rows)):
        return "no row is alone in its group"
    sentence = f"{counted(result.sample_uniques, 'row')} {'is alone in its' if result.sample_uniques == 1 else 'are alone in their'} group"
    if result.special_uniques is None:
        return sentence
    special = len(result.special_uniques.rows)
    return f"{sentence}; three or fewer quasi-identifiers already single out {counted(special, 'row')} (special uniques)"


def compared_in_words(result: CheckResult) -> str:
    """How each attribute's values were compared: what closeness and proximity mean depends on it."""
    by_way: dict[str, list[str]] = {}
    for name, kind in result.compared.items():
        by_way.setdefault(COMPARED[kind], []).append(name)
    return "values compared " + "; ".join(f"{way}: {', '.join(names)}" for way, names in by_way.items())


def render_check(name: str, quasi: Sequence[str], group: str | None, result: CheckResult) -> str:
    """The whole page as text."""
    return page_template("check.html.j2").render(
        name=name,
        grouped_by=", ".join([*quasi, *([f"the group numbers in {group}"] if group else [])]),
        result=result,
        lines=[(line, concerned(line)) for line in sorted(result.lines, key=lambda line: line not in result.missed)],
        requires=any(line.short is not None for line in result.lines),
        uniques=uniques_in_words(result),
        compared=compared_in_words(result),
        sets=_sets(result),
        pictures=framed(_pictures(result), CAPTIONS),
        glossary=[(key, MEASURES[key]) for key in dict.fromkeys(line.measured.key for line in result.lines)],
    )


def require_place(path: Path) -> None:
    """Over a page that is there, since it is made again from the same table; over nothing else, least of all the table itself."""
    try:
        if not path.is_file():
            if path.is_dir() or not path.parent.is_dir():
                why = "it is a folder" if path.is_dir() else "its folder does not exist"
                raise InputRejected(f"{path} cannot be written ({why}).", "Name a file in a folder that can be written.")
            return
        with path.open("rb") as there:
            start = there.read(len(PAGE_START))
    except OSError as problem:
        raise InputRejected(f"{path} cannot be read ({reason_of(problem)}).", "Name another file for the page.") from None
    if start not in (b"", PAGE_START):
        raise InputRejected(f"{path} exists and is not a headgate report.", "Name another file for the page, such as report.html.")


def write_page(path: Path, text: str) -> None:
    require_place(path)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise InputRejected(f"{path} cannot be written ({reason_of(problem)}).", "Name a file in a folder that can be written.") from None


def _sets(result: CheckResult) -> list[tuple[str, int]]:
    """Which quasi-identifiers single people out: names of columns and numbers of rows."""
    if result.special_uniques is None:
        return []
    ordered = sorted(result.special_uniques.sets.items(), key=lambda entry: (-entry[1], entry[0]))
    return [(", ".join(names), rows) for names, rows in ordered[:MOST_SETS]]


def _pictures(result: CheckResult) -> dict[str, bytes]:
    lines = {(line.measured.key, line.measured.attribute): line for line in result.lines}
    k, prosecutor, near = lines["k", ""], lines["prosecutor", ""], lines.get(("risk", ""))
    pictures = {"group_sizes": draw_group_sizes([("", k.measured.figure.sizes[0])], None if k.short is None else int(k.short.required))}
    if near is not None:
        allowed = None if result.proximity is None or result.proximity.delta is None else 1 - result.proximity.delta
        pictures["proximity"] = draw_group_risks([("", near.measured.figure.per_group)], allowed)
    limit = None if prosecutor.short is None else prosecutor.short.required
    pictures["prosecutor"] = draw_group_risks([("", prosecutor.measured.figure.per_group)], limit)
    closeness = {attribute: line for (key, attribute), line in lines.items() if key == "closeness"}
    required = {name: line.short.required for name, line in closeness.items() if line.short is not None}
    pictures["closeness"] = draw_closeness([("", {name: line.measured.figure.value for name, line in closeness.items()})], required)
    return pictures
