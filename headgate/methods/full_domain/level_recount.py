"""The answer, recounted from the group numbers and the published form alone; it shares no loop with the search except the transport on
a line with missing cells."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from headgate.core.columns import Codes, Table
from headgate.core.tolerance import floors
from headgate.grouping.conditions import broken_conditions
from headgate.grouping.items import items_of
from headgate.grouping.recount import recount
from headgate.methods.full_domain.level_settings import LevelSettings


def broken_promises(table: Table, groups: Codes, levels: Mapping[str, int], settings: LevelSettings) -> tuple[str, ...]:
    """The names of the requirements that some group, or some class of groups that are published alike, breaks."""
    broken: list[str] = []
    if int(np.bincount(groups[groups >= 0], minlength=1).min()) < settings.k:
        broken.append("k")
    if int((groups < 0).sum()) > int(floors(table.rows, settings.suppression)):
        broken.append("suppression")
    if settings.limits:
        broken += recount(items_of(table, settings.limits), settings.limits, groups).broken
    broken += (name for name, _ in broken_conditions(table, groups, settings.conditions, levels))
    return tuple(broken)
