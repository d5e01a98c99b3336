"""What measuring costs: the census table (99,762 rows; four quasi-identifiers, one sensitive attribute) beside pyCANON, a million rows
beside sdcMicro, and ten million rows in memory.

Every measurement is a fresh process, the best of three, with the loops compiled and loaded before. pyCANON is installed from the package
index into its own virtual environment under `.peers/`, which is kept. sdcMicro is written in R and not on the package index: its seconds
are those recorded for version 5.8.1 on a machine like the one these targets were set on, and are printed as recorded.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.peers.environments import output_of, python_with
from headgate.core.columns import Codes, Role, Table
from headgate.core.distinct import places
from headgate.core.encode import encode_table
from headgate.core.frame_specs import inferred_spec
from headgate.counting.class_counts import count
from headgate.library.check_table import check, check_classes
from headgate.principles.alpha_k import alpha_k
from headgate.principles.beta_likeness import beta_likeness
from headgate.principles.closeness import closeness
from headgate.principles.delta_disclosure import delta_disclosure
from headgate.principles.diversity import diversity
from headgate.principles.k_anonymity import k_anonymity
from headgate.principles.recursive import recursive_c
from headgate.risk.reidentification.prosecutor import reidentification
from headgate.risk.reidentification.uniqueness import sample_uniques, special_uniques

ROOT = Path(__file__).resolve().parent.parent
PEERS = Path(__file__).resolve().parent / "peers"
CASES = ROOT / "tests/unit/headgate/peers/pycanon_cases.json"
PYCANON = "1.3.6"
QUASI, SENSITIVE = ("age", "race", "sex", "citizenship"), "occupation"
WIDE = (*QUASI, "education", "industry", "occupation")
SDCMICRO = {"sample uniques": 0.43, "re-identification": 0.79, "special uniques": 1.9}
MILLION = 1_000_000
SEED = 20


@dataclass(frozen=True)
class Row:
    """One line of the table. `target` is the largest `measured` that will do, or the least where it is a ratio to reach."""

    name: str
    measured: float
    unit: str
    target: float | None = None
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.measured >= self.target if self.at_least else self.measured <= self.target

    def __str__(self) -> str:
        sign = "≥" if self.at_least else "≤"
        verdict = "" if self.target is None else f"   (target {sign} {self.target:g}: {'met' if self.met else 'MISSED'})"
        digits = 0 if not self.unit and float(self.measured).is_integer() else 4 if self.measured < 0.1 else 2 if self.measured < 100 else 0
        return f"{self.name:<72}{self.measured:9,.{digits}f} {self.unit}{verdict}"


def census_frame() -> pd.DataFrame:
    path = files("policies.shipped") / "census_income" / "data" / "census.parquet"
    return pd.read_parquet(str(path), columns=list(WIDE)).astype(str)


def encoded(frame: pd.DataFrame) -> Table:
    role = {name: Role.SENSITIVE if name == SENSITIVE else Role.QUASI for name in frame.columns}
    return encode_table(frame, {name: inferred_spec(frame[name], name, role[name], {}, {}) for name in role})


def sampled(table: Table, rows: int) -> Table:
    """With replacement."""
    return table.take(np.random.default_rng(SEED).integers(table.rows, size=rows))


def half(table: Table) -> Table:
    """Something else to load the compiled loops with, yet large enough that it takes the same way through them."""
    return table.take(np.arange(0, table.rows, 2))


def classes_of(table: Table) -> list[Codes]:
    return [places(column.codes for column in table.select(QUASI))]


def figures(table: Table) -> dict[str, Any]:
    """Everything that pyCANON's report has, each with its figure per group."""
    classes = classes_of(table)
    counted = count(table[SENSITIVE], classes)
    varied, likeness = diversity(counted), beta_likeness(counted)
    return {
        "k": k_anonymity(classes).k,
        "alpha": alpha_k(counted).alpha.value,
        "distinct_l": varied.distinct_l,
        "entropy_l": varied.entropy_l,
        "recursive_c": recursive_c(counted, max(varied.distinct_l, 2)).c.value,
        "basic_beta": likeness.basic.value,
        "enhanced_beta": likeness.enhanced.value,
        "t": closeness(counted).t,
        "delta_disclosure": delta_disclosure(counted).figure.value,
    }


def checked(table: Table) -> object:
    """All that `headgate check` prints, special uniques included."""
    return check_classes([table[SENSITIVE]], classes_of(table), {name: table[name].codes for name in QUASI})


def uniques(table: Table) -> object:
    return sample_uniques(table.select(QUASI))


def risks(table: Table) -> object:
    """Each person's, and the share of people above 0.2."""
    return reidentification(classes_of(table), 0.2)


def specials(table: Table) -> object:
    return special_uniques(table.select(QUASI))


def timed(work: Callable[[Any], object], small: Any, whole: Any) -> float:
    work(small)  # loads the compiled loops
    start = time.perf_counter()
    work(whole)
    return time.perf_counter() - start


def on_table(work: Callable[[Table], object]) -> Callable[[int], dict[str, float]]:
    def run(rows: int) -> dict[str, float]:
        table = encoded(census_frame())
        return {"seconds": timed(work, half(table), sampled(table, rows) if rows else table)}

    return run


