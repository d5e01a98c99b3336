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
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from headgate.check import check
from headgate.columns import Column, Role, Table
from headgate.distinct import distinct_rows
from headgate.encode import encode_table
from headgate.inferred import inferred_spec
from headgate.principles.alpha_k import alpha_k
from headgate.principles.beta_likeness import beta_likeness
from headgate.principles.class_counts import count
from headgate.principles.closeness import closeness
from headgate.principles.delta_disclosure import delta_disclosure
from headgate.principles.diversity import diversity
from headgate.principles.k_anonymity import k_anonymity
from headgate.principles.recursive import recursive
from headgate.risk.reidentification import reidentification
from headgate.risk.uniqueness import sample_uniques, special_uniques

ROOT = Path(__file__).resolve().parent.parent
PEERS = Path(__file__).resolve().parent / "peers"
CASES = ROOT / "tests/unit/headgate/peers/pycanon_cases.json"
PYCANON = "1.3.6"
QUASI, SENSITIVE = ("age", "race", "sex", "citizenship"), "occupation"
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
        return f"  {self.name:<66}{self.measured:9.4g} {self.unit}{verdict}"


def census_frame() -> pd.DataFrame:
    path = files("policies.shipped") / "census_income" / "data" / "census.parquet"
    return pd.read_parquet(str(path), columns=[*QUASI, SENSITIVE]).astype(str)


def encoded(frame: pd.DataFrame) -> Table:
    role = {**dict.fromkeys(QUASI, Role.QUASI), SENSITIVE: Role.SENSITIVE}
    return encode_table(frame, {name: inferred_spec(frame[name], name, role[name], {}, {}) for name in role})


def sampled(table: Table, rows: int) -> Table:
    """With replacement."""
    return table.take(np.random.default_rng(SEED).integers(table.rows, size=rows))


def figures(table: Table) -> dict[str, Any]:
    """Everything that pyCANON's report has, each with its figure per group."""
    classes = [distinct_rows(table.codes(QUASI))[1]]
    counted = count(table[SENSITIVE], classes)
    varied = diversity(counted)
    beta = beta_likeness(counted)
    return {
        "k": k_anonymity(classes).k,
        "alpha": alpha_k(counted).alpha,
        "distinct_l": varied.distinct_l,
        "entropy_l": varied.entropy_l,
        "recursive": recursive(counted, varied.distinct_l),
        "basic_beta": beta.basic.value,
        "enhanced_beta": beta.enhanced.value,
        "t": closeness(counted).t,
        "delta_disclosure": delta_disclosure(counted).figure.value,
    }


def uniques(table: Table) -> None:
    sample_uniques(table.select(QUASI))


def risks(table: Table) -> None:
    reidentification([distinct_rows(table.codes(QUASI))[1]], 0.2)


def specials(table: Table) -> None:
    special_uniques(table.select(QUASI))


def timed(work: Callable[[Any], object], small: Any, whole: Any) -> float:
    work(small)  # loads the compiled loops
    start = time.perf_counter()
    work(whole)
    return time.perf_counter() - start


def on_table(work: Callable[[Table], object]) -> Callable[[int], dict[str, float]]:
    def run(rows: int) -> dict[str, float]:
        table = encoded(census_frame())
        return {"seconds": timed(work, table.take(np.arange(1000)), sampled(table, rows) if rows else table)}

    return run


def on_frame(_: int) -> dict[str, float]:
    frame = census_frame()
    return {"seconds": timed(lambda rows: check(rows, QUASI, [SENSITIVE]), frame.head(1000), frame)}


def in_memory(rows: int) -> dict[str, float]:
    """Seconds, and the process's peak memory during the measuring above what it held before, in bytes."""
    table = encoded(census_frame())
    small, whole = table.take(np.arange(1000)), sampled(table, rows)
    figures(small)
    risks(small)
    del table
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # what encoding left behind is no room for what comes
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = resident("VmRSS")
    start = time.perf_counter()
    figures(whole)
    risks(whole)
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "peak_bytes": resident("VmHWM") - before,
        "column_bytes": float(sum(column.codes.nbytes for column in columns_of(whole))),
    }


def columns_of(table: Table) -> tuple[Column, ...]:
    return tuple(table.columns.values())


def resident(field: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(float(line.split()[1]) * 1024 for line in lines if line.startswith(field))


WORK: dict[str, Callable[[int], dict[str, float]]] = {
    "figures": on_table(figures),
    "frame": on_frame,
    "sample uniques": on_table(uniques),
    "re-identification": on_table(risks),
    "special uniques": on_table(specials),
    "memory": in_memory,
}


def output_of(command: list[str]) -> str:
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ended.returncode:
        raise SystemExit(f"{Path(command[0]).name} ended with {ended.returncode}:\n{ended.stdout}\n{ended.stderr}")
    return ended.stdout


def best(command: list[str], repeat: int) -> dict[str, Any]:
    """The quickest of so many fresh processes, by the last line that each prints."""
    found = [json.loads(output_of(command).splitlines()[-1]) for _ in range(repeat)]
    return min(found, key=lambda one: float(one["seconds"]))


def ours(work: str, rows: int, repeat: int) -> dict[str, Any]:
    return best([sys.executable, __file__, "--work", work, "--rows", str(rows)], repeat)


def pycanon_python() -> str:
    """The interpreter of pyCANON's own virtual environment, which is made once."""
    home = ROOT / ".peers" / f"pycanon-{PYCANON}"
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        print(f"Installing pyCANON {PYCANON} ...", file=sys.stderr)
        venv.create(home, with_pip=True, clear=True)
        output_of([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"pycanon=={PYCANON}"])
        (home / "ready").touch()
    return str(python)


def pycanon_on_census(script: str, *more: str, repeat: int = 0) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        census = f"{scratch}/census.csv"
        census_frame().to_csv(census, index=False)
        command = [pycanon_python(), str(PEERS / script), census, ",".join(QUASI), SENSITIVE, *more]
        return best(command, repeat) if repeat else {"output": output_of(command)}


def measure(quick: bool) -> tuple[list[Row], dict[str, Any]]:
    repeat, largest = (1, 2 * MILLION) if quick else (3, 10 * MILLION)
    peer = pycanon_on_census("pycanon_report.py", repeat=repeat)
    codes, frame = ours("figures", 0, repeat)["seconds"], ours("frame", 0, repeat)["seconds"]
    rows = [
        Row(f"census, every figure of pyCANON's report: pyCANON {PYCANON}", peer["seconds"], "s"),
        Row("  from encoded columns", codes, "s"),
        Row("  from a frame of strings", frame, "s"),
        Row("  encoded columns: times faster", peer["seconds"] / codes, "×", 100, at_least=True),
        Row("  frame of strings: times faster", peer["seconds"] / frame, "×", 30, at_least=True),
    ]
    rows += [
        Row(f"a million rows, {name} (sdcMicro 5.8.1 recorded: {recorded} s)", ours(name, MILLION, repeat)["seconds"], "s", recorded)
        for name, recorded in SDCMICRO.items()
    ]
    one, all_rows = ours("memory", MILLION, repeat), ours("memory", largest, repeat)
    times = largest // MILLION
    rows += [
        Row("a million rows, all figures and re-identification", one["seconds"], "s"),
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
