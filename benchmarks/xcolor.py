"""What XColor costs and loses on the census adults: seconds beside `pandas.read_csv` of the same table, information loss beside Mondrian,
the error of count queries, and what another k-anonymity makes of seven quasi-identifiers.

Five quasi-identifiers (age, sex, race, citizenship, marital status), three sensitive attributes (education, class of worker, weeks worked;
L¹, equal weights); tiled to a million and ten million rows. Times are the best of several in one process, loops compiled before, so that
their ratios can be compared; compiling is measured apart, in a fresh cache. `--write` puts the table into docs/xcolor.md.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from benchmarks.census import adults
from benchmarks.measures import Row, resident
from benchmarks.peers.libraries import LIBRARIES, grouped_by
from benchmarks.peers.recounted import loss_of
from headgate.core.columns import Codes, Role, Table
from headgate.core.encode import encode_table
from headgate.core.frame_specs import inferred_spec
from headgate.core.published_form.published_table import publish_form
from headgate.grouping.items import items_of
from headgate.grouping.limits import dissimilarity
from headgate.grouping.recount import recount
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.blocks.tree import grow_tree
from headgate.methods.method import Method
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.partition import Partition
from headgate.methods.settings import Settings
from headgate.methods.xcolor.faithful_method import Faithful
from headgate.utility.queries import count_query_error

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "xcolor.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
QUASI = ("age", "sex", "race", "citizenship", "marital")
SENSITIVE = ("education", "worker_class", "weeks")
SEVEN = (*QUASI, "worker_class", "weeks")
MILLION = 1_000_000
LIGHTHOUSE = LIBRARIES["project-lighthouse-anonymize"].version
K_ALONE = {5: 0.18, 10: 0.41, 20: 0.82}  # %, by k
SEVEN_K_ALONE = {5: 1.14, 10: 2.18, 20: 3.77}  # what greedy k-member loses
NEAR_THE_LIMIT = ("0.75", "0.8", "0.82", "0.84")

T = TypeVar("T")


def encoded(frame: pd.DataFrame, quasi: tuple[str, ...] = QUASI, sensitive: tuple[str, ...] = SENSITIVE) -> Table:
    roles = dict.fromkeys(sensitive, Role.SENSITIVE) | dict.fromkeys(quasi, Role.QUASI)
    return encode_table(frame, {name: inferred_spec(frame[name], name, role, {}, {}) for name, role in roles.items()})


def tiled(frame: pd.DataFrame, rows: int) -> pd.DataFrame:
    return frame.iloc[np.arange(rows) % len(frame)].reset_index(drop=True)


def blocks(table: Table, epsilon: str | None, delta: str, k: int = 10, method: Method = Blocks()) -> Partition:
    limits = () if epsilon is None else (dissimilarity(table.select(table.sensitive), epsilon, delta),)
    return anonymize(method, table, table.sensitive, Settings(k, limits), 0)


def same_splitter(table: Table, k: int) -> float:
    """NCP of the leaves of the tree that `blocks` begins with, were there no limits: Mondrian with that splitter."""
    itemized = items_of(table, ())
    items = itemized.items
    tree = grow_tree(items, np.arange(items.cells), k, np.empty(0), table.rows, np.zeros(3, np.int64))
    leaf = np.empty(items.cells, dtype=np.int32)
    for number, cells in enumerate(tree.leaves()):
        leaf[cells] = number
    groups: Codes = leaf[items.item.cell[itemized.item]]
    return recount(itemized, (), groups).loss


def best(work: Callable[[], T], repeat: int) -> tuple[float, T]:
    found: list[float] = []
    result = work()
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        found.append(time.perf_counter() - start)
    return min(found), result


def seconds_to_read(frame: pd.DataFrame, repeat: int) -> float:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "table.csv"
        frame.to_csv(path, index=False)
        return best(lambda: len(pd.read_csv(path)), repeat)[0]


def speed(frame: pd.DataFrame, repeat: int) -> Iterator[Row]:
    large = tiled(frame, MILLION)
    read, table = seconds_to_read(large, repeat), encoded(large)
    encoding = best(lambda: encoded(large).rows, repeat)[0]
    yield Row("1,000,000 rows: pandas.read_csv", read, "s")
    yield Row("  encoding from a pandas frame", encoding, "s")
    for delta in ("0.5", "0.6", "0.7"):
        seconds, found = best(lambda delta=delta: blocks(table, "0.1", delta), repeat)
        require(found)
        yield Row(f"  blocks, ε 0.1, δ {delta}, k 10, from encoded columns", seconds, "s")
        yield Row("    × read_csv", seconds / read, "×", 1.0)
        yield Row("    × read_csv, with encoding", (seconds + encoding) / read, "×", 1.5)
    fifty = frame.iloc[:50_000]
    small = encoded(fifty)
    seconds, found = best(lambda: blocks(small, "0.1", "0.7", method=Faithful()), repeat)
    require(found)
    read = seconds_to_read(fifty, repeat)
    yield Row("50,000 rows: pandas.read_csv", read, "s")
    yield Row("  faithful, ε 0.1, δ 0.7, k 10, × read_csv", seconds / read, "×", 5.0)


def scale(rows: int) -> dict[str, float]:
    """Seconds and peak memory of one table in a process of its own."""
    frame = adults()[[*QUASI, *SENSITIVE]]
    columns, small = encoded(frame), encoded(frame)
    table = columns.take(np.arange(rows) % columns.rows)
    blocks(small, "0.1", "0.6")
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = resident("VmRSS")
    seconds = best(lambda: require(blocks(table, "0.1", "0.6")), 2)[0]
    size = sum(column.codes.nbytes for column in table.columns.values())
    return {"seconds": seconds, "extra": (resident("VmHWM") - before) / size}


def compiling() -> float:
    """Seconds until the first small table is grouped, less those of the second, with nothing compiled before."""
    with tempfile.TemporaryDirectory() as cache:
        found = run([sys.executable, "-m", "benchmarks.xcolor", "--work", "compile"], NUMBA_CACHE_DIR=cache)
    return float(json.loads(found)["seconds"])


def first_seconds() -> dict[str, float]:
    table = encoded(adults()[[*QUASI, *SENSITIVE]].iloc[:500])
    taken = []
    for _ in range(2):
        start = time.perf_counter()
        blocks(table, "0.1", "0.6", 5)
        taken.append(time.perf_counter() - start)
    return {"seconds": taken[0] - taken[1]}


def losses(frame: pd.DataFrame) -> Iterator[Row]:
    table = encoded(frame)
    for k in (5, 10, 20):
        strict, plain = anonymize(Mondrian(), table, table.sensitive, Settings(k), 0).loss, same_splitter(table, k)
        yield Row(f"72,043 rows, k {k}: NCP of strict median Mondrian, k alone", 100 * strict, "%")
        yield Row("  of Mondrian with our splitter, k alone", 100 * plain, "%")
        yield Row("  blocks, k alone", 100 * require(blocks(table, None, "0", k)).loss, "%", K_ALONE[k])
        for epsilon, delta in (("0.1", "0.5"), ("0.1", "0.6"), ("0.02", "0.7"), ("0.1", "0.7"), ("0.3", "0.7")):
            loss = require(blocks(table, epsilon, delta, k)).loss
            yield Row(f"  blocks, ε {epsilon}, δ {delta}", 100 * loss, "%")
            yield Row("    × strict Mondrian", loss / strict, "×", 0.7)
            yield Row("    × our splitter", loss / plain, "×", 1.0)
    for delta in NEAR_THE_LIMIT:
        found = blocks(table, "0.1", delta)
        if found.reached:
            yield Row(f"  near the limit: blocks, ε 0.1, δ {delta}, k 10, × strict Mondrian", found.loss / losses_at_10(table), "×")


def losses_at_10(table: Table) -> float:
    return float(anonymize(Mondrian(), table, table.sensitive, Settings(10), 0).loss)


def queries(frame: pd.DataFrame) -> Iterator[Row]:
    """XColor §VI: three quasi-identifiers and two sensitive attributes, selectivity 0.1, 1,000 queries."""
    table = encoded(frame)
    for name, found in (
        ("blocks, ε 0.1, δ 0.7", blocks(table, "0.1", "0.7")),
        ("faithful, ε 0.1, δ 0.7", blocks(table, "0.1", "0.7", method=Faithful())),
        ("strict Mondrian, k alone", anonymize(Mondrian(), table, table.sensitive, Settings(10), 0)),
    ):
        published = publish_form(table, require(found).groups, "table", SENSITIVE)
        error = count_query_error(table, published, 3, 2, 0.1, 1_000, 7)
        risk = "" if found.risk is None else f" (risk {found.risk:.3f})"
        yield Row(f"count queries, k 10: mean error of {name}{risk}", 100 * error.mean, "%", 1.5 if name.startswith("blocks") else None)


def seven(frame: pd.DataFrame) -> Iterator[Row]:
    table = encoded(frame, SEVEN, ("education", "occupation"))
    seconds, found = best(lambda: blocks(table, "0.1", "0.6"), 2)
    strict = anonymize(Mondrian(), table, table.sensitive, Settings(10), 0)
    peer_seconds, peer_loss = lighthouse(frame, table)
    yield Row(f"seven quasi-identifiers, k 10: NCP of project-lighthouse-anonymize {LIGHTHOUSE}, k alone", 100 * peer_loss, "%")
    yield Row("  seconds", peer_seconds, "s")
    yield Row("  strict median Mondrian, k alone", 100 * strict.loss, "%")
    yield Row("  blocks, ε 0.1, δ 0.6", 100 * require(found).loss, "%", 100 * peer_loss)
    yield Row("  seconds", seconds, "s", 1.0)
    for k, target in SEVEN_K_ALONE.items():
        seconds, found = best(lambda k=k: blocks(table, None, "0", k), 2)
        yield Row(f"  blocks, k {k} alone", 100 * require(found).loss, "%", target)
        yield Row("  seconds", seconds, "s", 1.0)


def lighthouse(frame: pd.DataFrame, table: Table) -> tuple[float, float]:
    """Its seconds, and the NCP of its groups by our measure, a suppressed row counting 1."""
    made = grouped_by("project-lighthouse-anonymize", frame, SEVEN, 10)
    return made.seconds, loss_of(items_of(table, ()), made.groups)


def require(found: Partition) -> Partition:
    """A figure of a table that does not keep what it should is none."""
    return found.require()


def run(command: list[str], **environment: str) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **environment})
    if ended.returncode:
        raise SystemExit(f"{' '.join(command[:3])} ended with {ended.returncode}:\n{ended.stdout}\n{ended.stderr}")
    return ended.stdout.splitlines()[-1] if ended.stdout else ""


def measure(quick: bool) -> Iterator[Row]:
    frame, repeat = adults()[[*QUASI, *SENSITIVE, "occupation"]], 1 if quick else 5
    own = frame[[*QUASI, *SENSITIVE]]
    yield Row("compiling the loops of blocks for the first time", compiling(), "s", 20.0)
    yield from speed(own, repeat)
    times = 2 if quick else 10
    one, many = (json.loads(run([sys.executable, "-m", "benchmarks.xcolor", "--work", str(n * MILLION)])) for n in (1, times))
    yield Row(
        f"{times},000,000 rows take so many times a million's seconds, ε 0.1, δ 0.6", many["seconds"] / one["seconds"], "×", 1.4 * times
    )
    yield Row("  extra memory at the peak", many["extra"], "× the columns", 6.0)
    yield from losses(own)
    yield from queries(own)
    yield from seven(frame)


def write(rows: list[Row]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    head, tail = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    PAGE.write_text(head + "\n```\n" + "\n".join(map(str, rows)) + "\n```\n" + tail, encoding="utf-8")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="one run of each, and two million rows instead of ten")
    options.add_argument("--write", action="store_true", help="put the figures into docs/xcolor.md")
    options.add_argument("--work", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.work:
        found: Any = first_seconds() if chosen.work == "compile" else scale(int(chosen.work))
        print(json.dumps(found))
        return
    rows = []
    for row in measure(chosen.quick):
        print(row, flush=True)
        rows.append(row)
    if chosen.write:
        write(rows)


if __name__ == "__main__":
    main()
