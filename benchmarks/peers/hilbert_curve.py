"""Where points lie on a Hilbert curve. Runs in its own virtual environment, with hilbertcurve 2.0.5:
`python hilbert_curve.py POINTS.npy BITS OUTPUT.json`. Distances may have more bits than a machine's word, so they stay text."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
from hilbertcurve.hilbertcurve import HilbertCurve


def main() -> None:
    path, bits, output = sys.argv[1:]
    points = np.load(path)
    start, busy = time.perf_counter(), time.process_time()
    curve = HilbertCurve(int(bits), points.shape[1])
    distances = [curve.distance_from_point(point) for point in points.tolist()]
    order = sorted(range(len(distances)), key=distances.__getitem__)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    Path(output).write_text(json.dumps({"seconds": seconds, "busy_seconds": busy, "order": order}), encoding="utf-8")


if __name__ == "__main__":
    main()
