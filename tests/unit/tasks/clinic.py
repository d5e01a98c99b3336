"""A small clinic: sixty people in a CSV, a policy for them, and ways to spoil either."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from headgate.core.columns import Table
from headgate.core.errors import HeadgateError
from tasks.reading.references import LoadedPolicy, load_policy

CANARY = "CANARY-7f3a"
REGIONS = ("north-a;north;*", "north-b;north;*", "south-a;south;*", "south-b;south;*")
CODES = ("asthma", "flu", "none", "stroke")


def clinic_rows() -> list[dict[str, str]]:
    regions = [line.split(";")[0] for line in REGIONS]
    return [
        {
            "patient_id": f"{CANARY}-{row:04d}",
            "age": str(20 + row % 40),
            "sex": "female" if row % 2 else "male",
            "region": regions[row % 4],
            "admitted": f"2024-{1 + row % 12:02d}-{1 + row % 28:02d}",
            "diagnosis": ("asthma|flu", "flu", "none", "stroke|asthma")[row % 4],
            "income": str(1000.5 * (row % 17)) if row % 9 else "",
            "education": ("primary", "secondary", "tertiary")[row % 3],
            "zip": f"00{row % 7}",
            "notes": f"{CANARY}-note-{row}",
        }
        for row in range(60)
    ]


def clinic_attributes() -> dict[str, dict[str, Any]]:
    return {
        "patient_id": {"role": "identifier"},
        "age": {"role": "quasi", "kind": "integer", "domain": [0, 110]},
        "sex": {"role": "quasi", "kind": "category"},
        "region": {"role": "quasi", "kind": "category", "hierarchy": "region.csv"},
        "admitted": {"role": "quasi", "kind": "date", "domain": ["2024-01-01", "2024-12-31"]},
        "diagnosis": {"role": "sensitive", "kind": "set", "values": "codes.csv", "nonsensitive": ["none"]},
        "income": {"role": "sensitive", "kind": "number", "domain": [0, 500000]},
        "education": {"role": "sensitive", "kind": "ordinal", "levels": ["primary", "secondary", "tertiary"]},
        "zip": {"role": "insensitive", "kind": "category"},
        "notes": {"role": "dropped"},
    }


def csv_text(rows: Sequence[Mapping[str, str]], separator: str = ",", header: Sequence[str] | None = None) -> str:
    class Lines(list[str]):
        def write(self, line: str) -> None:
            self.append(line)

    lines = Lines()
    names = list(header or rows[0])
    writer = csv.writer(lines, delimiter=separator, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([[row[name] for name in names] for row in rows])
    return "".join(lines)


def decoded(table: Table, name: str) -> list[Any]:
    """The cells of an encoded column."""
    column = table[name]
    return [None if code < 0 else column.values[code] for code in column.codes]


class Clinic:
    """The folder with the policy and its files. `policy` holds what will be written as YAML."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows = clinic_rows()
        self.policy: dict[str, Any] = {
            "schema": 1,
            "dataset": "clinic",
            "title": "A clinic",
            "source": {"kind": "csv", "path": "clinic.csv"},
            "attributes": clinic_attributes(),
            "anonymize": {"k": 5},
            "gates": {"linkability": 0.9},
            "publish": {"to": "clinic"},
        }
        (folder / "region.csv").write_text("\n".join(REGIONS) + "\n", encoding="utf-8")
        (folder / "codes.csv").write_text("\n".join(CODES) + "\n", encoding="utf-8")
        self.write_source(csv_text(self.rows).encode())

    @property
    def source(self) -> Path:
        return self.folder / "clinic.csv"

    def write_source(self, content: bytes) -> Path:
        self.source.write_bytes(content)
        return self.source

    def load(self) -> LoadedPolicy:
        path = self.folder / "policy.yaml"
        path.write_text(json.dumps(self.policy, indent=1), encoding="utf-8")
        return load_policy(path)


@pytest.fixture
def clinic(tmp_path: Path) -> Clinic:
    folder = tmp_path / "clinic"
    folder.mkdir()
    return Clinic(folder)


@pytest.fixture
def write_csv() -> Callable[..., str]:
    return csv_text


@pytest.fixture
def canary() -> str:
    return CANARY


@pytest.fixture
def refusal() -> Callable[[Callable[[], object]], HeadgateError]:
    """Calls it, expects one refusal of ours with a cure, and sees that no data value is in it or in anything chained to it."""

    def call(act: Callable[[], object], code: int = 2) -> HeadgateError:
        with pytest.raises(HeadgateError) as caught:
            act()
        problem = caught.value
        assert problem.code == code
        assert problem.cure
        chained: BaseException | None = problem
        seen = set()
        while chained is not None and id(chained) not in seen:
            seen.add(id(chained))
            if chained is problem or not problem.__suppress_context__:
                assert "CANARY" not in f"{chained!s} {chained!r}"
            chained = chained.__cause__ or (None if chained.__suppress_context__ else chained.__context__)
        return problem

    return call
