"""`python -m tests.faults`: every fault, and a table of what was tried and what did not hold."""

from __future__ import annotations

import argparse
import itertools
import math
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random

from tests.faults.calls import Point, calls_of, every_point, inject
from tests.faults.power import moments_of
from tests.faults.result import Result
from tests.faults.shim import compiler
from tests.faults.strangers import every_fuzz
from tests.faults.surroundings import every_scene
from tests.faults.workshop import Workshop, spread, workshop

RELEASE_POINTS = 200
SAMPLE_SECONDS = 45
FUZZ_SAMPLE_SECONDS = 7


def main() -> int:
    options = parsed()
    if compiler() is None:
        print("skipped: there is no C compiler to build tests/faults/shim.c with (on Debian or Ubuntu: apt-get install gcc)")
        return 0
    begun = time.monotonic()
    sys.stdout.reconfigure(line_buffering=True)
    with tempfile.TemporaryDirectory(prefix="faults-") as folder, workshop(Path(folder), options.workers) as shop:
        if options.only:
            results = side_by_side([partial(inject, shop, Point.parse(text)) for text in options.only], 1, math.inf)
        elif options.sample:
            results = drawn(shop, options)
        else:
            work = every_fault(shop, options)
            Random("faults").shuffle(work)  # so that those that take long do not come last
            results = side_by_side(work, options.workers, time.monotonic() + 60 * options.minutes)
    return told(results, time.monotonic() - begun)


def parsed() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    options.add_argument("--sample", metavar="TEXT", help="for a minute, what is drawn by this text")
    options.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options.add_argument("--parts", default="calls,power,surroundings,strangers")
    options.add_argument("--commands", default="approve,withdraw,publish,purge,release")
    options.add_argument("--parsers", default="", help="such as policy,csv (default: all)")
    options.add_argument("--fuzz-seconds", type=float, default=600)
    options.add_argument("--minutes", type=float, default=24 * 60, help="begin nothing new after this many minutes")
    options.add_argument("--only", nargs="*", metavar="POINT", help="such as publish:KILL:17, as a failure is named")
    return options.parse_args()


def every_fault(shop: Workshop, options: argparse.Namespace) -> list[Callable[[], Result]]:
    work: list[Callable[[], Result]] = []
    for name in options.commands.split(","):
        calls = calls_of(shop, shop.cases[name])
        print(f"{name}: {len(calls)} calls by which it changes files")
        points = every_point(shop.cases[name], calls)
        if "calls" in options.parts:
            work += [partial(inject, shop, point) for point in (spread(points, RELEASE_POINTS) if name == "release" else points)]
        if "power" in options.parts and name != "release":
            moments, lose = moments_of(shop, shop.cases[name])
            print(f"{name}: {len(moments)} different states of a disk that lost power")
            work += [partial(lose, moment) for moment in moments]
    if "surroundings" in options.parts:
        work += every_scene(shop)
    if "strangers" in options.parts:
        work += every_fuzz(shop, options.fuzz_seconds, options.parsers)
    return work


def drawn(shop: Workshop, options: argparse.Namespace) -> list[Result]:
    """What fits into a minute: of calls and losses of power in the fast commands, and half a second of each parser."""
    options.parts, options.commands = "calls,power", "approve,withdraw,publish,purge"
    work = every_fault(shop, options)
    Random(options.sample).shuffle(work)
    fuzzed = side_by_side(every_fuzz(shop, FUZZ_SAMPLE_SECONDS, ""), 1, math.inf)
    return fuzzed + side_by_side(work, options.workers, time.monotonic() + SAMPLE_SECONDS)


def side_by_side(work: Sequence[Callable[[], Result]], workers: int, until: float) -> list[Result]:
    """In their order; those that begin before a moment."""
    count = itertools.count(1)

    def one(attempt: Callable[[], Result]) -> Result | None:
        if time.monotonic() > until:
            return None
        result = attempt()
        if (done := next(count)) % 50 == 0:
            print(f"{done} of {len(work)}", file=sys.stderr)
        for problem in result.problems:
            print(f"{result.command}, {result.fault}, {result.name} ({result.place}): {problem}")
        return result

    with ThreadPoolExecutor(workers) as pool:
        return [result for result in pool.map(one, work) if result is not None]


def told(results: list[Result], seconds: float) -> int:
    tried: Counter[tuple[str, str]] = Counter()
    broken: Counter[tuple[str, str]] = Counter()
    for result in results:
        tried[result.command, result.fault] += result.times if result.reached else 0
        broken[result.command, result.fault] += bool(result.problems)
    print("\n| command | fault | points | failures |\n|---|---|---:|---:|")
    for (command, fault), count in sorted(tried.items()):
        print(f"| {command} | {fault} | {count} | {broken[command, fault]} |")
    print(f"\n{sum(tried.values())} faults, {sum(broken.values())} failures, in {seconds:.0f} seconds")
    return 1 if sum(broken.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
