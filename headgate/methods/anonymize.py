"""One projected table in, one partition out: `blocks`, `faithful` or `mondrian`, and what to do when the limits are not reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headgate.bounds.certificates import FAITHFUL, Certificate, refute
from headgate.bounds.feasibility import ways_to_publish
from headgate.core.columns import Codes, Table
from headgate.core.errors import InputRejected
from headgate.grouping.axes import axes_of
from headgate.grouping.items import Itemized, items_of
from headgate.grouping.recount import main_limit, recount
from headgate.grouping.watch import Watch
from headgate.methods.blocks.branching import sizes_of_new_groups
from headgate.methods.blocks.local_groups import divide
from headgate.methods.mondrian.mondrian_partition import mondrian
from headgate.methods.otherwise import relax, suppress
from headgate.methods.partition import Otherwise, Partition, Variant, XColorSettings
from headgate.methods.xcolor.faithful import color

FALL_BACK_ROWS = 5_000  # up to which the whole table is colored where blocks do not reach the limits
ATTEMPTS = 2  # orders in which what was set aside is placed
FEW_OVER = 64  # rows with too many similar ones; with more another order is not tried


def anonymize(table: Table, sensitive: Sequence[str], settings: XColorSettings, seed: int, watch: Watch | None = None) -> Partition:
    """Groups the rows of a table so that every limit holds, and says whether it could. Same seed, same groups."""
    _check(table, settings)
    watched = watch or Watch()

    def group(rows: Table, asked: XColorSettings) -> Partition:
        return _group(rows, sensitive, asked, seed, watched)

    found = group(table, settings)
    if found.reached:
        return found
    match settings.infeasible.otherwise:
        case Otherwise.SUPPRESS:
            return suppress(table, settings, found, group, seed)
        case Otherwise.RELAX:
            return relax(table, settings, found, group)
        case _:
            return found


def _check(table: Table, settings: XColorSettings) -> None:
    if settings.k < 1:
        raise InputRejected(f"k = {settings.k} is no group size.", "Give k ≥ 1.")
    if not table.quasi:
        raise InputRejected("There is no quasi-identifier.", "Declare at least one attribute with role: quasi.")
    if table.rows < settings.k:
        raise InputRejected(f"{table.rows} rows cannot make a group of k = {settings.k}.", "Lower k or release more rows.")
    for limit in settings.limits:
        if limit.rows != table.rows:
            raise InputRejected(
                f"'{limit.name}' was made for {limit.rows} rows, the table has {table.rows}.", "Make the limits from the table."
            )


def _group(table: Table, sensitive: Sequence[str], settings: XColorSettings, seed: int, watch: Watch) -> Partition:
    """The variant that was asked for, with a proof where it is not reached and there is one."""
    if settings.variant is Variant.MONDRIAN:
        found = mondrian(table, sensitive, settings, watch)
        return found if found.reached else replace(found, certificate=_refuted(table, sensitive, settings))
    itemized = items_of(table, settings.limits)

    faithful = settings.variant is Variant.FAITHFUL

    def colored(size: int, cycles: bool = False) -> Partition:
        groups = color(axes_of(table), settings.limits, table.rows, size, watch, cycles).groups
        return _partition(itemized, groups, settings, Variant.FAITHFUL)

    found = colored(settings.k) if faithful else _in_blocks(itemized, settings, seed, 0, watch)
    if found.reached:
        return found
    found = replace(found, certificate=_refuted(table, sensitive, settings))
    if found.certificate is not None:
        return found
    if faithful:  # exchanges of three take long, and are only for what could be possible
        cycled = colored(settings.k, cycles=True)
        return cycled if cycled.reached else replace(min(found, cycled, key=lambda one: one.rows_over), certificate=None)
    for attempt in range(1, ATTEMPTS):
        if found.rows_over > FEW_OVER:
            break
        again = _in_blocks(itemized, settings, seed, attempt, watch)
        if again.reached:
            return again
        found = min(found, again, key=lambda one: one.rows_over)
    if table.rows <= FALL_BACK_ROWS:  # as a whole, with larger groups too
        sizes = dict.fromkeys((sizes_of_new_groups(itemized.items.limits.allowed, settings.k)[0], settings.k))
        return next((whole for whole in map(colored, sizes) if whole.reached), found)
    return found


def _refuted(table: Table, sensitive: Sequence[str], settings: XColorSettings) -> Certificate | None:
    """A proof that no partition of this variant keeps the limits."""
    ways = ways_to_publish(table.select(table.quasi), table.rows // settings.k)
    found = refute(settings.limits, settings.k, table.select(sensitive), ways=ways)
    return None if found is not None and found.refutes == FAITHFUL and settings.variant is not Variant.FAITHFUL else found


def _in_blocks(table: Itemized, settings: XColorSettings, seed: int, attempt: int, watch: Watch) -> Partition:
    groups = watch.run(lambda: divide(table.items, table.item, settings.k, [seed, attempt], watch.state))
    return _partition(table, groups, settings, Variant.BLOCKS)


def _partition(table: Itemized, groups: Codes, settings: XColorSettings, variant: Variant) -> Partition:
    counted = recount(table, settings.limits, groups)
    main = main_limit(settings.limits)
    return Partition(
        groups=groups,
        reached=counted.reached(settings.k),
        risk=counted.risk,
        certificate=None,
        suppressed=int((groups < 0).sum()),
        delta_reached=None if counted.risk is None else 1.0 - counted.risk,
        delta_asked=None if main is None or main.delta is None else float(main.delta),
        broken=counted.broken,
        rows_over=int((counted.over > 0).sum()),
        smallest=counted.smallest,
        count=int(groups.max(initial=-1)) + 1,
        loss=counted.loss,
        variant=variant,
    )
