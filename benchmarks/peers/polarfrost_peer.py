"""What polarfrost makes of one table: the group of every row, and the seconds. Runs in its own virtual environment:
`python polarfrost_peer.py TABLE.csv QUASI,… K OUTPUT.json`. It publishes a line per group and lists the group's sensitive values in it, so
it is given the number of each row as sensitive value."""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import polars as pl
from polarfrost import mondrian_k_anonymity_polars

ROW = "row"


def main() -> None:
    path, names, k, output = sys.argv[1:]
    quasi = names.split(",")
    frame = pl.read_csv(path, columns=quasi)
    categories = [name for name in quasi if frame[name].dtype == pl.String]
    numbered = frame.select(quasi).with_columns(pl.Series(ROW, np.arange(len(frame))))
    start, busy = time.perf_counter(), time.process_time()
    published = mondrian_k_anonymity_polars(numbered, quasi, ROW, int(k), categories)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    groups = np.full(len(frame), -1)
    for place, rows in enumerate(published[ROW]):
        groups[[int(row) for row in rows.split(",")]] = place
    made = {"version": version("polarfrost"), "seconds": seconds, "busy_seconds": busy, "groups": groups.tolist()}
    Path(output).write_text(json.dumps({"peers": {"polarfrost": made}}), encoding="utf-8")


if __name__ == "__main__":
    main()
