"""The optimum of the lattice as a partition like any other: what a release, a plan's check and advice work with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headgate.core.columns import Table
from headgate.core.errors import RequirementNotMet
from headgate.grouping.items import items_of
from headgate.grouping.recount import main_limit, recount
from headgate.grouping.watch import Watch
from headgate.methods.full_domain.level_search import full_domain
from headgate.methods.full_domain.level_settings import LevelSettings
from headgate.methods.partition import ADVISE, FAIL, Partition
from headgate.methods.settings import Infeasible, Settings


@dataclass(frozen=True, eq=False)
class LevelPartition(Partition):
    """Not reached means: no node of the lattice satisfies the requirements."""

    def refusal(self, where: str = "", otherwise: str = ADVISE, allowed: Infeasible = FAIL) -> RequirementNotMet:
        sentence = "no choice of levels satisfies the requirements"
        sentence = f"{where}, {sentence}." if where else f"{sentence}."
        return RequirementNotMet(sentence[0].upper() + sentence[1:], self.remedy(otherwise, allowed), "levels", 0.0, 1.0)

    def remedy(self, otherwise: str = ADVISE, allowed: Infeasible = FAIL) -> str:
        return (
            "Loosen k, δ or the gates on single attributes, raise `suppression`, or give the hierarchies more levels. "
            "Perhaps not even one group of all rows satisfies the requirements."
        )


def level_partition(
    table: Table, sensitive: Sequence[str], settings: Settings, objective: str = "ncp", watch: Watch | None = None
) -> LevelPartition:
    """Looks only at the nodes that the optimum needs."""
    share = settings.infeasible.suppressible
    level_settings = LevelSettings(settings.k, share, objective, settings.conditions, settings.limits, every_node=False)
    chosen = full_domain(table, sensitive, level_settings, watch)
    main = main_limit(settings.limits)
    risk = recount(items_of(table, settings.limits), settings.limits, chosen.groups).risk if chosen.reached else None
    released = table.rows - chosen.suppressed
    return LevelPartition(
        groups=chosen.groups,
        reached=chosen.reached,
        risk=risk,
        certificate=None,
        suppressed=chosen.suppressed,
        delta_reached=None if risk is None else 1.0 - risk,
        delta_asked=None if main is None or main.delta is None else float(main.delta),
        broken=(),
        rows_over=0 if chosen.reached else table.rows,
        smallest=chosen.smallest,
        count=chosen.count,
        loss=(chosen.ncp * table.rows - chosen.suppressed) / released if chosen.reached else 1.0,
        levels=chosen.levels if chosen.reached else None,
    )
