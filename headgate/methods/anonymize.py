"""One projected table in, one partition out, by any method; and what to do when the limits are not reached."""

from __future__ import annotations

from collections.abc import Sequence

from headgate.core.columns import Table
from headgate.core.errors import InputRejected
from headgate.grouping.watch import Watch
from headgate.methods.household_counting import counting_households, recounted_by_households
from headgate.methods.method import Method
from headgate.methods.otherwise import suppress
from headgate.methods.partition import Partition
from headgate.methods.relaxing import relax
from headgate.methods.settings import Otherwise, Settings, check_settings


def anonymize(
    method: Method, table: Table, sensitive: Sequence[str], settings: Settings, seed: int, watch: Watch | None = None
) -> Partition:
    """Groups the rows of a table so that every limit holds, and says whether that was possible. The same seed gives the same groups."""
    check_settings(table, settings.k, settings.limits)
    settings = counting_households(method, table, settings)
    if settings.conditions and not method.looks_at_conditions:
        raise InputRejected(
            f"Method {method.variant or method.key} cannot make groups for '{settings.conditions[0].name}'.",
            "Use mondrian or full-domain, or measure the groups afterwards.",
        )
    watched = watch or Watch()

    def group(rows: Table, applied: Settings) -> Partition:
        return recounted_by_households(rows, method.group(rows, sensitive, applied, seed, watched), applied.k)

    first = group(table, settings)
    if first.reached:
        return first
    match settings.infeasible.otherwise:
        case Otherwise.SUPPRESS if not method.suppresses:
            return suppress(table, settings, first, group, seed)
        case Otherwise.RELAX:
            return relax(table, settings, first, group)
        case _:
            return first
