"""The optimum of the lattice as a partition like any other: what a release, a plan's check and advice work with."""

from __future__ import annotations

from collections.abc import Sequence

from headgate.core.columns import Table
from headgate.grouping.items import items_of
from headgate.grouping.recount import main_limit, recount
from headgate.grouping.watch import Watch
from headgate.methods.full_domain.level_search import FullDomainSettings, full_domain
from headgate.methods.partition import Partition, Variant


def full_domain_partition(table: Table, sensitive: Sequence[str], settings: FullDomainSettings, watch: Watch | None = None) -> Partition:
    """Not reached: no node of the lattice keeps what is asked."""
    found = full_domain(table, sensitive, settings, watch)
    main = main_limit(settings.limits)
    asked = None if main is None or main.delta is None else float(main.delta)
    risk = recount(items_of(table, settings.limits), settings.limits, found.groups).risk if found.reached else None
    released = table.rows - found.suppressed
    return Partition(
        groups=found.groups,
        reached=found.reached,
        risk=risk,
        certificate=None,
        suppressed=found.suppressed,
        delta_reached=None if risk is None else 1.0 - risk,
        delta_asked=asked,
        broken=(),
        rows_over=0 if found.reached else table.rows,
        smallest=found.smallest,
        count=found.count,
        loss=(found.ncp * table.rows - found.suppressed) / released if found.reached else 1.0,
        variant=Variant.FULL_DOMAIN,
        levels=found.levels if found.reached else None,
    )
