"""A sweep over settings. Each is logged to MLflow as a child run. What is not recorded is not shown.

MLflow receives only numbers of tables and figures, no values and no names of attributes."""

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
from headgate.core.errors import InputRejected
from headgate.core.tolerance import exact
from headgate.core.units import counted
from policies.jobs.table_job import Names
from policies.words.fields import decimal_of, decimal_text
from tasks.advice.advice_charts import FrontierPoint, draw_frontier
from tasks.advice.advice_trials import Trials, TrialSetting, over_tables
from tasks.advice.policy_advice import STAND_IN, Prepared, Progress, SettingsCount, prepare, share_of, sizes_around
from tasks.reporting.mlflow_record import Metric, RunContent, finite_points
from tasks.reporting.mlflow_runs import require_tracking, track_runs
from tasks.runtime.home import Home
from tasks.signing.home_keys import ledger_secret, source_hmac

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
        return cls(tuple(sorted({_size(text) for text in sizes})), _distinct(_radius, epsilons), _distinct(_delta, deltas))

    def around(self, own: TrialSetting, sizes: tuple[int, ...]) -> Grid:
        """`sizes` where no k was said."""
        epsilons = self.epsilons or ((own.epsilon or STAND_IN),)
        deltas = [*DELTAS, *([] if own.delta is None else [delta_text(exact(own.delta))])]
        return Grid(self.sizes or sizes, epsilons, self.deltas or _distinct(_delta, deltas))

    def settings(self, rows: int) -> tuple[TrialSetting, ...]:
        fits = [k for k in self.sizes if k <= rows]
        if not fits:
            raise InputRejected(f"{rows} rows are too few for every k given.", "Give smaller k, at least 2.")
        return tuple(TrialSetting(k, epsilon, delta) for epsilon in self.epsilons for k in fits for delta in self.deltas)


@dataclass(frozen=True)
class ExploredSetting:
    """One setting on all tables: the worst risk, the mean loss. Nothing is known of a setting that some table did not reach."""

    k: int
    epsilon: str
    delta: str
    delta_reached: float | None
    loss: float | None
    query_error: float | None
    query_error_low: float | None
    query_error_high: float | None
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
    settings: tuple[ExploredSetting, ...]
    frontier: frozenset[int]  # places in `settings`, for each ε by itself
    of_tables: tuple[tuple[int, TrialSetting, Tried], ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "dataset": self.dataset,
            "mlflow_run_id": self.run_id,
            "tables": [list(names) for names in self.tables],
            "settings": [_whole_json(setting, place in self.frontier) for place, setting in enumerate(self.settings)],
            "runs": [_run_json(number, setting, tried) for number, setting, tried in self.of_tables],
        }


def explore(path: Path, grid: Grid, home: Home, progress: Progress | None = None) -> Explored:
    """Every setting on every table of the plan. The store of runs is opened before the work, so that nothing is tried in vain."""
    count = SettingsCount(progress)
    prepared = prepare(path, count.rows)
    trials = prepared.trials
    settings = grid.around(prepared.own, () if grid.sizes else sizes_around(prepared)).settings(trials.table.rows)
    tables = prepared.plans[0]
    if len(settings) * len(tables) > MOST_RUNS:
        raise InputRejected(
            f"{counted(len(settings), 'setting')} on {counted(len(tables), 'table')} need more than {MOST_RUNS:,} runs.",
            "Give shorter lists with --k, --epsilon and --delta.",
        )
    require_tracking(trials.policy.dataset, home.root)
    count.expect(len(settings) * len(tables))

    places = [(number, setting) for setting in settings for number in range(1, len(tables) + 1)]
    outcomes = trials.all_tried([(tables[number - 1], setting, 0) for number, setting in places], count.one_more)
    tried = [(number, setting, outcome) for (number, setting), outcome in zip(places, outcomes, strict=True)]
    whole = tuple(_whole(setting, [outcome for _, attempted, outcome in tried if attempted == setting]) for setting in settings)
    best = _frontier(whole)
    parent = _tell_parent(prepared, home, whole, best, len(tables))
    run_id = track_runs(trials.policy.dataset, RUNNER, parent, [_tell_child(trials, *table) for table in tried], home.root)
    return Explored(trials.policy.dataset, run_id, tables, whole, best, tuple(tried))


def _whole(setting: TrialSetting, outcomes: Sequence[Tried]) -> ExploredSetting:
    refused = tuple(dict.fromkeys(gate for tried in outcomes for gate in (tried.refused if tried.reached else ("not reached",))))
    epsilon, delta = str(setting.epsilon), str(setting.delta)
    if not all(tried.reached for tried in outcomes):
        return ExploredSetting(setting.k, epsilon, delta, None, None, None, None, None, None, refused)
    utility, linkability, delta_reached = over_tables(outcomes)
    errors = (utility.query_error_mean, utility.query_error_low, utility.query_error_high)
    return ExploredSetting(setting.k, epsilon, delta, delta_reached, utility.ncp, *errors, linkability, refused)


