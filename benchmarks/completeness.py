"""Is what is feasible found? Against every partition of small tables, and on larger tables that were made around a partition.

`python -m benchmarks.completeness [small|planted|relax|suppress|plans] [--tables N] [--from SEED]`
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.every_partition import Case, EveryPartition, groups_of, largest_delta
from benchmarks.planted_tables import drawn_plans, planted, small
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.partition import Partition
from headgate.projection.codip import codip_star
from headgate.projection.optimal import optimal
from headgate.projection.plan import NoPlan


def grouped(case: Case, infeasible: object = "fail") -> tuple[Partition, float]:
    """And the seconds of processor time that it took."""
    settings, table = case.settings(infeasible), case.table
    start = time.process_time()
    found = anonymize(Blocks(), table, table.sensitive, settings, 0)
    return found, time.process_time() - start


def of_small(tables: int, first: int) -> Iterator[str]:
    """Missed, and NCP over the least there is."""
    by_rows: dict[int, list[bool]] = defaultdict(list)
    losses, least, slowest, missed = 0.0, 0.0, 0.0, []
    for seed in range(first, first + tables):
        case = small(seed)
        every = EveryPartition(case)
        best = every.least_loss()
        found, seconds = grouped(case)
        slowest = max(slowest, seconds)
        if found.reached and not case.holds(groups_of(found.groups)):
            raise AssertionError(f"seed {seed}: what is reached does not hold")
        if best is None:
            assert not found.reached, seed
            continue
        by_rows[case.rows].append(found.reached)
        if found.reached:
            losses, least = losses + case.loss(groups_of(found.groups)), least + best
        else:
            missed.append(seed)
    reached = [one for all_of in by_rows.values() for one in all_of]
    yield f"small tables, feasible by exhaustive search                {len(reached):,}"
    yield f"  missed by blocks                                         {share(reached)}   (target ≤ 0.2 %)"
    for rows in sorted(by_rows):
        yield f"    of {rows:2} rows                                            {share(by_rows[rows])}"
    yield f"  mean NCP over the optimum                                {losses / least:.4f}   (target ≤ 1.04)"
    yield f"  slowest                                                  {slowest:.2f} s   (target ≤ 1)"
    yield f"  missed seeds {missed[:20]}"


def share(reached: Sequence[bool]) -> str:
    gone = sum(not one for one in reached)
    return f"{100 * gone / max(1, len(reached)):.1f} % ({gone} of {len(reached)})"


def of_planted(tables: int, first: int) -> Iterator[str]:
    parts: dict[str, list[bool]] = defaultdict(list)
    slowest, missed, times = 0.0, [], []
    for seed in range(first, first + tables):
        case = planted(seed)
        found, seconds = grouped(case)
        times.append(seconds)
        if found.reached and not case.holds(groups_of(found.groups)):
            raise AssertionError(f"seed {seed}: what is reached does not hold")
        assert found.certificate is None or found.certificate.refutes != "every partition", seed
        shape = "graphs" if case.edges is not None else "two attributes" if len(case.promises) > 1 else "one attribute"
        for part in ("all", shape, f"k {case.k}", f"δ {float(case.promises[0].delta)}", f"up to {-(-case.rows // 55) * 55} rows"):
            parts[part].append(found.reached)
        if not found.reached:
            missed.append(seed)
        slowest = max(slowest, seconds)
    yield f"planted tables                                             {len(parts['all']):,}"
    for part in sorted(parts):
        yield f"  missed, {part:30}                   {share(parts[part])}" + ("   (target ≤ 2 %)" if part == "all" else "")
    yield f"  seconds: slowest, mean                                   {slowest:.2f}, {np.mean(times):.3f}   (target ≤ 1)"
    yield f"  missed seeds {missed[:60]}"


def of_relax(tables: int, first: int) -> Iterator[str]:
    """Tables of up to 9 rows that cannot keep their δ but can keep a smaller one."""
    reached, slowest, missed = [], 0.0, []
    seed = first
    while len(reached) < tables:
        case = small(seed, 9)
        seed += 1
        if EveryPartition(case).exists():
            continue
        largest = largest_delta(case)
        if largest is None or largest <= 0:
            continue
        found, seconds = grouped(case, {"relax": "0.01"})
        slowest = max(slowest, seconds)
        kept = case.delta(groups_of(found.groups)) if found.reached else 0
        assert kept <= largest, seed
        reached.append(kept == largest)
        if kept < largest:
            missed.append(seed - 1)
    yield f"relax: the largest δ is reached in                         {sum(reached)} of {len(reached)}"
    yield f"  slowest                                                  {slowest:.2f} s"
    yield f"  missed seeds {missed[:20]}"


def of_suppress(tables: int, first: int) -> Iterator[str]:
    """Tables of up to 9 rows that must lose some rows, but not all."""
    fewest, suppressed, failed, slowest, more = 0, 0, 0, 0.0, []
    seed, count = first, 0
    while count < tables:
        case = small(seed, 9)
        seed += 1
        every = EveryPartition(case)
        if every.exists():
            continue
        least = every.fewest_suppressed()
        if least == case.rows:
            continue
        count += 1
        found, seconds = grouped(case, {"suppress": "0.95"})
        slowest = max(slowest, seconds)
        if not found.reached:
            failed += 1
            more.append(seed - 1)
            continue
        assert found.suppressed >= least, seed
        fewest, suppressed = fewest + least, suppressed + found.suppressed
        if found.suppressed > least:
            more.append(seed - 1)
    yield f"suppress: tables {count:,}, without a release                     {failed}"
    yield f"  rows suppressed over the fewest                          {suppressed / fewest:.3f}   (target ≤ 1.15)"
    yield f"  slowest                                                  {slowest:.2f} s"
    yield f"  seeds with more than the fewest {more[:20]}"


def of_plans(tables: int, first: int) -> Iterator[str]:
    """CODIP* where a plan exists: three to six attributes, thresholds and verdicts of tables by chance."""
    exist, missed, told = 0, [], 0
    seed = first
    while exist < tables:
        columns, alpha, beta, check, monotone = drawn_plans(seed)
        seed += 1
        try:
            optimal(columns, alpha, beta, check)
        except NoPlan:
            continue
        exist += 1
        try:
            codip_star(columns, alpha, beta, check, monotone)
        except NoPlan as refusal:
            missed.append(seed - 1)
            told += "`method: optimal`" in (refusal.cure or "")
    yield f"plans: cases in which one exists                           {exist:,}"
    yield f"  CODIP* ends without                                      {share([False] * len(missed) + [True] * (exist - len(missed)))}"
    yield f"    and names `optimal`                                    {told}"
    yield f"  seeds {missed[:20]}"


PARTS: dict[str, tuple[Callable[[int, int], Iterator[str]], int]] = {
    "small": (of_small, 2_600),
    "planted": (of_planted, 1_345),
    "relax": (of_relax, 196),
    "suppress": (of_suppress, 196),
    "plans": (of_plans, 1_754),
}


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--tables", type=int)
    parser.add_argument("--from", type=int, default=0, dest="first")
    chosen = parser.parse_args(arguments)
    for seed in range(20):  # loops are compiled
        grouped(small(seed))
        grouped(planted(seed))
    for name in chosen.parts or PARTS:
        measure, usual = PARTS[name]
        for line in measure(chosen.tables or usual, chosen.first):
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
