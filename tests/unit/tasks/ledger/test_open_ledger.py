from __future__ import annotations

from pathlib import Path

import pytest

import tasks.ledger
from headgate.core.errors import StoreUnavailable
from tasks.ledger.open_ledger import ledger_store, open_ledger
from tasks.ledger.store_sqlite import SqliteStore
from tasks.runtime.home import Home
from tests.unit.tasks.ledger.conftest import started


def test_without_a_url_the_ledger_is_a_file_in_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADGATE_DATABASE_URL", raising=False)
    home = Home.open(tmp_path / "home")
    assert open_ledger(home).store == SqliteStore(home.root / "ledger.db")
    assert (home.root / "ledger.db").is_file()


def test_a_url_names_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "else where?" / "events.db"
    monkeypatch.setenv("HEADGATE_DATABASE_URL", f"sqlite:///{elsewhere}")
    home = Home.open(tmp_path / "home")
    open_ledger(home).append("r1", [started()], 0, "rue")
    assert elsewhere.is_file()
    assert not home.ledger.exists()


@pytest.mark.parametrize(
    "url",
    ["mysql://SECRET", "SECRET", "sqlite:ledger.db", "sqlite:///SECRET.db", "://", "../x://"],
)
def test_a_database_that_cannot_keep_it_is_refused_with_a_cure_and_without_its_password(url: str) -> None:
    with pytest.raises(StoreUnavailable, match="HEADGATE_DATABASE_URL") as refusal:
        ledger_store(url)
    assert refusal.value.code == 6
    assert "sqlite:////absolute/path" in refusal.value.cure
    assert "SECRET" not in f"{refusal.value.message} {refusal.value.cure}"


def test_a_new_store_is_one_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store in memory, as if its file lay in the room, is found by the scheme of the URL."""
    (tmp_path / "store_toyledger.py").write_text(
        "from tests.unit.tasks.ledger.memory_store import MemoryStore\n\ndef open_store(url):\n    return MemoryStore()\n"
    )
    monkeypatch.setattr(tasks.ledger, "__path__", [*tasks.ledger.__path__, str(tmp_path)])
    monkeypatch.setenv("HEADGATE_DATABASE_URL", "toyledger://anywhere")
    home = Home.open(tmp_path / "home")
    ledger = open_ledger(home)
    ledger.append("r1", [started()], 0, "rue")
    assert ledger.verify_chain()[0].release == "r1"
    assert not home.ledger.exists()
