from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import headgate as hg
from headgate.core.errors import IntegrityBroken
from tasks.verification.released_folder import read_released


@pytest.fixture
def copy(world: Any, tmp_path: Path) -> Path:
    return Path(shutil.copytree(world.published().folder, tmp_path / "download"))


def test_a_version_is_read_as_the_library_reads_it(copy: Path) -> None:
    found, library = read_released(copy), hg.read(copy)
    assert not found.withdrawn
    assert list(found.release) == list(library) == ["table-1", "table-2"]
    for name, table in library.items():
        pd.testing.assert_frame_equal(pd.DataFrame(found.release[name].frame), pd.DataFrame(table.frame))


@pytest.mark.parametrize("name", ["x.bin", "tables/table-3.csv", "tables/part-00000.csv"])
def test_a_file_that_nobody_listed_stops_the_reading(copy: Path, name: str) -> None:
    (copy / name).write_bytes(b"")
    with pytest.raises(IntegrityBroken, match="1 file too many"):
        read_released(copy)


def test_a_file_of_the_right_size_and_other_bytes_is_found(copy: Path) -> None:
    report = copy / "report.html"
    report.chmod(0o644)
    report.write_bytes(report.read_bytes()[::-1])
    with pytest.raises(IntegrityBroken, match=r"report.html is not the file that was sealed"):
        read_released(copy)
