"""`anonymize.series: sticky` on simulated months of the census, beside grouping every month anew and two other ways to keep a series safe.

Adults of the census; in each of 12 versions 2 % leave, 2 % come, and a share of the others change the sensitive attribute, to the value of
somebody drawn at random. Quasi-identifiers: age, sex, marital status, race. Groups of at least 10, δ = 0.6 at ε = 0: at most 4 of 10 alike.
Whoever's series linkability would be above the promise is left out of the new version, and what is left is measured again, until nobody is
above it.

- `fresh`: every version is grouped as if it were the only one. What the others cost is told against it.
- `sticky`: `headgate.methods.sticky.keep_groups`, which knows all versions, or only the one published last.
- `keep buckets` and `hold regions`: see `sticky_other_ways`.

`python -m benchmarks.series_sticky blocks 20000 0.8`: method, people, promise. It writes docs/series/figures.json and the pictures there;
with `draw`, only the pictures.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.sticky_charts import pictures
from benchmarks.sticky_other_ways import hold_regions, keep_buckets
from benchmarks.sticky_world import Groups, NewVersion, Past, Way, World, world
from headgate.core.tolerance import exact
from headgate.grouping.items import items_of
from headgate.methods.anonymize import anonymize
from headgate.methods.choice import choose
from headgate.methods.method import Method
from headgate.methods.partition import counted_partition
from headgate.methods.sticky.keep_groups import keep_groups
from headgate.methods.sticky.leaving_out import LeftOut, NewTable, leave_out
from headgate.series.above_promise import above

PLACE = Path(__file__).parents[1] / "docs" / "series"


@dataclass
class Month:
    told: float  # share of people above the promise however the version is grouped: nearly all by a value that changed
    above: float  # share of people above the promise before anybody is left out
    largest: float  # linkability that is published
    left_out: float
    loss: float
    seconds: float  # of grouping


def fresh(method: Method) -> Way:
    def way(new: NewVersion) -> Groups:
        return anonymize(method, new.table, (new.world.name,), new.settings, 0).groups.astype(np.int64)

    return way


def sticky(method: Method, promise: Fraction, versions: int = 0) -> Way:
    """`versions`: how many of those published last are known, 0 for all."""

    def way(new: NewVersion) -> Groups:
        before = new.past.before(new.people)[:, -versions:]
        kept = keep_groups(method, new.table, (new.world.name,), new.settings, before, 0, promise=promise)
        return kept.require().groups.astype(np.int64)

    return way


def run(world: World, method: Method, way: Way, promise: Fraction, leaving_out: bool) -> list[Month]:
    past, months = Past(world.table.rows), []
    for there, own in zip(world.there, world.own, strict=True):
        new = NewVersion(world, there, own, past)
        hopeless = above(new.linkability(np.zeros(len(there), dtype=np.int32)), promise)  # though all were one group
        if leaving_out:
            new = new.without(hopeless)
        start = time.perf_counter()
        groups = way(new).astype(np.int32)
        seconds = time.perf_counter() - start
        over = above(new.linkability(groups), promise) | (groups < 0)
        told = int(hopeless.sum()) if leaving_out else 0  # else they are among those who are grouped
        partition = counted_partition(items_of(new.table, new.settings.limits), new.settings, groups)
        if leaving_out:
            table = NewTable(method, new.table, (world.name,), new.settings, partition)
            found = leave_out([table], lambda groups, new=new: new.linkability(groups[0]), promise, Fraction(1), 0)
            assert isinstance(found, LeftOut)
            (partition,) = found.partitions
        linkability = new.linkability(partition.groups)[partition.groups >= 0]
        past.versions.append(new.version(partition.groups))
        share = (int(over.sum()) + told) / len(there)
        left_out = 1 - int((partition.groups >= 0).sum()) / len(there)
        months.append(Month(float(hopeless.mean()), share, float(linkability.max()), left_out, partition.loss, seconds))
    return months


def main(arguments: Sequence[str]) -> None:
    if arguments[0] != "draw":
        method, people, promise = arguments[0], int(arguments[1]), exact(arguments[2])
        found = {
            f"{name}, {change:g}": measured(method, name, people, promise, change)
            for name in ("education", "occupation")
            for change in (0.0, 0.05)
        }
        PLACE.mkdir(exist_ok=True)
        asked = {"method": method, "people": people, "promise": float(promise)}
        (PLACE / "figures.json").write_text(json.dumps({"asked": asked, "series": found}, indent=1) + "\n", encoding="utf-8")
    for name, picture in pictures(json.loads((PLACE / "figures.json").read_text(encoding="utf-8"))).items():
        (PLACE / name).write_bytes(picture)


def measured(method: str, name: str, people: int, promise: Fraction, change: float) -> Mapping[str, Any]:
    made = world(name, people, change)
    chosen = choose("xcolor", "blocks") if method == "blocks" else choose(method)
    ways: dict[str, tuple[Way, bool]] = {
        "fresh": (fresh(chosen), False),
        "fresh, with leaving out": (fresh(chosen), True),
        "sticky": (sticky(chosen, promise), True),
        "sticky, one version known": (sticky(chosen, promise, 1), True),
        **{f"hold regions, k0 = {k0}": (hold_regions(k0), True) for k0 in (15, 100)},
    }
    if name == "education":  # with many values no group holds all that are common
        ways["keep buckets of 6 common values"] = (keep_buckets(6), True)
    out = {}
    for title, (way, leaving_out) in ways.items():
        months = run(made, chosen, way, promise, leaving_out)
        out[title] = [asdict(month) for month in months]
        print(f"{name}, of which {change:g} changes in each version: {title}", flush=True)
        for figure, scale in (("told", 100), ("above", 100), ("left_out", 100), ("largest", 1), ("loss", 100), ("seconds", 1)):
            print(f"  {figure:10}", " ".join(f"{scale * getattr(month, figure):6.2f}" for month in months), flush=True)
    return out


if __name__ == "__main__":
    main(sys.argv[1:])
