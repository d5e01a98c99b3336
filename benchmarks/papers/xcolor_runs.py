"""What the experiments of the XColor paper (section VI) run: the table, one run of one method, and the vulnerability of a grouping."""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import headgate as hg
from benchmarks.census import EDUCATION, SECTORS, adults
from headgate.bounds.certificates import EVERY, refute
from headgate.core.columns import Codes, Role, Table
from headgate.core.encode import encode_column, encode_table
from headgate.core.errors import RequirementNotMet
from headgate.core.frame_specs import inferred_spec
from headgate.core.published_form.published_table import publish_form
from headgate.grouping.abstract_graph import largest_degree
from headgate.grouping.limits import NeighbourhoodLimit, dissimilarity
from headgate.grouping.watch import Stopped, Watch
from headgate.methods.anonymize import anonymize
from headgate.methods.choice import choose
from headgate.methods.partition import Partition
from headgate.methods.settings import Settings
from headgate.principles.dissimilarity import dissimilarity as measure_dissimilarity
from headgate.utility.queries import count_query_error

QUASI = ("age", "sex", "marital", "race")
SENSITIVE = ("education", "worker_class", "occupation")
WEIGHTS = {"education": 0.4, "worker_class": 0.3, "occupation": 0.3}
FAITHFUL, BLOCKS, MONDRIAN, MONDRIAN_NEAR = "faithful", "blocks", "Mondrian, k only", "Mondrian, (ε, δ)"
OURS = (FAITHFUL, BLOCKS)
METHODS = (*OURS, MONDRIAN, MONDRIAN_NEAR)
REACHED, NOT_REACHED, REFUTED, STOPPED = "reached", "not reached", "refuted", "stopped"
DIMENSIONS, SENSITIVE_DIMENSIONS = 3, 2  # qd (the extreme case in the paper) and qs
SEED = 6

T = TypeVar("T")


@dataclass(frozen=True)
class Setting:
    """ε, δ and s as a person writes them."""

    k: int
    epsilon: str
    delta: str
    selectivity: str = "0.1"

    def __str__(self) -> str:
        return f"ε = {self.epsilon}, δ = {self.delta}, k = {self.k}"


@dataclass(frozen=True)
class Outcome:
    """One run. Without a partition that keeps the limit there is no error to show, and `reason` says why."""

    method: str
    setting: Setting
    rows: int
    state: str
    reason: str
    risk: float | None
    loss: float | None
    error_mean: float | None
    error_median: float | None


@dataclass(frozen=True)
class Timing:
    method: str
    setting: Setting
    rows: int
    state: str
    seconds: float | None  # median of three, from encoded columns
    reading: float  # seconds of pandas.read_csv of the same rows, in the same run


def shuffled(people: pd.DataFrame, only_workers: bool) -> pd.DataFrame:
    """In an order drawn once, so that the first n rows are a sample. Education becomes a number, as the paper's distance needs it."""
    people = people[people["weeks"] > 0] if only_workers else people
    people = people.assign(education=people["education"].map({level: place for place, level in enumerate(EDUCATION)}))
    return people.iloc[np.random.default_rng(SEED).permutation(len(people))].reset_index(drop=True)


def workers(rows: int | None = None) -> pd.DataFrame:
    """The adults who worked in the year: 93 % of them have an occupation, and of all adults 67 %."""
    return shuffled(adults(), only_workers=True)[[*QUASI, *SENSITIVE]].iloc[:rows]


def hierarchies(frame: pd.DataFrame) -> dict[str, list[list[str]]]:
    return {"worker_class": [[value, SECTORS[value], "*"] for value in sorted(frame["worker_class"].unique())]}


def distance(p: int = 1) -> hg.Distance:
    return hg.Distance(p=p, weights=WEIGHTS)


def encoded(frame: pd.DataFrame) -> Table:
    above = hierarchies(frame)
    role = {name: Role.SENSITIVE if name in SENSITIVE else Role.QUASI for name in frame.columns}
    return encode_table(frame, {name: inferred_spec(frame[name], name, role[name], {}, above) for name in role})


def limit_of(table: Table, setting: Setting) -> NeighbourhoodLimit:
    return dissimilarity(table.select(SENSITIVE), setting.epsilon, setting.delta, distance())


def within(seconds: float, work: Callable[[Watch], T]) -> T | None:
    """None where the time was not enough."""
    watch = Watch()
    timer = threading.Timer(seconds, watch.stop)
    timer.start()
    try:
        return work(watch)
    except Stopped:
        return None
    finally:
        timer.cancel()


