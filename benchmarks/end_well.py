"""Sizes that must end well: many tiny groups, a quasi-identifier with very many values, many tables, many columns.

Each case is a process of its own with everything that it starts; at most 4 GiB and 3 minutes are allowed. `make bench-end-well` prints
their seconds, those of the processor (the machine may do other things too), and their peak memory; `--only` takes the cases whose names
begin so, `--scale 0.1` a tenth of their sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.release import make_signers
from benchmarks.watched_process import watched

HEADGATE = str(Path(sys.executable).with_name("headgate"))
SECONDS, MIB = 180, 4096  # what is allowed
KILLED_MIB = 7000  # where a case is stopped; the seconds are an option
ADDRESS_SPACE = 24 * 2**30  # far above what is resident: threads and libraries reserve more than they use
INCOMES = 10_000


@dataclass(frozen=True)
class Case:
    """`command`: what is run in a folder with a table of about this size."""

    name: str
    about: str
    command: Callable[[Path, float], list[str]]


@dataclass(frozen=True)
class Ended:
    case: Case
    seconds: float
    busy_seconds: float  # of the processor, the children's among them
    peak_mib: float
    problem: str
    steps: dict[str, float]

    @property
    def well(self) -> bool:
        return not self.problem and self.seconds <= SECONDS and self.peak_mib <= MIB


def people(rows: int, seed: int = 0) -> pd.DataFrame:
    """Ages, regions and incomes; nobody like another in all of them."""
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "id": np.arange(rows),
            "age": draw.integers(0, 111, rows),
            "sex": draw.choice(["f", "m"], rows),
            "region": draw.integers(0, 1000, rows),
            "income": draw.integers(0, INCOMES, rows) * 50,
            "occupation": np.char.add("o", draw.integers(0, 500, rows).astype(str)),
        }
    )


def attributes(**more: Any) -> dict[str, Any]:
    return {
        "id": {"role": "identifier"},
        "age": {"role": "quasi", "kind": "integer", "domain": [0, 110]},
        "sex": {"role": "quasi", "kind": "category"},
        "region": {"role": "quasi", "kind": "integer", "domain": [0, 999]},
        "income": {"role": "sensitive", "kind": "number", "domain": [0, INCOMES * 50]},
        "occupation": {"role": "sensitive", "kind": "category"},
        **more,
    }


def release(folder: Path, frame: pd.DataFrame, columns: dict[str, Any], k: int, method: str = "single", **gates: Any) -> list[str]:
    """A whole release of a table as Parquet."""
    frame.to_parquet(folder / "table.parquet", index=False)
    policy = {
        "schema": 1,
        "dataset": "end-well",
        "title": "Sizes that must end well",
        "source": {"kind": "parquet", "path": "table.parquet"},
        "attributes": columns,
        "projection": {"method": method, "association_loss": 1, "join_threat": 1},
        "anonymize": {"method": "xcolor", "variant": "blocks", "k": k},
        "gates": {"linkability": 1, "reidentification": {"max": 0.5}, **gates},
        "approval": {"required": 2},
        "publish": {"to": "end-well", "formats": ["csv", "parquet"]},
    }
    (folder / "policy.yaml").write_text(json.dumps(policy), encoding="utf-8")
    make_signers(folder / "home")
    return [HEADGATE, "release", str(folder / "policy.yaml"), "--key", str(folder / "home" / "keys" / "steward"), "--json"]


def check(folder: Path, frame: pd.DataFrame, quasi: Sequence[str], sensitive: Sequence[str], *more: str) -> list[str]:
    frame.to_parquet(folder / "table.parquet", index=False)
    table = str(folder / "table.parquet")
    return [HEADGATE, "check", table, "--quasi", ",".join(quasi), "--sensitive", ",".join(sensitive), *more, "--json"]


def library(folder: Path, frame: pd.DataFrame, call: str) -> list[str]:
    frame.to_parquet(folder / "table.parquet", index=False)
    read = f"import pandas as pd, headgate as hg; frame = pd.read_parquet({str(folder / 'table.parquet')!r})"
    return [sys.executable, "-c", f"{read}\n{call}"]


def tiny_groups(rows: int) -> Callable[[Path, float], list[str]]:
    """Five rows for two groups, as `blocks` makes them at k = 2."""
    return lambda folder, scale: release(folder, people(int(rows * scale)), attributes(), k=2)


def tiny_groups_of_many_kinds(rows: int) -> Callable[[Path, float], list[str]]:
    """Besides: a quasi-identifier with a hierarchy, a tenth of three columns missing, closeness and (δ, l)."""

    def command(folder: Path, scale: float) -> list[str]:
        frame, draw = people(int(rows * scale)), np.random.default_rng(4)
        frame["region"] = frame["region"].map("{:03d}".format)
        for name in ("age", "region", "occupation"):
            frame[name] = frame[name].where(draw.random(len(frame)) > 0.1, None)
        columns = attributes(region={"role": "quasi", "kind": "category", "hierarchy": {"mask": 2}})
        return release(folder, frame, columns, 2, closeness=1, delta_l={"income": {"interval": 1, "l": 1}})

    return command


def tiny_groups_checked(rows: int) -> Callable[[Path, float], list[str]]:
    def command(folder: Path, scale: float) -> list[str]:
        frame = people(int(rows * scale))
        frame["group"] = np.random.default_rng(1).integers(0, max(1, int(rows * scale) * 2 // 5), len(frame))
        options = ("--group", "group", "--epsilon", "0.1", "--delta", "0", "--interval", "500")
        return check(folder, frame, ["age", "sex", "region"], ["income", "occupation"], *options)

    return command


def tiny_groups_called(rows: int) -> Callable[[Path, float], list[str]]:
    call = """
