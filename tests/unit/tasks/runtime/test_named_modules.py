from __future__ import annotations

from pathlib import Path

import pytest

import tasks.ledger
from tasks.runtime.named_modules import module_named


def test_a_kind_is_the_file_of_its_name() -> None:
    module = module_named("tasks.ledger", "store_", "sqlite")
    assert module is not None
    assert module.__name__ == "tasks.ledger.store_sqlite"


@pytest.mark.parametrize("kind", ["mysql", "", "SQLITE", "sqlite.x", "../sqlite", "sqlite_", "2", "os", "sqlite\n"])
def test_what_has_no_file_in_the_room_is_none(kind: str) -> None:
    assert module_named("tasks.ledger", "store_", kind) is None


def test_a_file_that_breaks_when_it_is_imported_is_not_taken_for_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "store_brokenkind.py").write_text("import a_package_that_is_not_installed")
    monkeypatch.setattr(tasks.ledger, "__path__", [*tasks.ledger.__path__, str(tmp_path)])
    with pytest.raises(ModuleNotFoundError, match="a_package_that_is_not_installed"):
        module_named("tasks.ledger", "store_", "brokenkind")
