"""A sweep over settings, each logged to MLflow as a child run of its own. What is not recorded is not shown.

MLflow is told numbers of tables and figures only: no value, and no name of an attribute."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from headgate.advice.pareto import frontier
from headgate.advice.result import Tried
from headgate.advice.rungs import delta_text
from headgate.advice.side_by_side import side_by_side
from headgate.core.errors import InputRejected
from headgate.core.tolerance import exact
from policies.jobs.table_job import Names
from policies.words.fields import decimal_text
from tasks.advice.advice_charts import FrontierPoint, draw_frontier
from tasks.advice.advice_trials import Asked, Trials, over_tables
from tasks.advice.policy_advice import STAND_IN, Count, Prepared, Progress, prepare, share_of, sizes_around
from tasks.reporting.mlflow_record import Point, RunContent, finite_points
from tasks.reporting.mlflow_runs import require_tracking, track_runs
from tasks.runtime.home import Home
from tasks.signing.keys import ledger_secret, source_hmac

DELTAS = ("0.3", "0.5", "0.6", "0.7", "0.8", "0.9")
MOST_RUNS = 2_000  # child runs of one exploration
RUNNER = "headgate"


@dataclass(frozen=True)
class Grid:
    """What to try; where nothing was said, what lies around the policy's own setting."""

    sizes: tuple[int, ...] = ()
    epsilons: tuple[str, ...] = ()
    deltas: tuple[str, ...] = ()

    @classmethod
    def of(cls, sizes: Sequence[str], epsilons: Sequence[str], deltas: Sequence[str]) -> Grid:
        """As a person writes them. Every number is looked at before anything is tried."""
        return cls(
            tuple(sorted({_size(text) for text in sizes})), _distinct(_radius, epsilons), _distinct(lambda text: _delta(text), deltas)
        )

    def around(self, own: Asked, sizes: tuple[int, ...]) -> Grid:
        """`sizes` where no k was said."""
        epsilons = self.epsilons or ((own.epsilon or STAND_IN),)
        return Grid(
            self.sizes or sizes, epsilons, self.deltas or _distinct(_delta, [*DELTAS, *([own.delta] if own.delta is not None else [])])
        )

    def settings(self, rows: int) -> tuple[Asked, ...]:
        fits = [k for k in self.sizes if k <= rows]
        if not fits:
            raise InputRejected(f"{rows} rows cannot make a group of any k that was asked for.", "Give smaller k, at least 2.")
        return tuple(Asked(k, epsilon, delta) for epsilon in self.epsilons for k in fits for delta in self.deltas)


@dataclass(frozen=True)
class Whole:
    """One setting on all tables: the worst risk, the mean loss. Nothing is known of a setting that some table did not reach."""

    k: int
    epsilon: str
    delta: str
    delta_reached: float | None
    loss: float | None
    query_error: float | None
    linkability: float | None
    refused: tuple[str, ...]

    @property
    def reached(self) -> bool:
        return self.loss is not None


@dataclass(frozen=True)
class Explored:
    dataset: str
    run_id: str
    tables: tuple[Names, ...]
    settings: tuple[Whole, ...]
    frontier: frozenset[int]  # places in `settings`, for each ε by itself
    of_tables: tuple[tuple[int, Asked, Tried], ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "dataset": self.dataset,
            "mlflow_run_id": self.run_id,
            "tables": [list(names) for names in self.tables],
            "settings": [_whole_json(one, place in self.frontier) for place, one in enumerate(self.settings)],
            "runs": [_run_json(number, asked, tried) for number, asked, tried in self.of_tables],
        }


def explore(path: Path, grid: Grid, home: Home, told: Progress | None = None) -> Explored:
    """Every setting on every table of the plan. The store of runs is opened before the work, so that nothing is tried in vain."""
    count = Count(told)
    prepared = prepare(path, count.rows)
    trials = prepared.trials
    settings = grid.around(prepared.own, () if grid.sizes else sizes_around(prepared)).settings(trials.table.rows)
    tables = prepared.plans[0]
    if len(settings) * len(tables) > MOST_RUNS:
        raise InputRejected(
            f"{len(settings)} settings of {len(tables)} tables are more than {MOST_RUNS} runs.",
            "Give shorter lists with --k, --epsilon and --delta.",
        )
    require_tracking(trials.policy.dataset, home.root)
    count.expect(len(settings) * len(tables))

    def attempt(one: tuple[int, Asked]) -> tuple[int, Asked, Tried]:
        number, asked = one
        found = trials.tried(tables[number - 1], asked)
        count.add(1)
        return number, asked, found

    tried = side_by_side(attempt, [(number, asked) for asked in settings for number in range(1, len(tables) + 1)], trials.stopping)
    whole = tuple(_whole(asked, [found for _, one, found in tried if one == asked]) for asked in settings)
    best = _frontier(whole)
    parent = _tell_parent(prepared, home, whole, best, len(tables))
    run_id = track_runs(trials.policy.dataset, RUNNER, parent, [_tell_child(trials, *one) for one in tried], home.root)
    return Explored(trials.policy.dataset, run_id, tables, whole, best, tuple(tried))


def _whole(asked: Asked, found: Sequence[Tried]) -> Whole:
    refused = tuple(dict.fromkeys(gate for tried in found for gate in (tried.refused if tried.reached else ("not reached",))))
    epsilon, delta = str(asked.epsilon), str(asked.delta)
    if not all(tried.reached for tried in found):
        return Whole(asked.k, epsilon, delta, None, None, None, None, refused)
    utility, linkability, delta_reached = over_tables(found)
    return Whole(asked.k, epsilon, delta, delta_reached, utility.ncp, utility.query_error_mean, linkability, refused)