for make in (hg.xcolor, hg.mondrian):
    found = make(frame, quasi=["age", "sex", "region"], sensitive=["income", "occupation"], k=2)
    found.release(frame)
"""
    return lambda folder, scale: library(folder, people(int(rows * scale)), call)


def with_places(rows: int, values: int) -> pd.DataFrame:
    """Every place occurs."""
    frame = people(rows)
    places = np.random.default_rng(2).permutation(np.arange(rows) % values)
    frame["place"] = np.char.add("p", places.astype(str))
    return frame


def many_values(rows: int, values: int) -> Callable[[Path, float], list[str]]:
    def command(folder: Path, scale: float) -> list[str]:
        frame = with_places(int(rows * scale), int(values * scale))
        return release(folder, frame, attributes(place={"role": "quasi", "kind": "category"}), k=10)

    return command


def many_values_checked(rows: int, values: int) -> Callable[[Path, float], list[str]]:
    def command(folder: Path, scale: float) -> list[str]:
        frame = with_places(int(rows * scale), int(values * scale))
        return check(folder, frame, ["age", "place"], ["income", "occupation"], "--epsilon", "0.1", "--delta", "0")

    return command


def many_values_called(rows: int, values: int) -> Callable[[Path, float], list[str]]:
    call = """
for make in (hg.xcolor, hg.mondrian):
    found = make(frame, quasi=["age", "place"], sensitive=["income", "occupation"], k=10)
    found.release(frame)
