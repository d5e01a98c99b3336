"""`anonymize.series: sticky`: a new version's groups, in which people who were published together stay together as far as the limits allow
(DEFINITIONS §11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Table
from headgate.core.errors import InputRejected
from headgate.grouping.watch import Watch
from headgate.methods.anonymize import anonymize
from headgate.methods.method import Method
from headgate.methods.partition import Partition
from headgate.methods.settings import Settings, check_settings
from headgate.methods.sticky.core_draft import draft_of
from headgate.methods.sticky.cores import cores_of
from headgate.methods.sticky.following import LOOKING
from headgate.methods.sticky.joining import join
from headgate.methods.sticky.settling import Settling

EVEN = Fraction(1, 2)  # a promise that lends only those who leave a choice of two at least
NEAR = 0.5  # of what one row loses at most on one axis, in all: for more than that a newcomer joins no core


def keep_groups(
    method: Method,
    table: Table,
    sensitive: Sequence[str],
    settings: Settings,
    before: Codes,
    seed: int,
    watch: Watch | None = None,
    promise: Any = EVEN,
) -> Partition:
    """Groups the rows of a new version as `anonymize` does, where people who were published together stay together.

    `before[row, version]` is the group that the row's person had in a published version of this table, oldest version first, −1 where the
    person was not published: new people have −1 everywhere. The version published last is enough; earlier ones help people who were not in
    it. A group's number means something within its column only. With −1 everywhere the result is that of `anonymize`.

    `promise` is the largest series linkability that is allowed: a group that lacks people borrows them where what both groups have in
    common keeps it. Rows that fit nowhere are suppressed within `infeasible`; if they are more, all rows are grouped anew, as the limits
    come first. Whoever comes above the promise all the same is for `leave_out`."""
    if not method.keeps_groups:
        raise InputRejected(f"Method {method.variant or method.key} cannot keep groups of former versions.", "Use blocks or mondrian.")
    if before.ndim != 2 or len(before) != table.rows:
        raise InputRejected("Former groups do not fit the table.", "Give one row per row of the table, and one column per version.")
    check_settings(table, settings.k, settings.limits)
    cores = cores_of(before)
    if (cores < 0).all():
        return anonymize(method, table, sensitive, settings, seed, watch)
    settling = Settling.of(method, table, sensitive, settings, promise, seed, watch or Watch())
    turns = settling.turns(cores)
    groups = settling.settled(_with_new_people(settling, cores, turns), turns)
    kept = settling.counted(groups)
    if kept.reached and kept.suppressed <= settings.infeasible.suppressible * table.rows:
        return kept
    return anonymize(method, table, sensitive, settings, seed, watch)


def _with_new_people(settling: Settling, cores: Codes, turns: NDArray[np.int64]) -> Codes:
    """The cores, with the new people who are near them, and new groups of those who are not; if they cannot be groups by themselves, they
    are LOOKING for a place."""
    watch, items = settling.watch, settling.itemized.item.astype(np.int64)
    draft = draft_of(settling.itemized, cores, settling.settings.k, watch.state)
    groups, new = cores.copy(), turns[cores[turns] < 0]
    groups[new] = watch.run(lambda: join(draft, items[new], NEAR))
    apart = new[groups[new] < 0]
    by_themselves = _fresh(settling, np.sort(apart)) if len(apart) >= settling.settings.k else None
    if by_themselves is not None:
        groups[np.sort(apart)] = by_themselves + int(cores.max()) + 1
    else:
        groups[apart] = LOOKING
    return groups


def _fresh(settling: Settling, rows: NDArray[np.int64]) -> Codes | None:
    """Groups of these rows by themselves; None if their limits are not reached."""
    settings = replace(settling.settings, limits=tuple(limit.take(rows) for limit in settling.settings.limits))
    fresh = settling.method.group(settling.table.take(rows), settling.sensitive, settings, settling.seed, settling.watch)
    return fresh.groups if fresh.reached else None
