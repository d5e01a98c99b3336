"""Figures of scale: loss against time beside others, tables of many shapes, growth, and workers.

`make bench-scale` prints them; `python -m benchmarks.scale --write` puts them and their pictures into docs/scale.md. `--only losses`
does one part of it and leaves the figures of the others as they are.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.scale import growth, losses, pages, pictures, shapes, workers

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "scale.md"

Part = Callable[[bool], Any]


def of_losses(quick: bool) -> list[dict[str, Any]]:
    return list(losses.losses(quick))


def of_shapes(quick: bool) -> list[dict[str, Any]]:
    some = list(shapes.SHAPES)[:: 5 if quick else 1]
    shapes.losses(some[0], 5, 500)  # loads the compiled loops
    return [shapes.losses(shape, k) for k in (shapes.KS[:1] if quick else shapes.KS) for shape in some]


def of_growth(quick: bool) -> dict[str, Any]:
    sizes = growth.ROWS[: 2 if quick else None]
    releases = growth.RELEASED[: 1 if quick else None]
    return {"blocks": [growth.in_a_process_of_its_own(rows) for rows in sizes], "releases": [growth.released(rows) for rows in releases]}


def of_workers(quick: bool) -> dict[str, Any]:
    found = {
        which: {f"{engine} {many}": workers.in_a_process_of_its_own(engine, str(many), which) for engine, many in workers.LINES}
        for which in ("one", "four")
    }
    return {
        "rows": workers.ROWS,
        **found,
        "pieces": workers.in_a_process_of_its_own("pieces", str(workers.ROWS if quick else 2 * workers.ROWS)),
    }


PARTS: Mapping[str, Part] = {"losses": of_losses, "shapes": of_shapes, "growth": of_growth, "workers": of_workers}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", action="append", choices=PARTS, help="only this part; may be given again")
    options.add_argument("--quick", action="store_true", help="fewer and smaller; the page is left as it is")
    options.add_argument("--write", action="store_true", help="put figures and pictures into docs/")
    options.add_argument("--redraw", action="store_true", help="measure nothing: only draw and write what figures.json holds")
    chosen = options.parse_args()
    write = chosen.write and not chosen.quick
    folder = ROOT / "docs" / "scale" if write or chosen.redraw else ROOT / "benchmarks" / "results" / "scale"
    folder.mkdir(parents=True, exist_ok=True)
    numbers = folder / "figures.json"
    found: dict[str, Any] = json.loads(numbers.read_text(encoding="utf-8")) if numbers.exists() else {}
    for name in () if chosen.redraw else chosen.only or PARTS:
        start = time.perf_counter()
        found[name] = PARTS[name](chosen.quick)
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
        numbers.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for name, picture in pictures.pictures(found).items():
        (folder / name).write_bytes(picture)
    print(pages.tables(found))
    if write or chosen.redraw:
        PAGE.write_text(pages.with_tables(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")


if __name__ == "__main__":
    main()
