"""What measuring a series costs: 100,000 people × 10 versions, and 1,000,000 × 3; three steady attributes, so four comparisons.

In `regrouped`, every version divides everybody anew at random, and nearly every person has a chain of their own. In `kept`, groups stay and
2 % of the people leave and come in each version. In `few values`, groups are made anew, and attributes of two to four values leave long
intersections: the slowest case, since nothing becomes certain early. Loops are compiled and loaded before; peak memory is that of a fresh
process, which draws the series too. Targets are for the processor's time. `make bench-series` prints the table.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.measures import Row, best
from headgate.attacks.series_guessing import series_guessing
from headgate.core.columns import Column, Kind
from headgate.series.published_versions import Version, VersionTable
from headgate.series.series_risk import series_risk

SEED, K, LEAVE = 11, 10, 0.02
MANY_VALUES, FEW_VALUES = {"job": 46, "illness": 17, "district": 20}, {"insured": 2, "sex": 2, "level": 4}
CASES = ("regrouped", "kept", "few values")


def versions(people: int, many: int, case: str) -> list[Version]:
    draw = np.random.default_rng(SEED)
    sizes = FEW_VALUES if case == "few values" else MANY_VALUES
    values = {name: np.array([f"{name} {i:02d}" for i in range(size)], dtype=object) for name, size in sizes.items()}
    own = {name: draw.integers(0, size, people).astype(np.int32) for name, size in sizes.items()}
    group = draw.permutation(people) // K
    out = []
    for _ in range(many):
        there = np.flatnonzero(draw.random(people) >= LEAVE).astype(np.int32)
        if case != "kept":
            group = draw.permutation(people) // K
        numbers = np.unique(group[there], return_inverse=True)[1].astype(np.int32)
        steady = {
            name: Column(name, Kind.CATEGORY, own[name][there], values[name], np.ones(size + 1, dtype=np.bool_))
            for name, size in sizes.items()
        }
        out.append(Version(there, [VersionTable.in_order([numbers], steady)]))
    return out


def measured(case: str, people: int, many: int, what: str) -> dict[str, float]:
    def run(series: Sequence[Version]) -> tuple[float, float]:
        start, begun = time.perf_counter(), time.process_time()
        if what == "attack":
            series_guessing(series, list(series[0].tables[0].steady)[:1])
        else:
            series_risk(series, epsilon="0.1" if what == "risk" else None)
        return time.perf_counter() - start, time.process_time() - begun

    run(versions(1000, 4, case))  # loads the compiled loops
    seconds, busy = run(versions(people, many, case))
    return {"seconds": seconds, "busy": busy, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def case_rows(case: str, people: int, many: int, what: str, target: float | None, most: float | None) -> Iterator[Row]:
    found = best([sys.executable, "-m", "benchmarks.series", "--case", case, str(people), str(many), what], 1)
    yield Row(f"{what} of {people:,} people × {many} versions, {case}", found["busy"], "s", target)
    yield Row("  from start to end, with what else runs on the machine", found["seconds"], "s")
    yield Row("  peak memory of the process", found["peak"], "MiB", most)


def rows() -> Iterator[Row]:
    for case in CASES:
        yield from case_rows(case, 100_000, 10, "linkability", 5.0, 1024.0)
    for case in CASES:
        yield from case_rows(case, 1_000_000, 3, "linkability", 20.0, None)
    yield from case_rows("kept", 100_000, 10, "risk", None, None)
    yield from case_rows("regrouped", 100_000, 10, "attack", None, None)


def main(arguments: Sequence[str]) -> None:
    if arguments[:1] == ["--case"]:
        case, people, many, what = arguments[1:]
        print(json.dumps(measured(case, int(people), int(many), what)))
        return
    for row in rows():
        print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
