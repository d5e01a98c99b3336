"""The experiments of the disclosure-risk paper (its appendix) redone on the census table: both panels of Figure 1, and MinRisk.

`python benchmarks/papers/risk.py` runs all, prints every number that it draws, writes the charts and `figures.json` to
docs/paper-risk/, and the tables and findings into docs/paper-risk.md. `--figure` runs some, and keeps the numbers of the others.
`--quick` takes a sixth of the rows and fewer settings; it writes to benchmarks/results/, and never to the page.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.papers import risk_charts as charts
from benchmarks.papers import risk_page as page
from benchmarks.papers.redo import Paper, redo
from benchmarks.papers.risk_runs import FORMS, People, Situation, census, losses, people_of, random_rule, rule_of, situations
from headgate.risk.disclosure.decision import agrees, refines
from headgate.risk.suppression.min_risk import gap, min_risk

ROWS = 99_762
SHARES = (0.25, 0.5, 0.75, 1.0)  # of the attributes, disclosed per record: the paper's k
SIZES = tuple(tenth / 10 for tenth in range(1, 11))  # of the table, in the dictionary
TRUE_SIZES = (0.2, 0.4, 0.7, 1.0)
ESTIMATE = 0.1  # of the table, in the database's own dictionary
GAPS = 0.05  # of the cells of a true dictionary
READINGS = ("with the records", "at random")
RULES = ("random", "MinRisk")
SEED = 11


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    rows: int
    draws: int  # of weights and of attributes
    gap_records: int
    gap_people: int
    gap_keeps: tuple[int, ...] = (1, 2, 4, 6, 10, 12, 14)
    growth: tuple[int, ...] = (25_000, 50_000, 100_000, 200_000, 400_000)
    repeats: int = 7


FULL = Scale(ROWS, 5, 500, 9_976)
QUICK = Scale(16_000, 2, 60, 1_600, gap_keeps=(1, 2), growth=(5_000, 10_000, 20_000), repeats=1)


def left(scale: Scale) -> dict[str, Any]:
    """Risk against dictionary size, for each share of attributes disclosed; how far Φ5 is above Φ3 in every record."""
    drawn, lines, closest = [people_of(scale.rows, SEED + draw) for draw in range(scale.draws)], [], np.inf
    for reading, rule, share in itertools.product(READINGS, RULES, SHARES):
        keep = round(share * drawn[0].width)
        found = [[losses(*_sized(people, size, reading, rule, keep)) for size in SIZES] for people in drawn]
        closest = min(closest, *(one.closest for sizes in found for one in sizes))
        unmatched = np.mean([[one.unmatched for one in sizes] for sizes in found], axis=0).tolist()
        for form in FORMS:
            risks = np.array([[one.losses[form].mean() for one in sizes] for sizes in found])
            lines.append(
                {
                    "reading": reading, "rule": rule, "share": share, "attributes": keep, "form": form,
                    "risk": risks.mean(axis=0).tolist(), "low": risks.min(axis=0).tolist(), "high": risks.max(axis=0).tolist(),
                    "unmatched": unmatched,
                }
            )  # fmt: skip
    people = drawn[0]
    return {
        "rows": people.rows, "released": len(people.released), "attributes": list(people.columns), "draws": scale.draws,
        "sizes": list(SIZES), "lines": lines, "closest": closest,
    }  # fmt: skip


def _sized(people: People, size: float, reading: str, rule: str, keep: int) -> tuple[People, Any, Any]:
    dictionary = people.dictionary(size) if reading == READINGS[0] else people.at_random(size)
    return people, dictionary, rule_of(people, dictionary, rule, keep)


def right(scale: Scale) -> dict[str, Any]:
    """Estimated against true risk, with and without the preconditions of Theorem 1."""
    points, preconditions = [], []
    for draw in range(scale.draws):
        people = people_of(scale.rows, SEED + draw)
        for situation in situations(people, ESTIMATE, TRUE_SIZES, GAPS):
            preconditions.append(_preconditions(people, situation))
            for keep in range(1, people.width + 1):
                rule = random_rule(people, keep)
                estimated, true = (losses(people, one.columns, rule) for one in (situation.estimate, situation.true))
                for form in FORMS:
                    risks = {"true": float(true.losses[form].mean()), "estimated": float(estimated.losses[form].mean())}
                    told = {"size": situation.size, "gaps": situation.gaps, "kept": situation.kept, "form": form}
                    points.append({"draw": draw, "attributes": keep, **told, **risks})
    return {"estimate": ESTIMATE, "gaps": GAPS, "sizes": list(TRUE_SIZES), "preconditions": preconditions, "points": points}


def _preconditions(people: People, situation: Situation) -> dict[str, Any]:
    names, estimate, true = list(people.columns), situation.estimate, situation.true
    return {
        "kept": situation.kept,
        "size": situation.size,
        "refines": refines(estimate.columns, true.columns, estimate.keys, true.keys, names),
        "agrees": agrees(estimate.columns, estimate.keys, people.own, people.released, names),
    }


def gaps(scale: Scale) -> dict[str, Any]:
    """What MinRisk loses to the best rule of Δ2 on this table, whose fields depend on each other, and what a random rule does."""
    people = people_of(scale.rows, SEED)
    dictionary = people.dictionary(scale.gap_people / people.rows)
    some = people.first(scale.gap_records)
    lines = []
    for name, weights in (("uniform", dict(some.weights)), ("none", {})):
        for keep in scale.gap_keeps:
            found = gap(some.cells, dictionary, weights, keep)
            chance = losses(some if weights else some.unweighted(), dictionary, random_rule(some, keep)).losses["multiplicative"]
            lines.append(
                {"weights": name, "keep": keep, "min_risk": found.min_risk, "best": found.best, "random": float(chance.mean())}
            )  # fmt: skip
    return {"records": len(some.released), "individuals": scale.gap_people, "lines": lines}


def growth(scale: Scale) -> dict[str, Any]:
    """Processor seconds of MinRisk against records n, individuals N and attributes m, which are the table's again and again; each alone."""
    table = census(ROWS)
    middle, repeated = scale.growth[len(scale.growth) // 2], 1 + np.arange(4)
    runs = [("n", rows, (rows, middle, 1)) for rows in scale.growth]
    runs += [("N", rows, (middle, rows, 1)) for rows in scale.growth]
    runs += [("m", times * len(table.columns), (middle, middle, times)) for times in repeated.tolist()]
    points = []
    for axis, value, (records, individuals, times) in runs:
        wide = pd.concat([table.add_suffix(f" {again}") for again in range(times)], axis=1)
        released, dictionary = (wide.sample(size, replace=True, random_state=SEED) for size in (records, individuals))
        run = partial(min_risk, released, dictionary, dict.fromkeys(wide.columns, 0.5), wide.shape[1] // 2)
        points.append({"axis": axis, "value": value, "seconds": min(_timed(run, scale.repeats))})
    return {"middle": {"n": middle, "N": middle, "m": len(table.columns)}, "points": points}


def _timed(run: Callable[[], object], repeats: int) -> Iterator[float]:
    run()
    for _ in range(repeats):
        start = time.process_time()
        run()
        yield time.process_time() - start


FIGURES: dict[str, Callable[[Scale], dict[str, Any]]] = {"left": left, "right": right, "gaps": gaps, "growth": growth}


if __name__ == "__main__":
    redo(Paper("paper-risk", __doc__, FIGURES, QUICK, FULL, charts.pictures, page.tables, page.with_tables))
