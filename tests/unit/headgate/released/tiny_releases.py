"""Tiny releases written by hand: a manifest as it is published, and the cells of its tables."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pandas as pd

from headgate.released.description import Description, described
from headgate.released.released_tables import Release, release_of

TOWNS = [["t1", "north", "*"], ["t2", "north", "*"], ["t3", "south", "*"], ["t4", "south", "*"]]
MASKED = [["20* 0", "20*", "2**", "*"], ["20* 1", "20*", "2**", "*"], ["21* 2", "21*", "2**", "*"], ["31* 3", "31*", "3**", "*"]]
AGES = [["20", "young", "*"], ["30", "young", "*"], ["70", "old", "*"]]


def quasi(name: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": kind, "domain": None, "values": [], "hierarchy": [], **more}


def sensitive(name: str, kind: str, **more: Any) -> dict[str, Any]:
    nothing = {"domain": None, "levels": [], "declared": [], "hierarchy": [], "metric": None, "components": [], "separator": "|"}
    return {"name": name, "kind": kind, "origin": None, "published_as": None, **nothing, **more}


QUASI = [
    quasi("age", "integer", domain=[0, 5]),
    quasi("weight", "number", domain=[0.0, 8.0]),
    quasi("seen", "date", domain=[19723, 19783]),  # 2024-01-01 … 2024-03-01
    quasi("grade", "ordinal", values=["low", "middle", "high"]),
    quasi("eye", "category", values=["blue", "brown", "green"]),
    quasi("town", "category", hierarchy=TOWNS),
    quasi("zip", "category", hierarchy=MASKED),
    quasi("era", "integer", domain=[20, 70], hierarchy=AGES),
]
SENSITIVE = [
    sensitive("income", "number", domain=[0, 100]),
    sensitive("ill=flu", "category", declared=["0", "1"], origin="ill"),
    sensitive("school", "ordinal", levels=["primary", "secondary"]),
    sensitive("mood", "vector", components=["m1", "m2"], metric="min"),
    sensitive("born", "date", domain=[19723, 19783]),
    sensitive("job", "category"),
    sensitive("kids", "integer", domain=[0, 5]),
]


def manifest(
    tables: dict[str, pd.DataFrame], suppressed: int = 0, people: bool = True, parts: tuple[int, ...] = (), **changes: Any
) -> dict[str, Any]:
    """Of the columns above, each table has those that its frame has; `parts` as their manifest says it."""
    columns = {name for frame in tables.values() for name in frame.columns}
    return {
        "dataset": "tiny",
        "title": "Tiny",
        "release_id": "r-1",
        "suppressed": suppressed,
        "promise": {
            "people_checked": people,
            "quasi": [deepcopy(each) for each in QUASI if each["name"] in columns],
            "sensitive": [deepcopy(each) for each in SENSITIVE if set(each["components"] or [each["name"]]) <= columns],
        },
        "files": [{"path": f"tables/{name}.csv", "sha256": "0" * 64, "bytes": 1} for name in tables],
        "tables": [
            {
                "name": name,
                "rows": len(frame),
                "sensitive": [each["name"] for each in SENSITIVE if set(each["components"] or [each["name"]]) <= set(frame.columns)],
                "insensitive": [],
                **({"parts": list(parts)} if parts else {}),
            }
            for name, frame in tables.items()
        ],
        **changes,
    }


def description(**columns: list[Any]) -> Description:
    return described(manifest({"table-1": frame(**columns)}))


def frame(**columns: list[Any]) -> pd.DataFrame:
    size = len(next(iter(columns.values())))
    return pd.DataFrame({**columns, "group": list(range(1, size + 1))}, dtype=object)


def release(suppressed: int = 0, people: bool = True, **columns: list[Any]) -> Release:
    """One table, of a cell per row."""
    return of_tables({"table-1": frame(**columns)}, suppressed, people)


def of_tables(tables: dict[str, pd.DataFrame], suppressed: int = 0, people: bool = True, **changes: Any) -> Release:
    return release_of(described(manifest(tables, suppressed, people, **changes)), lambda table: tables[table.name])
