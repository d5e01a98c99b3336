"""Small tables and what pyCANON says of them, for the tests. Runs in pyCANON's own virtual environment:
`python pycanon_cases.py CENSUS.csv QUASI,… SENSITIVE OUTPUT.json` (`benchmarks/measures.py --cases` does it).

Each defect is a table that shows it. The other tables are such that pyCANON is right about them, but for two figures that it gets wrong
nearly everywhere: recursive c, and an entropy l that is a whole number.
"""

from __future__ import annotations

import json
import random
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from pycanon_report import figures, read, versions

RANDOM_TABLES = 30
UNIFORM = range(2, 13)


def table(columns: dict[str, list[Any]], index: list[Any] | None = None, categories: dict[str, list[str]] | None = None) -> dict[str, Any]:
    return {"columns": columns, "index": index, "categories": categories or {}}


def frame_of(given: dict[str, Any]) -> pd.DataFrame:
    frame = pd.DataFrame(given["columns"], index=given["index"])
    for name, values in given["categories"].items():
        frame[name] = pd.Categorical(frame[name], values)
    return frame


def random_table(seed: int) -> dict[str, Any]:
    """Skewed sensitive values. Even seeds have a few large classes, the odd ones small classes too; every third table has a number for its
    sensitive attribute."""
    rng = random.Random(seed)
    few = seed % 2 == 0
    rows, kinds = rng.randint(30, 60) if few else rng.randint(8, 60), rng.randint(2, 4) if few else rng.randint(2, 7)
    weights = [rng.randint(1, 6) for _ in range(kinds)]
    values: list[Any] = rng.sample(range(100), kinds) if seed % 3 == 0 else [f"s{kind}" for kind in range(kinds)]
    columns: dict[str, list[Any]] = {}
    for place in range(1 if few else rng.randint(1, 3)):
        columns[f"q{place}"] = [rng.choice("abc"[: rng.randint(1, 3)]) for _ in range(rows)]
    columns["sensitive"] = [*values, *rng.choices(values, weights, k=rows - kinds)]
    return table(columns)


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    for seed in range(RANDOM_TABLES):
        yield f"random {seed}", random_table(seed)
    for values in UNIFORM:
        one = [f"s{value}" for value in range(values)]
        yield f"uniform {values}", table({"q0": ["a"] * values + ["b"] * 2 * values, "sensitive": one * 3})
    yield "recursive", table({"q0": ["a"] * 9 + ["b"] * 9, "sensitive": [*"xxxxxyyyz", *"xxxxyyyzz"]})
    ordered = {"q0": [*"aabb"], "sensitive": [*"xyxy"]}
    yield "index 0 1 2 3", table(ordered)
    yield "index 0 2 1 3", table(ordered, index=[0, 2, 1, 3])
    yield "index of texts", table(ordered, index=[*"dbca"])
    yield "missing quasi cell", table({"q0": ["a", "a", "a", None], "sensitive": [*"xyzw"]})
    yield "unused category", table({"q0": [*"aabb"], "sensitive": [*"xyxy"]}, categories={"q0": [*"abc"]})


def main() -> None:
    census, quasi, sensitive, output = sys.argv[1:]
    warnings.simplefilter("ignore", FutureWarning)  # of pandas, on pyCANON's grouping by a categorical
    stored = []
    for name, given in cases():
        names = [column for column in given["columns"] if column != "sensitive"]
        stored.append({"name": name, **given, "figures": figures(frame_of(given), names, ["sensitive"])})
    whole = {"quasi": quasi.split(","), "sensitive": sensitive, "figures": figures(read(census), quasi.split(","), [sensitive])}
    lines = ",\n".join(json.dumps(case) for case in stored)
    text = f'{{"versions": {json.dumps(versions())},\n"census": {json.dumps(whole)},\n"cases": [\n{lines}\n]}}\n'
    Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
