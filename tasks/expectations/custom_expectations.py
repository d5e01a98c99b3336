"""Great Expectations' own expectations end where a release's begin: these count what may not be in a table, and expect none.

Imported inside functions only, for it imports great_expectations. What an expectation looks for is a plain function from a frame to
a count, which lies in the engine of its run; the expectation holds its place there: the identifiers' values never become an argument
that a result or a log would repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import pandas as pd
from great_expectations.core.metric_domain_types import MetricDomainTypes
from great_expectations.execution_engine import PandasExecutionEngine
from great_expectations.expectations.expectation import BatchExpectation
from great_expectations.expectations.metrics.metric_provider import metric_value
from great_expectations.expectations.metrics.table_metric_provider import TableMetricProvider

Offences = Callable[[pd.DataFrame], int]

SEARCHES = "headgate_searches"  # what a run's own engine holds its searches under


def hand_over(engine: PandasExecutionEngine, searches: Sequence[Offences]) -> None:
    """The engine of one run holds its searches by their place, and goes with the run."""
    setattr(engine, SEARCHES, tuple(searches))


class TableOffences(TableMetricProvider):  # type: ignore[misc]
    metric_name = "table.headgate_offences"
    value_keys = ("search",)

    @metric_value(engine=PandasExecutionEngine)
    def _pandas(cls, execution_engine: Any, metric_domain_kwargs: Any, metric_value_kwargs: Any, **_: Any) -> int:  # noqa: N805
        frame, _compute, _accessor = execution_engine.get_compute_domain(metric_domain_kwargs, domain_type=MetricDomainTypes.TABLE)
        search: Offences = getattr(execution_engine, SEARCHES)[metric_value_kwargs["search"]]
        return int(search(frame))


class _NoOffences(BatchExpectation):  # type: ignore[misc]
    """Succeeds when its search counts nothing."""

    search: int
    column: str = ""
    metric_dependencies = ("table.headgate_offences",)
    success_keys: ClassVar[tuple[str, ...]] = ("search",)

    def _validate(self, metrics: dict[str, Any], runtime_configuration: Any = None, execution_engine: Any = None) -> dict[str, Any]:
        return {"success": metrics["table.headgate_offences"] == 0, "result": {}}


class ExpectColumnNumbersToBeWhole(_NoOffences):
    """No number of the column has a fraction."""


class ExpectColumnSetMembersToBeDeclared(_NoOffences):
    """Every member of every set of the column is one of the declared values."""


class ExpectColumnTextsToMatchPatterns(_NoOffences):
    """Enough cells of the column match regular expressions, or match none, as RE2 reads them."""


class ExpectTableColumnsToBeAbsent(_NoOffences):
    """No column of the table bears the name of an identifier or of a dropped attribute."""


class ExpectColumnCellsToBeGeneralizedAsDeclared(_NoOffences):
    """Every cell of a quasi-identifier is an interval inside its domain, a node of its hierarchy or a set of its values."""


class ExpectColumnCellsToBeKnownValues(_NoOffences):
    """Every cell of a sensitive or insensitive column is a value that the declared domain holds."""


class ExpectColumnCellsToHoldNoIdentifier(_NoOffences):
    """No cell of the column is an identifier of a person of the source."""


class ExpectGroupSizeToBeAtLeast(_NoOffences):
    """Every group holds at least k rows."""


class ExpectEndsToBeThoseOfTheCell(_NoOffences):
    """The published low and high ends of each generalized cell are those that the cell itself says."""


class ExpectFormatsToHoldTheSameCells(_NoOffences):
    """Another file of the same table holds the same cells in the same order."""
