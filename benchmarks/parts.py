"""What publishing and verifying one large table costs, as one file and in parts: four quasi-identifiers, six sensitive attributes,
groups of ten, as CSV and Parquet.

Each line is measured in processes of its own: *publish* shuffles, writes, reads back, encodes and measures the table, which it has drawn;
*verify* hashes the files and measures every claim again. Seconds are the processor's; peak memory is that of the whole process.
`make bench-parts` prints the table; `python -m benchmarks.parts ROWS …` does so for other numbers of rows.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from headgate.core.columns import Column, Kind, Table
from headgate.core.published_form.file_parts import ROWS_PER_PART
from headgate.core.published_form.published_table import publish_form
from policies.gates.figures import ReleaseUtility
from policies.gates.verdict import Requirement
from policies.judging.measure import measure_table
from policies.judging.verdicts import judge
from policies.sealed.manifest import Manifest, Plan, Signer
from policies.sealed.promise import Promise, QuasiIdentifier, SensitiveAttribute
from tasks.stores.files import file_entry, read_folder
from tasks.tables.read_published import published_of, read_back
from tasks.tables.write import write_published
from tasks.verification.claims import remeasure

SEED, K = 3, 10
ROWS = (1_000_000, 4_000_000)
SENSITIVE = {"job": 14, "income": 5000, "class": 7, "hours": 99, "place": 50, "score": 1000}
NUMBERS = {"age": 1.0, "income": 100.0, "hours": 1.0, "score": 0.1}  # the step between two values
MANIFEST = "manifest.txt"  # beside the tables: it is neither sealed nor signed here


def drawn(rows: int) -> Table:
    draw, place = np.random.default_rng(SEED), np.arange(rows)
    quasi = {
        "age": (place * 100 // rows, 100),
        "sex": (place // 1000 % 2, 2),
        "region": (place // 100 % 20, 20),
        "race": (place // 10 % 5, 5),
    }
    codes = {**quasi, **{name: (draw.integers(0, values, rows), values) for name, values in SENSITIVE.items()}}
    return Table({name: _column(name, own, values) for name, (own, values) in codes.items()}, tuple(quasi), tuple(SENSITIVE))


def _column(name: str, codes: np.ndarray, values: int) -> Column:
    step = NUMBERS.get(name)
    own = np.array([f"{name} number {value:04}" for value in range(values)], dtype=object) if step is None else np.arange(values) * step
    ends = None if step is None else (0.0, float(own[-1]))
    kind = Kind.CATEGORY if step is None else Kind.NUMBER
    return Column(name, kind, codes.astype(np.int32), own, np.ones(values + 1, dtype=bool), ends)


def promised(table: Table) -> Promise:
    quasi, sensitive = [], []
    for name, column in table.columns.items():
        if name in table.quasi:
            listed = () if column.kind.numeric else tuple(map(str, column.values))
            quasi.append(QuasiIdentifier(name=name, kind=column.kind, domain=column.domain, values=listed))
        else:
            sensitive.append(SensitiveAttribute(name=name, kind=column.kind, domain=column.domain))
    asked = (Requirement(gate="k", required=str(K)), Requirement(gate="linkability", required="0.99"))
    return Promise(requirements=asked, quasi=tuple(quasi), sensitive=tuple(sensitive))


def publish(folder: Path, rows: int, rows_per_part: int) -> None:
    table = drawn(rows)
    promise, groups = promised(table), np.minimum(np.arange(rows, dtype=np.int32) // K, rows // K - 1)
    files = write_published(publish_form(table, groups, "table-1", table.sensitive), folder, rows_per_part=rows_per_part)
    del table
    read, pinned = read_back(folder, files)
    sizes = tuple(file.rows for file in files if file.format == files[0].format)
    parts = sizes if len(sizes) > 1 else ()
    figures = measure_table(promise, published_of(read.frame, promise, "table-1"), path=files[0].path, parts=parts)
    plan = Plan(method="single", tables=(tuple(SENSITIVE),), columns=tuple(SENSITIVE), association_loss=0.0, information_exposure=1.0)
    manifest = Manifest(
        product="headgate", dataset="people", title="People", release_id="r", created="2026-01-01T00:00:00+00:00", policy_digest="0" * 64,
        source_hmac="0" * 64, rows=rows, suppressed=0, seed_commitment="0" * 64, approvals_required=1,
        runner=Signer(principal="r", fingerprint="f"), signers=(), signers_digest="", publish_to="people", promise=promise, plan=plan,
        tables=(figures,), verdicts=judge(promise, (figures,)), utility=ReleaseUtility(ncp=figures.ncp, suppressed_share=0.0),
        mlflow_run_id="r", files=tuple(file_entry(folder, file.path) for file in pinned),
    )  # fmt: skip
    (folder / MANIFEST).write_text(manifest.model_dump_json())


def verify(folder: Path) -> None:
    manifest = Manifest.model_validate_json((folder / MANIFEST).read_text())
    files = read_folder(folder)
    assert all(files[entry.path].sha256 == entry.sha256 for entry in manifest.files)
    assert remeasure(manifest, {path: stored for path, stored in files.items() if path != MANIFEST}).tables[0].k == K


def measured(run: Callable[[], None]) -> str:
    run()
    return json.dumps([time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20])


def line(*arguments: str) -> tuple[float, float]:
    done = subprocess.run([sys.executable, "-m", "benchmarks.parts", *arguments], capture_output=True, text=True, check=True)
    seconds, gibibytes = json.loads(done.stdout)
    return seconds, gibibytes


def main(numbers: tuple[int, ...]) -> None:
    print(f"{'rows':>12}  {'files':<10} {'publish, s':>10} {'peak, GiB':>10} {'verify, s':>10} {'peak, GiB':>10}")
    for rows in numbers:
        for called, most in (("one", rows), ("parts", min(ROWS_PER_PART, rows // 4))):
            with tempfile.TemporaryDirectory() as folder:
                made, checked = line("publish", folder, str(rows), str(most)), line("verify", folder)
            print(f"{rows:>12,}  {called:<10} {made[0]:>10.1f} {made[1]:>10.2f} {checked[0]:>10.1f} {checked[1]:>10.2f}", flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["publish", folder, rows, most]:
            print(measured(lambda: publish(Path(folder), int(rows), int(most))))
        case ["verify", folder]:
            print(measured(lambda: verify(Path(folder))))
        case listed:
            main(tuple(int(rows) for rows in listed) or ROWS)
