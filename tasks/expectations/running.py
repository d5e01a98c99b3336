"""Running expectations over a table in memory: an ephemeral context, verdicts only, nothing written, nothing sent.

An outcome says type, column and success. Great Expectations' richer results repeat cell values, and a failing computation is
reported there as plain failure with the exception beside it: here both are read, and neither text goes any further.
"""

from __future__ import annotations

import logging
import os
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from headgate.core.errors import InputRejected, RequirementNotMet

_one_at_a_time = threading.RLock()  # Great Expectations' own registry and the first import are shared by all threads

Search = Callable[[pd.DataFrame], int]


@dataclass(frozen=True)
class Expected:
    """One expectation. `search` counts the offences of one of our own types; it stays in memory. `name`: what the steward calls it, where
    that is not its type."""

    type: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    search: Search | None = field(default=None, repr=False)
    name: str = ""


@dataclass(frozen=True)
class ExpectationOutcome:
    """The part of an expectation's outcome that may leave the run."""

    type: str
    column: str | None
    success: bool
    detail: str = ""


def import_great_expectations() -> Any:
    """The import takes seconds: call it early in a thread, while the source is read."""
    os.environ["DO_NOT_TRACK"] = "true"
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    with _one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own use of deprecated modules is not the reader's concern
        import great_expectations
        from great_expectations.execution_engine import pandas_execution_engine

        pandas_execution_engine.HASH_THRESHOLD = 0  # bytes of a frame of which it would hash every cell, to mark results that nobody keeps
        _quieten_loggers()

    return great_expectations


def _quieten_loggers() -> None:
    """Some of its modules set a level of their own, so that of the whole package does not count for them."""
    if not os.environ.get("HEADGATE_VERBOSE"):
        for name in list(logging.root.manager.loggerDict):
            if name.split(".")[0] == "great_expectations":
                logging.getLogger(name).setLevel(logging.ERROR)


def run_expectations(frame: pd.DataFrame, expected: Sequence[Expected]) -> tuple[ExpectationOutcome, ...]:
    """One outcome for each, in order. An expectation that cannot be computed has failed."""
    gx = import_great_expectations()
    from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

    from tasks.expectations.custom_expectations import hand_over

    searches: list[Search] = []
    with _one_at_a_time:
        configurations = []
        for place, item in enumerate(expected):
            kwargs = dict(item.kwargs)
            if item.search is not None:
                kwargs["search"] = len(searches)
                searches.append(item.search)
            configurations.append(ExpectationConfiguration(type=item.type, kwargs=kwargs, meta={"place": place}))
        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = {"globally": False, "metric_calculations": False}
        source = context.data_sources.add_pandas("memory")
        hand_over(source.get_execution_engine(), searches)
        definition = source.add_dataframe_asset("table").add_batch_definition_whole_dataframe("whole")
        suite = gx.ExpectationSuite(name="table", expectations=configurations)
        batch = definition.get_batch(batch_parameters={"dataframe": frame})
        results = batch.validate(suite, result_format="BOOLEAN_ONLY").results
        context.data_sources.delete("memory")  # it would hold the frame, identifiers and all, for as long as the process lives
    # Great Expectations returns results grouped by column: `place` puts them back into order.
    by_place = {result.expectation_config.meta["place"]: result for result in results}
    return tuple(_outcome(item, by_place.get(place)) for place, item in enumerate(expected))


def _outcome(item: Expected, result: Any) -> ExpectationOutcome:
    column = item.kwargs.get("column") or None
    if result is None or _raised(result.exception_info):
        return ExpectationOutcome(item.name or item.type, column, False, "could not be computed")
    return ExpectationOutcome(item.name or item.type, column, bool(result.success))


def _raised(information: Any) -> bool:
    """Flat, or one entry per metric: any raised exception counts."""
    if not isinstance(information, Mapping):
        return False
    if information.get("raised_exception"):
        return True
    return any(isinstance(entry, Mapping) and bool(entry.get("raised_exception")) for entry in information.values())


def failures(outcomes: Sequence[ExpectationOutcome]) -> tuple[ExpectationOutcome, ...]:
    return tuple(outcome for outcome in outcomes if not outcome.success)


def _listed(failed: Sequence[ExpectationOutcome]) -> str:
    named = [
        outcome.type + (f" on '{outcome.column}'" if outcome.column else "") + (f" ({outcome.detail})" if outcome.detail else "")
        for outcome in failed
    ]
    more = f" and {len(named) - 8} more" if len(named) > 8 else ""
    return "; ".join(named[:8]) + more


def refuse_failed_inbound(outcomes: Sequence[ExpectationOutcome]) -> None:
    """A source that is not what the policy and the steward expect goes no further."""
    failed = failures(outcomes)
    if failed:
        raise InputRejected(
            f"{len(failed)} of {len(outcomes)} expectations on the source failed: {_listed(failed)}.",
            "Correct the data, or the policy and the steward's suite where they expect too much.",
        )


def refuse_failed_outbound(outcomes: Sequence[ExpectationOutcome], table: str) -> None:
    """A table that is not what was meant to be published is not published."""
    failed = failures(outcomes)
    if failed:
        raise RequirementNotMet(
            f"{len(failed)} of {len(outcomes)} expectations on {table} as it was written failed: {_listed(failed)}.",
            "What was written is not what the policy declares: correct the policy's roles and domains, then release again.",
            "expectations",
            float(len(failed)),
            0.0,
        )
