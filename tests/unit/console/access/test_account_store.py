from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from console.access.account_store import ACCOUNTS_FILE, AccountStore
from headgate.core.errors import StoreUnavailable


def test_the_file_is_readable_by_its_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        (tmp_path / ACCOUNTS_FILE).touch(0o666)
        store = AccountStore.open(tmp_path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600


def test_a_link_in_its_place_and_a_file_of_another_kind_are_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").touch()
    (tmp_path / ACCOUNTS_FILE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreUnavailable):
        AccountStore.open(tmp_path)
    (tmp_path / ACCOUNTS_FILE).unlink()
    (tmp_path / ACCOUNTS_FILE).write_text("not a database, and long enough to be taken for none" * 100)
    with pytest.raises(StoreUnavailable):
        AccountStore.open(tmp_path)