def _frontier(settings: Sequence[Whole]) -> frozenset[int]:
    """Risk at one ε is no measure of risk at another, so each has a frontier of its own."""
    places: list[int] = []
    for epsilon in dict.fromkeys(one.epsilon for one in settings):
        here = [(place, one) for place, one in enumerate(settings) if one.epsilon == epsilon and one.reached]
        points = [(1.0 - (one.delta_reached or 0.0), one.loss or 0.0) for _, one in here]
        places += [here[kept][0] for kept in frontier(points)]
    return frozenset(places)


def _tell_parent(prepared: Prepared, home: Home, settings: Sequence[Whole], best: frozenset[int], tables: int) -> RunContent:
    trials = prepared.trials
    reached = [one for one in settings if one.reached]
    name = (
        "explore-"
        + hashlib.sha256(f"{prepared.loaded.digest}{[(one.k, one.epsilon, one.delta) for one in settings]}".encode()).hexdigest()[:8]
    )
    parameters = {
        "policy_digest": prepared.loaded.digest,
        "source_hmac": source_hmac(ledger_secret(home.keys), prepared.source_digest),
        "k": ", ".join(str(k) for k in sorted({one.k for one in settings})),
        "epsilon": ", ".join(dict.fromkeys(one.epsilon for one in settings)),
        "delta": ", ".join(dict.fromkeys(one.delta for one in settings)),
    }
    counts = {
        "rows": trials.table.rows,
        "tables": tables,
        "settings": len(settings),
        "settings_reached": len(reached),
        "frontier": len(best),
    }
    points = [
        FrontierPoint(one.k, one.epsilon, float(exact(one.delta)), one.loss or 0.0, one.query_error, place in best)
        for place, one in enumerate(settings)
        if one.reached
    ]
    files = {"policy.yaml": prepared.loaded.text.encode()}
    if points:
        files["pictures/frontier.png"] = draw_frontier(points, "png")
    tags = {"dataset": trials.policy.dataset, "kind": "exploration"}
    return RunContent(name, parameters, finite_points(Point(key, float(value)) for key, value in counts.items()), tags, files)


def _tell_child(trials: Trials, number: int, asked: Asked, tried: Tried) -> RunContent:
    """Figures of a table by its number."""
    parameters = {"k": str(asked.k), "epsilon": str(asked.epsilon), "delta": str(asked.delta), "table": str(number)}
    figures = {
        "reached": float(tried.reached),
        "passed": float(tried.passed),
        "risk": None if tried.delta_reached is None else 1.0 - tried.delta_reached,
        "delta_reached": tried.delta_reached,
        "ncp": tried.loss,
        "query_error_mean": tried.query_error,
        "query_error_median": tried.query_error_median,
        "linkability": tried.linkability,
        "groups": float(tried.groups) if tried.reached else None,
    }
    points = finite_points(Point(key, value) for key, value in figures.items() if value is not None)
    name = f"table-{number} k {asked.k} epsilon {asked.epsilon} delta {asked.delta}"
    return RunContent(name, parameters, points, {"dataset": trials.policy.dataset, "kind": "setting"})


def _whole_json(one: Whole, best: bool) -> dict[str, Any]:
    return {
        "k": one.k,
        "epsilon": float(exact(one.epsilon)),
        "delta": float(exact(one.delta)),
        "reached": one.reached,
        "delta_reached": one.delta_reached,
        "ncp": one.loss,
        "query_error_mean": one.query_error,
        "linkability": one.linkability,
        "refused_by": list(one.refused),
        "frontier": best,
    }


def _run_json(number: int, asked: Asked, tried: Tried) -> dict[str, Any]:
    return {
        "table": number,
        "k": asked.k,
        "epsilon": float(exact(asked.epsilon)),
        "delta": float(exact(asked.delta)),
        "reached": tried.reached,
        "delta_reached": tried.delta_reached,
        "ncp": tried.loss,
        "query_error_mean": tried.query_error,
        "query_error_median": tried.query_error_median,
        "linkability": tried.linkability,
        "groups": tried.groups,
        "refused_by": list(tried.refused),
    }


def _size(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 2:
        raise InputRejected(f"k = {text} is no group size.", "Give whole numbers of at least 2, such as --k 5,10.")
    return int(text)


def _radius(text: str) -> Fraction:
    try:
        number = exact(text)
    except InputRejected:
        number = Fraction(-1)
    if number < 0:
        raise InputRejected(f"ε = {text} is no distance.", "Give decimals that are not negative, such as --epsilon 0,0.1.")
    return number


def _delta(text: str) -> Fraction:
    number = share_of(text, "--delta")
    if number is None or exact(delta_text(number)) != number:
        raise InputRejected("A δ has more than six decimals.", "Give decimals between 0 and 1, such as --delta 0.5,0.7.")
    return number


def _distinct(read: Callable[[str], Fraction], texts: Sequence[str]) -> tuple[str, ...]:
    """Equal numbers once, rising, as decimals are written in a policy."""
    found = {read(text): text for text in texts}
    return tuple(delta_text(number) if number <= 1 and read is not _radius else _plain(found[number]) for number in sorted(found))


def _plain(text: str) -> str:
    from decimal import Decimal

    return decimal_text(Decimal(text))
