from __future__ import annotations

from typing import Any

import pytest

from headgate.core.errors import HeadgateError, IntegrityBroken
from headgate.released.description import described
from tests.unit.headgate.released.tiny_releases import frame, manifest

CELLS = {"table-1": frame(age=["1"], income=[1])}


def entry(path: str) -> dict[str, Any]:
    return {"path": path, "sha256": "0" * 64, "bytes": 1}


def files_of(*paths: str, parts: tuple[int, ...] = ()) -> list[str]:
    cells = {"table-1": frame(age=["1"] * sum(parts), income=[1] * sum(parts))} if parts else CELLS
    (table,) = described(manifest(cells, parts=parts, files=[entry(path) for path in paths])).tables
    return [file.path for file in table.files]


def test_parquet_is_preferred_and_parts_are_in_their_order() -> None:
    assert files_of("tables/table-1.csv", "tables/table-1.parquet") == ["tables/table-1.parquet"]
    parts = [f"tables/table-1/part-{number:05d}.csv" for number in (1, 0, 10, *range(2, 10))]
    assert files_of(*parts, parts=(1,) * 11) == sorted(parts)


def test_every_part_that_is_said_to_be_there_is_listed_and_no_other_counts() -> None:
    parts = [f"tables/table-1/part-{number:05d}.csv" for number in range(3)]
    with pytest.raises(IntegrityBroken, match=r"does not list tables/table-1/part-00001\.csv"):
        files_of(parts[0], parts[2], parts=(1, 1, 1))
    for said in ((), (2, 1)):  # a whole file is not a part, and a third part is not one of two
        with pytest.raises(IntegrityBroken, match="lists no file|does not list"):
            files_of(*parts[1:], parts=said)
    with pytest.raises(IntegrityBroken, match="not a manifest"):
        files_of("tables/table-1.csv", parts=(1,))


@pytest.mark.parametrize(
    "path", ["../table-1.csv", "tables/../table-1.csv", "/tables/table-1.csv", "tables/table-10.csv", "tables/table-1/x/part-00000.csv"]
)
def test_no_other_path_is_a_tables_file(path: str) -> None:
    with pytest.raises(IntegrityBroken, match="lists no file"):
        files_of(path)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda said: said.pop("promise"),
        lambda said: said["promise"].pop("quasi"),
        lambda said: said["promise"]["quasi"][0].update(kind="set"),
        lambda said: said["promise"]["quasi"][0].update(kind="colour"),
        lambda said: said["promise"]["quasi"][0].update(domain=[1]),
        lambda said: said["promise"]["quasi"][0].update(hierarchy=[["a"], [1]]),
        lambda said: said["promise"]["sensitive"][0].update(levels=[1]),
        lambda said: said["tables"][0].update(name="../x"),
        lambda said: said["tables"][0].update(rows=True),
        lambda said: said["tables"][0].update(rows=-1),
        lambda said: said.update(files=None),
        lambda said: said.update(suppressed="many"),
        lambda said: said.update(title=None),
    ],
)
def test_a_manifest_of_another_form_is_refused(spoil) -> None:
    said = manifest(CELLS)
    spoil(said)
    with pytest.raises(HeadgateError) as caught:
        described(said)
    assert caught.value.code in (2, 5)
    assert caught.value.cure
