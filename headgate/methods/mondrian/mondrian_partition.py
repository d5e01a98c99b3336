"""Mondrian's partition, checked as strictly as XColor's: counted and measured again from the group numbers alone.

The neighbourhood limits by `recount`, the other conditions by the principles' own measuring code on the published form; both
by group and by published quasi-identifiers, and the worse counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from headgate.core.columns import Codes, Table
from headgate.grouping.conditions import broken_conditions
from headgate.grouping.items import items_of
from headgate.grouping.recount import main_limit, recount
from headgate.grouping.watch import Watch
from headgate.methods.mondrian.median_groups import divide
from headgate.methods.mondrian.settings import MondrianSettings
from headgate.methods.partition import Partition, Variant, XColorSettings


def mondrian(table: Table, sensitive: Sequence[str], settings: XColorSettings, watch: Watch | None = None) -> Partition:
    """Groups of at least k, and whether they keep everything that is asked for. Nothing is drawn: the same table, the same groups.

    `headgate.methods.anonymize` calls it once it has checked the settings, and again with fewer rows or a smaller δ where they allow it."""
    asked = settings if isinstance(settings, MondrianSettings) else MondrianSettings(settings.k, settings.limits)
    return _checked(table, asked, divide(table, asked, sensitive, watch))


def _checked(table: Table, settings: MondrianSettings, groups: Codes) -> Partition:
    counted = recount(items_of(table, settings.limits), settings.limits, groups)
    broken, concerned = list(counted.broken), counted.over > 0
    for name, rows in broken_conditions(table, groups, settings.conditions):
        broken.append(name)
        concerned = concerned | rows
    main = main_limit(settings.limits)
    return Partition(
        groups=groups,
        reached=counted.reached(settings.k) and not broken,
        risk=counted.risk,
        certificate=None,
        suppressed=0,
        delta_reached=None if counted.risk is None else 1.0 - counted.risk,
        delta_asked=None if main is None or main.delta is None else float(main.delta),
        broken=tuple(broken),
        rows_over=int(concerned.sum()),
        smallest=counted.smallest,
        count=int(groups.max(initial=-1)) + 1,
        loss=counted.loss,
        variant=Variant.MONDRIAN,
    )