def _frontier(settings: Sequence[ExploredSetting]) -> frozenset[int]:
    """Risk at one ε is no measure of risk at another, so each has a frontier of its own."""
    places: list[int] = []
    for epsilon in dict.fromkeys(setting.epsilon for setting in settings):
        here = [(place, setting) for place, setting in enumerate(settings) if setting.epsilon == epsilon and setting.reached]
        points = [(1.0 - (setting.delta_reached or 0.0), setting.loss or 0.0) for _, setting in here]
        places += [here[kept][0] for kept in frontier(points)]
    return frozenset(places)


def _tell_parent(prepared: Prepared, home: Home, settings: Sequence[ExploredSetting], best: frozenset[int], tables: int) -> RunContent:
    trials = prepared.trials
    reached = [setting for setting in settings if setting.reached]
    swept = [(setting.k, setting.epsilon, setting.delta) for setting in settings]
    name = "explore-" + hashlib.sha256(f"{prepared.loaded.digest}{swept}".encode()).hexdigest()[:8]
    parameters = {
        "policy_digest": prepared.loaded.digest,
        "source_hmac": source_hmac(ledger_secret(home.keys), prepared.source_digest),
        "k": ", ".join(str(k) for k in sorted({setting.k for setting in settings})),
        "epsilon": ", ".join(dict.fromkeys(setting.epsilon for setting in settings)),
        "delta": ", ".join(dict.fromkeys(setting.delta for setting in settings)),
    }
    counts = {
        "rows": trials.table.rows,
        "tables": tables,
        "settings": len(settings),
        "settings_reached": len(reached),
        "frontier": len(best),
    }
    points = [
        FrontierPoint(setting.k, setting.epsilon, float(exact(setting.delta)), setting.loss or 0.0, setting.query_error, place in best)
        for place, setting in enumerate(settings)
        if setting.reached
    ]
    files = {"pictures/frontier.png": draw_frontier(points, "png")} if points else {}
    tags = {"dataset": trials.policy.dataset, "kind": "exploration"}
    return RunContent(name, parameters, finite_points(Metric(key, float(value)) for key, value in counts.items()), tags, files)


def _tell_child(trials: Trials, number: int, setting: TrialSetting, tried: Tried) -> RunContent:
    """Figures of a table by its number."""
    parameters = {"k": str(setting.k), "epsilon": str(setting.epsilon), "delta": str(setting.delta), "table": str(number)}
    figures = {
        "reached": float(tried.reached),
        "passed": float(tried.passed),
        "risk": None if tried.delta_reached is None else 1.0 - tried.delta_reached,
        "delta_reached": tried.delta_reached,
        "ncp": tried.loss,
        "query_error_mean": tried.query_error,
        "query_error_low": tried.query_error_interval[0],
        "query_error_high": tried.query_error_interval[1],
        "query_error_median": tried.query_error_median,
        "linkability": tried.linkability,
        "groups": float(tried.groups) if tried.reached else None,
    }
    points = finite_points(Metric(key, value) for key, value in figures.items() if value is not None)
    name = f"table-{number} k {setting.k} epsilon {setting.epsilon} delta {setting.delta}"
    return RunContent(name, parameters, points, {"dataset": trials.policy.dataset, "kind": "setting"})


def _whole_json(setting: ExploredSetting, best: bool) -> dict[str, Any]:
    return {
        "k": setting.k,
        "epsilon": float(exact(setting.epsilon)),
        "delta": float(exact(setting.delta)),
        "reached": setting.reached,
        "delta_reached": setting.delta_reached,
        "ncp": setting.loss,
        "query_error_mean": setting.query_error,
        "query_error_low": setting.query_error_low,
        "query_error_high": setting.query_error_high,
        "linkability": setting.linkability,
        "refused_by": list(setting.refused),
        "frontier": best,
    }


def _run_json(number: int, setting: TrialSetting, tried: Tried) -> dict[str, Any]:
    return {
        "table": number,
        "k": setting.k,
        "epsilon": float(exact(setting.epsilon)),
        "delta": float(exact(setting.delta)),
        "reached": tried.reached,
        "delta_reached": tried.delta_reached,
        "ncp": tried.loss,
        "query_error_mean": tried.query_error,
        "query_error_low": tried.query_error_interval[0],
        "query_error_high": tried.query_error_interval[1],
        "query_error_median": tried.query_error_median,
        "linkability": tried.linkability,
        "groups": tried.groups,
        "refused_by": list(tried.refused),
    }


def _size(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 2:
        raise InputRejected(f"k = {text} is not a valid group size.", "Give whole numbers of at least 2, such as --k 5,10.")
    return int(text)


def _radius(text: str) -> Fraction:
    try:
        number = exact(text)
    except InputRejected:
        number = Fraction(-1)
    if number < 0:
        raise InputRejected(f"ε = {text} is not a valid distance.", "Give decimals that are not negative, such as --epsilon 0,0.1.")
    return number


def _delta(text: str) -> Fraction:
    number = share_of(text, "--delta")
    if number is None or exact(delta_text(number)) != number:
        raise InputRejected("A δ has more than six decimals.", "Give decimals between 0 and 1, such as --delta 0.5,0.7.")
    return number


def _distinct(read: Callable[[str], Fraction], texts: Sequence[str]) -> tuple[str, ...]:
    """Equal numbers once, rising, as decimals are written in a policy."""
    return tuple(decimal_text(decimal_of(number)) for number in sorted(set(map(read, texts))))