def on_frame(dtype: str) -> Callable[[int], dict[str, float]]:
    def run(_: int) -> dict[str, float]:
        frame = census_frame().astype(dtype)
        return {"seconds": timed(lambda rows: check(rows, QUASI, [SENSITIVE]), frame.iloc[::2], frame)}

    return run


def wide_specials(rows: int) -> dict[str, float]:
    """Each column sampled by itself, so that a quarter of the people are alone: of rows sampled whole, nearly nobody is."""
    table = encoded(census_frame())
    rng = np.random.default_rng(SEED)
    columns = [column.take(rng.integers(table.rows, size=rows)) for column in table.select(WIDE)]
    return {"seconds": timed(special_uniques, [column.take(np.arange(0, rows, 2)) for column in columns], columns)}


def in_memory(rows: int) -> dict[str, float]:
    """Seconds, and the process's peak memory during the measuring above what it held before, in bytes."""
    table = encoded(census_frame()[[*QUASI, SENSITIVE]])
    small, whole = half(table), sampled(table, rows)
    checked(small)
    del table, small
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # what encoding left behind is no room for what comes
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = resident("VmRSS")
    start = time.perf_counter()
    checked(whole)
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "peak_bytes": resident("VmHWM") - before,
        "column_bytes": sum(column.codes.nbytes for column in whole.columns.values()),
    }


def resident(field: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(float(line.split()[1]) * 1024 for line in lines if line.startswith(field))


WORK: dict[str, Callable[[int], dict[str, float]]] = {
    "figures": on_table(figures),
    "strings": on_frame("str"),
    "objects": on_frame("object"),
    "sample uniques": on_table(uniques),
    "re-identification": on_table(risks),
    "special uniques": on_table(specials),
    "wide special uniques": wide_specials,
    "memory": in_memory,
}


def best(command: list[str], repeat: int) -> dict[str, Any]:
    """The quickest of so many fresh processes, by the last line that each prints."""
    found = [json.loads(output_of(command).splitlines()[-1]) for _ in range(repeat)]
    return min(found, key=lambda one: float(one["seconds"]))


def ours(work: str, rows: int, repeat: int) -> dict[str, Any]:
    return best([sys.executable, __file__, "--work", work, "--rows", str(rows)], repeat)


def pycanon_python() -> str:
    """The interpreter of pyCANON's own virtual environment, which is made once."""
    return str(python_with(f"pycanon-{PYCANON}", f"pycanon=={PYCANON}"))


def pycanon_on_census(script: str, *more: str, repeat: int = 0) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        census = f"{scratch}/census.csv"
        census_frame()[[*QUASI, SENSITIVE]].to_csv(census, index=False)
        command = [pycanon_python(), str(PEERS / script), census, ",".join(QUASI), SENSITIVE, *more]
        return best(command, repeat) if repeat else {"output": output_of(command)}


def measure(quick: bool) -> tuple[list[Row], dict[str, Any]]:
    repeat, largest = (1, 2 * MILLION) if quick else (3, 10 * MILLION)
    peer = pycanon_on_census("pycanon_report.py", repeat=repeat)
    rows = [Row(f"census, every figure of pyCANON's report: pyCANON {PYCANON}", peer["seconds"], "s")]
    sources = (("figures", "encoded columns", 100), ("strings", "a frame of strings", 30), ("objects", "a frame of Python strings", 30))
    for work, source, target in sources:
        seconds = ours(work, 0, repeat)["seconds"]
        rows.append(Row(f"  from {source}", seconds, "s"))
        rows.append(Row("    times faster", peer["seconds"] / seconds, "×", target, at_least=True))
    rows += [
        Row(f"a million rows, {name} (sdcMicro 5.8.1 recorded: {recorded} s)", ours(name, MILLION, repeat)["seconds"], "s", recorded)
        for name, recorded in SDCMICRO.items()
    ]
    wide = ours("wide special uniques", MILLION, repeat)["seconds"]
    rows.append(Row("  of seven attributes, each sampled by itself", wide, "s", SDCMICRO["special uniques"]))
    one, all_rows = ours("memory", MILLION, repeat), ours("memory", largest, repeat)
    times = largest // MILLION
    rows += [
        Row("a million rows, checked from encoded columns", one["seconds"], "s"),
        Row(f"{times} million rows", all_rows["seconds"], "s"),
        Row(f"  {times} million take so many times a million's seconds", all_rows["seconds"] / one["seconds"], "×", 1.1 * times),
        Row("  encoded columns", all_rows["column_bytes"] / 2**20, "MiB"),
        Row("  peak memory, the columns included", 1 + all_rows["peak_bytes"] / all_rows["column_bytes"], "× the columns", 4),
    ]
    return rows, peer["versions"]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", type=Path, help="write the figures here too")
    options.add_argument("--quick", action="store_true", help="one run of each, and two million rows instead of ten")
    options.add_argument("--cases", action="store_true", help="only make the stored cases of the tests anew, with pyCANON's figures")
    options.add_argument("--work", choices=WORK, help=argparse.SUPPRESS)
    options.add_argument("--rows", type=int, default=0, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.work:
        print(json.dumps(WORK[chosen.work](chosen.rows)))
        return
    if chosen.cases:
        pycanon_on_census("pycanon_cases.py", str(CASES))
        return
    rows, versions = measure(chosen.quick)
    print("\n".join(map(str, rows)))
    if chosen.json:
        found = {"pycanon": versions, "rows": [{**asdict(row), "met": row.met} for row in rows]}
        chosen.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
