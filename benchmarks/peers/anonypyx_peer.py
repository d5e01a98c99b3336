"""What anonypyx makes of one table: the group of every row, and the seconds. Runs in its own virtual environment:
`python anonypyx_peer.py TABLE.csv QUASI,… K OUTPUT.json`. Only its partitioning is timed, by Mondrian with k alone."""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import anonypyx
import numpy as np
import pandas as pd


def main() -> None:
    path, names, k, output = sys.argv[1:]
    warnings.simplefilter("ignore")
    quasi = names.split(",")
    frame = pd.read_csv(path, usecols=quasi, keep_default_na=False)
    cells = frame[quasi].astype({name: "category" for name in quasi if not pd.api.types.is_numeric_dtype(frame[name].dtype)})
    start, busy = time.perf_counter(), time.process_time()
    anonymiser = anonypyx.Anonymiser(cells, k=int(k), algorithm="Mondrian", feature_columns=quasi)
    parts = anonymiser.algorithm.partition(anonymiser.parameters)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    groups = np.full(len(frame), -1)
    for place, rows in enumerate(parts):
        groups[rows] = place
    made = {"version": version("anonypyx"), "seconds": seconds, "busy_seconds": busy, "groups": groups.tolist()}
    Path(output).write_text(json.dumps({"peers": {"anonypyx": made}}), encoding="utf-8")


if __name__ == "__main__":
    main()
