"""`hg.read`: the files of a folder that its manifest lists, and nothing that a stranger could put in their place."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import headgate as hg
from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken
from tasks.verification.released_folder import read_released
from tasks.verification.verify import examine_folder
from tests.unit.headgate.released.tiny_releases import frame, manifest

CELLS = frame(age=["[1..2]", "*", None], town=["t1", "north", "*"], income=[1.5, 2.0, 40.0], job=['a "b", c', "né\ne", "x|y"])
PARTS = {"tables/table-1/part-00000.csv": slice(0, 2), "tables/table-1/part-00001.csv": slice(2, 3)}


def write(folder: Path, form: str, **changes: Any) -> Path:
    (folder / "tables" / "table-1").mkdir(parents=True)
    for path, rows in PARTS.items() if form == "parts" else [(f"tables/table-1.{form}", slice(None))]:
        if form == "parquet":
            CELLS.astype({"income": float, "group": int}).to_parquet(folder / path, index=False)
        else:
            CELLS[rows].to_csv(folder / path, index=False)
    return seal(folder, **({"parts": (2, 1)} if form == "parts" else {}), **changes)


def seal(folder: Path, **changes: Any) -> Path:
    files = [path for path in sorted((folder / "tables").rglob("*")) if path.is_file()] + list(folder.glob("datapackage.json"))
    entries = [
        {
            "path": str(path.relative_to(folder)),
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "bytes": path.stat().st_size,
        }
        for path in files
    ]
    (folder / "manifest.json").write_text(json.dumps(manifest({"table-1": CELLS}, suppressed=2, files=entries, **changes)))
    return folder


@pytest.mark.parametrize("form", ["csv", "parquet", "parts"])
def test_a_folder_is_read_in_every_form_that_is_published(tmp_path: Path, form: str) -> None:
    release = hg.read(write(tmp_path, form))
    assert (release.dataset, release.suppressed, list(release)) == ("tiny", 2, ["table-1"])
    shown = release["table-1"].frame
    assert shown["age low"].tolist() == [1, 0, pd.NA]
    assert shown["town level"].tolist() == [0, 1, 2]
    assert shown["income"].tolist() == [1.5, 2, 40]
    assert shown["job"].tolist() == ['a "b", c', "né\ne", "x|y"]
    assert release.estimate("count", where="age == 1 and town == north").highest == 2


def test_the_readers_own_way_may_go_through_a_link(tmp_path: Path) -> None:
    write(tmp_path / "1", "csv")
    (tmp_path / "latest").symlink_to("1")
    assert len(hg.read(tmp_path / "latest")["table-1"].frame) == 3


def spoilt(folder: Path, act: str) -> None:
    table = folder / "tables" / "table-1.csv"
    outside = folder.parent / "outside"
    if act == "link":
        table.rename(outside)
        table.symlink_to(outside)
    elif act == "linked folder":
        (folder / "tables").rename(outside)
        (folder / "tables").symlink_to(outside)
    elif act == "pipe":
        table.unlink()
        os.mkfifo(table)
    elif act == "folder":
        table.unlink()
        table.mkdir()
    elif act == "missing":
        table.unlink()
    elif act == "changed":
        table.write_bytes(table.read_bytes().replace(b"40.0", b"41.0"))
    elif act == "longer":
        table.write_bytes(table.read_bytes() + b"\n")
    elif act == "linked manifest":
        (folder / "manifest.json").rename(outside)
        (folder / "manifest.json").symlink_to(outside)
    elif act == "manifest":
        (folder / "manifest.json").write_text("[1]")
    elif act == "deep":
        (folder / "manifest.json").write_text("[" * 100_000)


@pytest.mark.parametrize(
    "act", ["link", "linked folder", "pipe", "folder", "missing", "changed", "longer", "linked manifest", "manifest", "deep"]
)
def test_what_is_not_as_it_was_sealed_is_not_read(tmp_path: Path, act: str) -> None:
    folder = write(tmp_path / "1", "csv")
    spoilt(folder, act)
    with pytest.raises(IntegrityBroken) as caught:
        hg.read(folder)
    assert caught.value.cure


def test_a_folder_without_a_manifest_is_not_a_version(tmp_path: Path) -> None:
    with pytest.raises(InputRejected, match="is not a published version"):
        hg.read(tmp_path)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputRejected, match="is not a folder"):
        hg.read(tmp_path / "file")
    with pytest.raises(InputRejected, match="nothing does not exist"):
        hg.read(tmp_path / "nothing")


def test_after_all_versions_were_withdrawn_latest_is_not_what_helps(tmp_path: Path) -> None:
    """`…/latest` was refused with the cure to name `…/latest`."""
    (tmp_path / "latest").symlink_to(tmp_path / "1")
    for ask in (hg.read, read_released, examine_folder):
        with pytest.raises(InputRejected, match="latest names no version: none was published, or all were withdrawn") as refused:
            ask(tmp_path / "latest")
        assert "latest" not in refused.value.cure


@pytest.mark.parametrize("content", [b'age,age\n1,"', b"\xff\xfe\x00", b"PAR1nothing"])
def test_a_file_that_no_reader_takes_is_refused_without_its_cells(tmp_path: Path, content: bytes) -> None:
    folder = write(tmp_path, "parquet" if content.startswith(b"PAR1") else "csv")
    (path,) = (folder / "tables").glob("table-1.*")
    path.write_bytes(content)
    with pytest.raises(HeadgateError) as caught:
        hg.read(seal(folder))
    assert "nothing" not in str(caught.value)


def test_a_withdrawn_version_is_read_with_a_warning(tmp_path: Path) -> None:
    (write(tmp_path, "csv") / "withdrawn.json").write_text("{}")
    with pytest.warns(UserWarning, match="was withdrawn: do not use it"):
        hg.read(tmp_path)


@pytest.mark.slow
def test_reading_needs_nothing_of_the_other_packages(tmp_path: Path) -> None:
    folder = write(tmp_path, "csv")
    code = (
        f"import headgate as hg, sys; hg.read({str(folder)!r})['table-1'].frame; "
        "print([name for name in ('policies', 'tasks', 'flows', 'prefect', 'sqlalchemy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
