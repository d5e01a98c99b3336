"""Step 5: one projected table is anonymized on its own, generalized, shuffled and written in its published form.

What leaves this step is files only. The gates read those files again and know nothing of the partition.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from fractions import Fraction

import numpy as np

from headgate.core.errors import RequirementNotMet
from headgate.core.published import order_of_rows, publish_form
from policies.gates.attackers import needs_whose
from tasks.release.workbench import Workbench, present
from tasks.tables.write import write_published


def group_table(bench: Workbench, name: str) -> int:
    """Finds the groups of one table among the rows still released; gives how many rows it suppresses."""
    check = present(bench.check, "plan")
    kept = present(bench.kept, "plan")
    columns = bench.columns_of(name)
    found = check.checked(columns).partition if kept.all() else check.partition(columns, np.flatnonzero(kept))
    # A table that is left too little to suppress has all rows at −1: then tables cannot agree, and try again with less each.
    again = check.method.suppresses and check.lent > 0 and not kept.all()
    bench.partitions[name] = found if again else found.require(name)
    return int(found.suppressed)


def agree_on_suppression(bench: Workbench) -> bool:
    """Suppressed rows leave every table, or comparing tables would tell who they are. True if all tables have agreed: nobody was
    suppressed who is still in another table. The share allowed is of the input rows and counts all of them together."""
    kept = present(bench.kept, "plan")
    still = kept.copy()
    for partition in bench.partitions.values():
        still[np.flatnonzero(kept)[partition.groups < 0]] = False
    if still.sum() == kept.sum():
        return True
    bench.kept, bench.suppressed = still, int((~still).sum())
    check = present(bench.check, "plan")
    gone, share = bench.suppressed, check.suppression
    if gone > share * len(still) and check.method.suppresses and check.lent > 0:
        # Each table may have used the whole share. With a part of it each they do not exceed it at once; with none nobody is suppressed.
        part = Fraction(1, len(bench.names)) if check.lent == 1 and len(bench.names) > 1 else Fraction(0)
        bench.check = replace(check, lent=part, tried={})
        bench.kept, bench.suppressed = np.ones(len(still), dtype=bool), 0
        return False
    if gone > share * len(still):
        where = "suppression" if check.method.suppresses else "infeasible: {suppress: …}"
        remedy = f"Allow a larger share in {where}, or none, or lower δ, ε or k."
        sentence = (
            f"All tables together would suppress {100 * gone / len(still):.6g} % of the rows; at most {100 * float(share):.6g} % may be."
        )
        raise RequirementNotMet(sentence, remedy, "suppression", gone / len(still), float(share))
    return False


def publish_table(bench: Workbench, name: str) -> int:
    """Writes the published form of one table; gives its rows."""
    table, kept = present(bench.table, "encoded source"), present(bench.kept, "plan")
    groups = np.full(table.rows, -1, dtype=np.int32)
    groups[np.flatnonzero(kept)] = bench.partitions[name].groups
    levels = bench.partitions[name].levels
    published = publish_form(table, groups, name, bench.columns_of(name), bench.insensitive_of(name), levels)
    seed = secrets.randbits(128)
    bench.written[name] = write_published(published, bench.stage, bench.loaded.policy.publish.formats, seed)
    if needs_whose(bench.attackers):
        bench.people[name] = np.flatnonzero(groups >= 0)[order_of_rows(published, seed)]
    return published.rows
