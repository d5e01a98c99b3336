"""Compiles the hot loops once, so that the first release does not have to wait: `python -m tools.warm`, part of `make setup`.

The compiled code is kept beside its source. Every method groups and measures a little of the shipped data, so that every loop that a
release, advice or a check needs is compiled. Two processes share the work; each finds what the other has compiled before.

`python -m tools.warm blocks` compiles only what grouping by `variant: blocks` needs.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np

from headgate.attacks.background_join import background_join
from headgate.attacks.homogeneity import homogeneity
from headgate.attacks.intersection import intersection
from headgate.attacks.series_guessing import series_guessing
from headgate.bounds.feasibility import feasibility
from headgate.core.columns import Table
from headgate.core.compiling import empty_records
from headgate.core.published_form.published_table import PublishedTable, publish_form
from headgate.grouping.abstract_graph import abstract_graph
from headgate.grouping.axes import axes_of
from headgate.grouping.conditions import conditions_of
from headgate.grouping.items import items_of
from headgate.grouping.limits import NeighbourhoodLimit, delta_l, dissimilarity, linkability
from headgate.library.check_table import check_classes
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.blocks.draft import VISIT, Draft, room_for_groups
from headgate.methods.blocks.moves import MOVE, move_loop
from headgate.methods.blocks.stages import parts_by_item, unite_twins
from headgate.methods.blocks.tree import BOX, STRETCH, Tree
from headgate.methods.full_domain.full_domain_method import FullDomain
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.searching.every_grouping import every_part, least_lossy
from headgate.methods.searching.search_groups import search_groups
from headgate.methods.settings import Infeasible, Otherwise, Settings
from headgate.methods.xcolor.faithful import color
from headgate.projection.bitmap import bitmap_table
from headgate.risk.candidates.runs import cell_runs, stacked
from headgate.risk.candidates.trie import trie_of
from headgate.series.published_versions import Version, VersionTable
from headgate.series.series_risk import series_risk
from headgate.utility.queries import count_query_error
from policies.attackers.attacker import Attacker, attackers_of
from policies.jobs.spool import MemorySpool
from policies.jobs.table_job import TableJob, Workplace, try_table
from policies.sealed.promise import Promise
from policies.sealed.specs import promise_of
from policies.shipped import shipped_policy
from tasks.reading.dictionaries import encode_dictionaries
from tasks.reading.ingest import ingest
from tasks.reading.references import LoadedPolicy, load_policy

ROWS, K = 600, 5
SENSITIVE = ("family_history", "job", "income", "education")


@dataclass(frozen=True)
class Sample:
    """A little of the shipped data, and limits of every form: equal values, ranges of values, tables of pairs."""

    loaded: LoadedPolicy
    table: Table
    promise: Promise
    attackers: tuple[Attacker, ...]
    limits: tuple[NeighbourhoodLimit, ...]


@cache
def sample() -> Sample:
    loaded = load_policy(Path(str(shipped_policy("hospital-patients"))))
    ingested = ingest(loaded)
    table = bitmap_table(ingested.table, ingested.specs).take(np.arange(ROWS))
    attackers = attackers_of(loaded.policy.gates.attackers, table, encode_dictionaries(loaded, table).encoded)
    limits = (
        dissimilarity(table.select(SENSITIVE), "0.1", "0.6"),
        dissimilarity(table.select(["income"]), "0.02", "0.6", name="dissimilarity of income"),
        linkability(table["job"], "0.8"),
        delta_l(table["income"], 100, "1.5"),
    )
    return Sample(loaded, table, promise_of(loaded.policy, table), attackers, limits)


def itemize() -> None:
    """What all methods begin with."""
    items_of(sample().table, sample().limits)


def group() -> None:
    """`variant: blocks`."""
    anonymize(Blocks(), sample().table, SENSITIVE, Settings(K, sample().limits), 0)


def move() -> None:
    """The loops with which `variant: blocks` ends, by the types of what they are called with: no group has to be made first."""
    items, state = items_of(sample().table, sample().limits).items, np.zeros(3, dtype=np.int64)
    groups, aside = room_for_groups(items, 1, K)
    tree = Tree(np.zeros(1, dtype=np.int64), empty_records(1, BOX), empty_records((1, 1), STRETCH))
    draft = Draft(groups, tree, aside, empty_records(1, VISIT), K, state)
    _compile(move_loop, draft, empty_records(1, MOVE), 1)
    _compile(unite_twins, draft)
    _compile(parts_by_item, draft)


def _compile(loop: Any, *arguments: Any) -> None:
    loop.compile(tuple(map(numba.typeof, arguments)))


def search() -> None:
    """Every partition of a few rows, and the search in more."""
    few = np.arange(10)
    limits = tuple(limit.take(few) for limit in sample().limits)
    every = items_of(sample().table.take(few), limits)
    parts = every_part(every.items, 2)
    if parts is not None:
        least_lossy(every, parts)
    itemized, state = items_of(sample().table, sample().limits), np.zeros(3, dtype=np.int64)
    search_groups(itemized, K, np.arange(ROWS, dtype=np.int32) // K, (K,), None, 0, state)


def exchange() -> None:
    """`variant: faithful`, with exchanges of three classes."""
    color(axes_of(sample().table), sample().limits, ROWS, K)


def cut() -> None:
    """`method: mondrian`, under a limit and conditions, strict and not."""
    conditions = conditions_of(SENSITIVE, distinct_l=2, entropy_l=1.2, recursive=(3, 2), closeness="0.5")
    for strict in (True, False):
        anonymize(Mondrian(strict=strict), sample().table, SENSITIVE, Settings(K, sample().limits[:1], conditions=conditions), 0)


def lattice() -> None:
    """Full-domain generalization, under a limit and conditions."""
    conditions = conditions_of(SENSITIVE, distinct_l=2, closeness="0.5")
    for share in (Fraction(0), Fraction(1, 10)):
        settings = Settings(K, sample().limits, conditions, Infeasible(Otherwise.SUPPRESS, share))
        anonymize(FullDomain(), sample().table, SENSITIVE, settings, 0)


def foresee() -> None:
    """Bounds before any work: over one attribute, over two numeric ones, over two of few values, and over all."""
    table = sample().table
    numbers = dissimilarity(table.select(["income", "education"]), "0.05", "0.6", name="dissimilarity of numbers")
    words = dissimilarity(table.select(["family_history", "education"]), "0.5", "0.6", name="dissimilarity of few values")
    for k in (K, ROWS // 4):
        feasibility((*sample().limits, numbers, words), k, table.select(SENSITIVE), table.select(table.quasi))
    abstract_graph(numbers)


def measure() -> None:
    """Every gate of a release, and its count queries."""
    one = sample()
    spool, policy = MemorySpool(), one.loaded.policy
    job = TableJob(SENSITIVE, spool.put(one.table), one.promise, policy.anonymize, spool.put(one.attackers), b"warm")
    try_table(job, Workplace(spool))
    count_query_error(one.table, _published(), 3, 2, 0.1, 20, 1)
    table, people = _published(), one.table.columns
    homogeneity(table, people, "job")
    background_join(table, people, "job", "education")
    intersection((table, table), people)
    runs, _ = stacked([cell_runs(table.cells["age"], people["age"])])
    trie_of([people["age"].codes]).count(np.zeros((1, 1), dtype=np.int32), runs, ROWS)


def check() -> None:
    """What `check` measures of a table: over several attributes, and over one: with missing cells (income), without, with a hierarchy."""
    table, published = sample().table, _published()
    quasi = {column.name: column.codes for column in table.select(table.quasi)}
    for measured in (SENSITIVE, ("income",), ("age",), ("region",)):
        check_classes(table.select(measured), published.classes(), quasi, "0.1", "0.5", 1000)


def compare_versions() -> None:
    """Several versions together: without ε, with it, and guessing from them. A value of one person changes."""
    people = np.arange(60, dtype=np.int32)
    columns = [sample().table[name].take(people) for name in ("job", "education")]
    versions = []
    for size in (10, 12, 15, 20):
        columns[0] = replace(columns[0], codes=np.where(people == size, 0, columns[0].codes).astype(np.int32))
        classes = people // np.int32(size)
        versions.append(Version(people, [VersionTable.in_order([classes], {column.name: column for column in columns})]))
    series_risk(versions, epsilon="0.1")
    series_guessing(versions, ["job"])


def _published() -> PublishedTable:
    """Rows in groups as they come, some of them published alike."""
    table = sample().table
    return publish_form(table, np.arange(ROWS, dtype=np.int32) // K, "warm", SENSITIVE)


Parts = Sequence[Callable[[], None]]

BLOCKS: Parts = (itemize, group, move)
# Shared out so that both take about as long, and what needs the loops of another part follows it. `measure` groups by blocks: it is last.
OTHERS: Parts = (check, compare_versions, foresee, exchange, search, measure)
MEDIANS_AND_LEVELS: Parts = (cut, lattice)


def warm(own: Parts, beside: Parts = ()) -> None:
    """Runs some parts here, and others in a second process."""
    sample()  # what all parts need is compiled once
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as second:
        running = second.submit(_run, beside) if beside else None
        _run(own)
        if running:
            running.result()


def _run(parts: Parts) -> None:
    for part in parts:
        part()


if __name__ == "__main__":
    began = time.perf_counter()
    if sys.argv[1:] == ["blocks"]:
        warm(BLOCKS)
    else:
        warm((*BLOCKS, *MEDIANS_AND_LEVELS), OTHERS)
    sys.stdout.write(f"Compiled in {time.perf_counter() - began:.0f} s.\n")