def partition(table: Table, method: str, setting: Setting, patience: float) -> Partition | None:
    """None where it took longer than the patience, in seconds."""
    settings = Settings(setting.k, (limit_of(table, setting),))
    return within(patience, lambda watch: anonymize(choose("xcolor", method), table, SENSITIVE, settings, SEED, watch))


def baseline(frame: pd.DataFrame, method: str, setting: Setting) -> Partition:
    if method == MONDRIAN:
        return hg.mondrian(frame, QUASI, setting.k, seed=SEED, hierarchies={}).partition
    return hg.mondrian(
        frame, QUASI, setting.k, SENSITIVE, setting.epsilon, setting.delta, distance=distance(), seed=SEED, hierarchies=hierarchies(frame)
    ).partition


def outcome(
    frame: pd.DataFrame, table: Table, method: str, setting: Setting, patience: float, selectivities: Sequence[str], queries: int
) -> list[Outcome]:
    """One partition, and its mean error at each selectivity. What a certificate refutes is not tried."""
    settings = [replace(setting, selectivity=selectivity) for selectivity in selectivities]
    proof = refute([limit_of(table, setting)], setting.k, table.select(SENSITIVE)) if method in OURS else None
    if proof is not None and proof.refutes == EVERY:
        return [Outcome(method, one, table.rows, REFUTED, proof.sentence(), None, None, None, None) for one in settings]
    found = partition(table, method, setting, patience) if method in OURS else baseline(frame, method, setting)
    state, reason = judged(found, patience)
    if found is None or state != REACHED:
        return [Outcome(method, one, table.rows, state, reason, None, None, None, None) for one in settings]
    published = publish_form(table, found.groups, method, SENSITIVE)
    errors = [
        count_query_error(table, published, DIMENSIONS, SENSITIVE_DIMENSIONS, float(one.selectivity), queries, SEED) for one in settings
    ]
    return [
        Outcome(method, one, table.rows, state, reason, found.risk, found.loss, error.mean, error.median)
        for one, error in zip(settings, errors, strict=True)
    ]


def judged(found: Partition | None, patience: float) -> tuple[str, str]:
    """The state, and the reason in words where it is not reached."""
    if found is None:
        return STOPPED, f"not done after {patience:g} s"
    if found.reached:
        return REACHED, ""
    if found.certificate is not None and found.certificate.refutes == EVERY:
        return REFUTED, found.certificate.sentence()
    also = f" {found.certificate.sentence()}" if found.certificate is not None else ""
    return NOT_REACHED, f"{found.rows_over:,} rows keep too many similar ones in their group.{also}"


def largest_delta(frame: pd.DataFrame, table: Table, method: str, setting: Setting, patience: float, queries: int) -> tuple[Outcome, ...]:
    """The outcome at the largest δ = 1 − j/(k−1) found, at the setting's ε and k; empty if none."""
    steps = [replace(setting, delta=str(1 - Fraction(j, setting.k - 1))) for j in range(setting.k)]
    return _first_reached(frame, table, method, steps, patience, queries)


def largest_epsilon(
    frame: pd.DataFrame, table: Table, method: str, setting: Setting, epsilons: Sequence[str], patience: float, queries: int
) -> tuple[Outcome, ...]:
    """The outcome at the largest of these ε found, at the setting's δ and k; empty if none."""
    steps = [replace(setting, epsilon=epsilon) for epsilon in sorted(epsilons, key=float, reverse=True)]
    return _first_reached(frame, table, method, steps, patience, queries)


def _first_reached(
    frame: pd.DataFrame, table: Table, method: str, falling: Sequence[Setting], patience: float, queries: int
) -> tuple[Outcome, ...]:
    """By halving, as if nothing were reached before the first that is: nearly so, and each of the others may take its patience."""
    low, high, best = 0, len(falling) - 1, ()
    while low <= high:
        middle = (low + high) // 2
        found = outcome(frame, table, method, falling[middle], patience, [falling[middle].selectivity], queries)
        if found[0].state == REACHED:
            best, high = tuple(found), middle - 1
        else:
            low = middle + 1
    return best


def timed(
    tables: Mapping[int, Table], method: str, setting: Setting, patience: float, reading: Mapping[int, float], repeats: int
) -> list[Timing]:
    """From encoded columns to groups, the limit's own preparation included. Sizes take turns, so that a busy moment harms none alone."""
    seconds: dict[int, list[float]] = {rows: [] for rows in tables}
    state = dict.fromkeys(tables, REACHED)
    for _ in range(repeats):
        for rows, table in tables.items():
            if state[rows] == REACHED:
                start = time.perf_counter()
                found = partition(table, method, setting, patience)
                seconds[rows].append(time.perf_counter() - start)
                state[rows] = judged(found, patience)[0]
    return [
        Timing(method, setting, rows, state[rows], statistics.median(seconds[rows]) if state[rows] == REACHED else None, reading[rows])
        for rows in tables
    ]


