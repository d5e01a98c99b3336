from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken
from policies.sealed.manifest import Manifest
from tasks.stores import files
from tasks.stores.files import read_folder
from tasks.stores.seal import MANIFEST, read_manifest
from tasks.verification.read_version import read_version
from tasks.verification.verify import examine_folder


@pytest.fixture
def copy(world, tmp_path: Path) -> Path:
    return Path(shutil.copytree(world.published().folder, tmp_path / "download"))


@pytest.fixture
def manifest(copy: Path) -> Manifest:
    return read_manifest((copy / MANIFEST).read_bytes())


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files that were opened to be read."""
    names: list[str] = []
    truly = os.open

    def noting(path, *rest, **options) -> int:
        names.append(Path(path).name)
        return truly(path, *rest, **options)

    monkeypatch.setattr(files.os, "open", noting)
    return names


def sparse(path: Path, size: int) -> None:
    path.unlink(missing_ok=True)
    with path.open("wb") as file:
        file.truncate(size)


def test_all_files_of_a_version_are_read(copy: Path, manifest: Manifest) -> None:
    assert read_version(copy, manifest) == read_folder(copy)


def test_a_file_that_nobody_listed_is_refused_before_any_is_read(copy: Path, manifest: Manifest, opened: list[str]) -> None:
    """Sparse files, which cost their maker nothing, filled the memory of whoever verified the folder."""
    for name in ("x.bin", "tables/table-3.csv", "approvals/eve.dsse.json", "approvals/notes.txt"):
        sparse(copy / name, 2**40)
        with pytest.raises(IntegrityBroken, match="1 file too many, such as"):
            read_version(copy, manifest)
        (copy / name).unlink()
    assert opened == []


def test_a_sealed_file_of_another_size_is_refused_before_any_is_read(copy: Path, manifest: Manifest, opened: list[str]) -> None:
    sparse(copy / "tables/table-1.csv", 2**40)
    with pytest.raises(IntegrityBroken, match=r"such as tables/table-1\.csv: the size differs"):
        read_version(copy, manifest)
    assert opened == []
    assert [finding.check for finding in examine_folder(copy).findings] == ["manifest", "files"]
    assert sorted({*opened}) == ["manifest.dsse.json", "manifest.json"]


def test_all_files_together_have_a_bound(copy: Path, manifest: Manifest, opened: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each could be as large as is read at most, and their number had no bound."""
    whole = sum(path.stat().st_size for path in copy.rglob("*") if path.is_file())
    monkeypatch.setenv("HEADGATE_MAX_BYTES", str(whole))
    read_version(copy, manifest)
    opened.clear()
    sparse(copy / "withdrawn.json", 1)
    with pytest.raises(InputRejected, match=f"more than {whole:,} bytes"):
        read_version(copy, manifest)
    assert opened == []