"""
    return lambda folder, scale: library(folder, with_places(int(rows * scale), int(values * scale)), call)


def with_answers(rows: int, answers: int) -> tuple[pd.DataFrame, list[str]]:
    """Besides: so many answers of a questionnaire, five choices each."""
    names = [f"answer_{place}" for place in range(answers)]
    drawn = np.random.default_rng(3).integers(0, 5, (rows, answers))
    choices = np.array(["never", "rarely", "at times", "often", "always"])
    return pd.concat([people(rows), pd.DataFrame({name: choices[drawn[:, at]] for at, name in enumerate(names)})], axis=1), names


def many_tables(rows: int, answers: int) -> Callable[[Path, float], list[str]]:
    def command(folder: Path, scale: float) -> list[str]:
        frame, names = with_answers(rows, int(answers * scale) - 2)
        return release(folder, frame, attributes(**{name: {"role": "sensitive", "kind": "category"} for name in names}), 10, "separate")

    return command


def many_columns(rows: int, columns: int, role: str) -> Callable[[Path, float], list[str]]:
    def command(folder: Path, scale: float) -> list[str]:
        frame, names = with_answers(rows, int(columns * scale) - 6)
        return release(folder, frame, attributes(**{name: {"role": role, "kind": "category"} for name in names}), 10)

    return command


def many_columns_checked(rows: int, columns: int) -> Callable[[Path, float], list[str]]:
    def command(folder: Path, scale: float) -> list[str]:
        frame, names = with_answers(rows, int(columns * scale) - 6)
        return check(folder, frame, ["age", "sex"], names, "--epsilon", "0.1", "--delta", "0")

    return command


CASES = (
    Case("groups-80k-release", "200,000 rows in 80,000 groups: release", tiny_groups(200_000)),
    Case("groups-80k-kinds", "the same with a hierarchy, missing cells and closeness", tiny_groups_of_many_kinds(200_000)),
    Case("groups-80k-check", "200,000 rows in 80,000 groups: check", tiny_groups_checked(200_000)),
    Case("groups-80k-library", "200,000 rows in 80,000 groups: hg.xcolor, hg.mondrian", tiny_groups_called(200_000)),
    Case("groups-400k-release", "1,000,000 rows in 400,000 groups: release", tiny_groups(1_000_000)),
    Case("groups-400k-check", "1,000,000 rows in 400,000 groups: check", tiny_groups_checked(1_000_000)),
    Case("groups-400k-library", "1,000,000 rows in 400,000 groups: hg.xcolor, hg.mondrian", tiny_groups_called(1_000_000)),
    Case("values-200k-release", "a flat quasi category of 200,000 values, 400,000 rows: release", many_values(400_000, 200_000)),
    Case("values-200k-check", "a flat quasi category of 200,000 values, 400,000 rows: check", many_values_checked(400_000, 200_000)),
    Case("values-200k-library", "a flat quasi category of 200,000 values, 400,000 rows: library", many_values_called(400_000, 200_000)),
    Case("values-1m-release", "a flat quasi category of 1,000,000 values, 1,000,000 rows: release", many_values(1_000_000, 1_000_000)),
    Case("values-1m-check", "a flat quasi category of 1,000,000 values, 1,000,000 rows: check", many_values_checked(1_000_000, 1_000_000)),
    Case("values-1m-library", "a flat quasi category of 1,000,000 values: library", many_values_called(1_000_000, 1_000_000)),
    Case("tables-200-release", "200 sensitive attributes in 200 tables, 10,000 rows: release", many_tables(10_000, 200)),
    Case("columns-5k-sensitive", "5,000 columns, sensitive, in one table, 2,000 rows: release", many_columns(2_000, 5_000, "sensitive")),
    Case("columns-5k-insensitive", "5,000 columns, insensitive, 2,000 rows: release", many_columns(2_000, 5_000, "insensitive")),
    Case("columns-5k-check", "5,000 columns, 2,000 rows: check", many_columns_checked(2_000, 5_000)),
)


def run(case: Case, scale: float, kept: Path | None, most_seconds: float) -> Ended:
    with tempfile.TemporaryDirectory(prefix="headgate-end-well-") as scratch:
        folder = Path(scratch) if kept is None else kept / case.name
        folder.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "HEADGATE_HOME": str(folder / "home"), "HEADGATE_MAX_ATTRIBUTES": "10000"}
        ended = watched(case.command(folder, scale), environment, KILLED_MIB, most_seconds, _bound_address_space)
    steps = {} if ended.problem else _steps(ended.output)
    return Ended(case, ended.seconds, ended.busy_seconds, ended.peak_mib, ended.problem, steps)


def _bound_address_space() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


def _steps(out: str) -> dict[str, float]:
    try:
        told = json.loads(out)
    except ValueError:
        return {}
    return dict(told.get("seconds", {}))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="", help="only cases whose names begin so")
    options.add_argument("--scale", type=float, default=1.0)
    options.add_argument("--steps", action="store_true", help="the seconds of each step too")
    options.add_argument("--keep", type=Path, help="keep tables and homes in this folder")
    options.add_argument("--stop-after", type=float, default=2.0 * SECONDS, help="seconds after which a case is stopped")
    chosen = options.parse_args()
    well = True
    for case in (case for case in CASES if case.name.startswith(chosen.only)):
        ended = run(case, chosen.scale, chosen.keep, chosen.stop_after)
        well &= ended.well
        took = f"{ended.seconds:7.1f} s {ended.busy_seconds:7.1f} s busy {ended.peak_mib:6.0f} MiB"
        print(f"{case.name:<24}{took}  {ended.problem or case.about}", flush=True)
        if chosen.steps:
            print("".join(f"    {step:<20}{taken:8.2f} s\n" for step, taken in ended.steps.items() if taken >= 0.1), end="", flush=True)
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