def seconds_to_read(frame: pd.DataFrame, repeats: int = 7) -> float:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "table.csv"
        frame.to_csv(path, index=False)
        seconds = []
        for _ in range(repeats + 1):  # the first warms the file system
            start = time.perf_counter()
            pd.read_csv(path)
            seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[1:])


def combinations(frame: pd.DataFrame) -> pd.Series:
    """Each row's combination of sensitive values, as one category."""
    return frame[list(SENSITIVE)].astype(str).agg("|".join, axis=1)


def diverse_groups(frame: pd.DataFrame, l: int) -> Codes:  # noqa: E741 - the literature's name
    """Mondrian in which no combination of sensitive values makes up more than 1/l of a group."""
    together = frame[list(QUASI)].assign(together=combinations(frame))
    found = hg.mondrian(together, QUASI, l, ["together"], frequency=l, seed=SEED)
    if not found.reached:
        raise RequirementNotMet(f"No groups have frequency l = {l}.", "Lower l.", "frequency_l", None, float(l))
    return found.groups


def frequency_l(frame: pd.DataFrame, groups: Codes) -> float:
    """Measured again, of the groups that came out."""
    grouped = pd.DataFrame({"together": combinations(frame), "group": groups})
    return hg.check(grouped, [], ["together"], group="group").sensitive["together"].frequency_l


def largest_frequency_l(frame: pd.DataFrame) -> float:
    """No partition can have more: n over the rows that share one combination of sensitive values."""
    return float(len(frame) / combinations(frame).value_counts().max())


def vulnerability(table: Table, groups: Codes, p: int, epsilons: Sequence[str], deltas: Sequence[str]) -> NDArray[np.float64]:
    """Share of groups that violate (ε, δ)-dissimilarity: ε down, δ across."""
    columns, number = table.select(SENSITIVE), int(groups.max()) + 1
    measured = [measure_dissimilarity(columns, [groups], distance(p), epsilon) for epsilon in epsilons]
    return np.array([[len(one.short_of(delta).groups) / number for delta in deltas] for one in measured])


@dataclass(frozen=True)
class Coding:
    """One way to read the sensitive attributes as the paper's distance needs them."""

    name: str
    people: str = "workers"  # or adults
    third: str = "occupation"
    weights: tuple[float, float, float] = (0.4, 0.3, 0.3)
    classes: str = "hierarchy"  # or number, in the order of the alphabet, or category


CODINGS = (
    Coding("as on this page"),
    Coding("equal weights", weights=(1.0, 1.0, 1.0)),
    Coding("class of worker 0/1, no hierarchy", classes="category"),
    Coding("class of worker as a number", classes="number"),
    Coding("weeks worked instead of occupation", third="weeks"),
    Coding("all adults, weeks worked instead of occupation", people="adults", third="weeks"),
)


@dataclass(frozen=True)
class Crowding:
    """Θ against what Inequality 4 takes to be enough, and the proof of infeasibility if there is one."""

    coding: str
    setting: Setting
    rows: int
    largest_degree: int
    enough: float  # Inequality 4: Θ ≤ n/2·[1 − (1 − 1/k)δ]
    refuted: str


def crowding(coding: Coding, setting: Setting, rows: int) -> Crowding:
    """Before any partition: is the paper's setting possible at all under this coding?"""
    people = shuffled(adults(), coding.people == "workers").iloc[:rows]
    frame = people[["education", "worker_class", coding.third]]
    if coding.classes == "number":
        frame = frame.assign(worker_class=frame["worker_class"].astype("category").cat.codes)
    above = hierarchies(people) if coding.classes == "hierarchy" else {}
    columns = [encode_column(frame[name], inferred_spec(frame[name], name, Role.SENSITIVE, {}, above)) for name in frame.columns]
    weights = dict(zip(frame.columns, coding.weights, strict=True))
    limit = dissimilarity(columns, setting.epsilon, setting.delta, hg.Distance(weights=weights))
    proof = refute([limit], setting.k, columns)
    enough = len(frame) / 2 * (1 - (1 - 1 / setting.k) * float(setting.delta))
    refuted = proof.sentence() if proof is not None and proof.refutes == EVERY else ""
    return Crowding(coding.name, setting, len(frame), largest_degree(limit), enough, refuted)
