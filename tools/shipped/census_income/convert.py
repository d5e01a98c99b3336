"""Makes census.parquet from the file that UCI gives out: `python -m tools.shipped.census_income.convert census-income.test.gz`.

The columns are those of the CODIP paper, section 7: four quasi-identifiers, seven categories, four amounts cut to "none" (0)
and "some" (1), and one multi-valued attribute. Values are as in the source, without the blanks around them.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 99_762
FIELDS = 42

COPIED = {
    "age": 0,
    "race": 10,
    "sex": 12,
    "citizenship": 35,
    "worker_class": 1,
    "education": 4,
    "industry": 8,
    "employment_status": 15,
    "business_status": 36,
    "salary_class": 41,
    "occupation": 9,
}
AMOUNTS = {"wage_per_hour": 5, "dividend": 18, "capital_gain": 16, "capital_loss": 17}
MARITAL_STATUS, HOUSEHOLD = 7, 22
SEPARATOR = "|"


def household_status(marital_status: str, household: str) -> str:
    """The paper's four derived attributes as one set: married (a spouse, present or not; separated people are not counted),
    under18, descendent (a child or grandchild of the householder), subfamily (part of one, related or not). The paper does not
    say how it derived them; this reads "detailed household and family stat" and "marital stat". The separator alone is the
    empty set; empty text would be a missing one."""
    stat = household.lower()
    members = {
        "married": marital_status.startswith("Married"),
        "under18": "<18" in stat or "under 18" in stat,
        "descendent": stat.startswith(("child", "grandchild")) and "unrel" not in stat,
        "subfamily": "subfam" in stat and "not in" not in stat,
    }
    return SEPARATOR.join(name for name, here in members.items() if here) or SEPARATOR


def converted(lines: Iterable[str]) -> pa.Table:
    """One row per line; `record` is the line's number in the source, which has no identifier of its own. The letter before it keeps it
    apart from ages and amounts, so that none of them looks like an identifier."""
    rows = [fields for fields in csv.reader(lines, skipinitialspace=True) if fields]
    wrong = sum(len(fields) != FIELDS for fields in rows)
    if wrong:
        raise ValueError(f"{wrong} lines do not have {FIELDS} fields: this is not the Census-Income (KDD) file.")
    columns: dict[str, Sequence[object]] = {"record": [f"L{number:05d}" for number in range(1, len(rows) + 1)]}
    for name, place in COPIED.items():
        columns[name] = [fields[place].strip() for fields in rows]
    for name, place in AMOUNTS.items():
        columns[name] = [str(int(float(fields[place]) > 0)) for fields in rows]
    columns["household_status"] = [household_status(fields[MARITAL_STATUS].strip(), fields[HOUSEHOLD].strip()) for fields in rows]
    types = {"age": pa.int16()}
    columns["age"] = [int(str(years)) for years in columns["age"]]
    return pa.table({name: pa.array(list(cells), types.get(name, pa.string())) for name, cells in columns.items()})


def write(table: pa.Table, path: Path) -> None:
    texts = [name for name in table.column_names if name != "record"]
    pq.write_table(
        table,
        path,
        compression="zstd",
        compression_level=19,
        use_dictionary=texts,
        column_encoding={"record": "DELTA_BYTE_ARRAY"},
        store_schema=False,
        write_statistics=False,
    )


def convert(source: Path, path: Path) -> None:
    with gzip.open(source, "rt", encoding="ascii") as lines:
        table = converted(lines)
    if table.num_rows != ROWS:
        raise ValueError(f"{table.num_rows} rows, {ROWS} expected: give the test part of Census-Income (KDD).")
    write(table, path)


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(__file__).parent / "data" / "census.parquet")
