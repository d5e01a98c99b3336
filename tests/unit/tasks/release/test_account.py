"""The account of a release may be shown to anybody: figures, verdicts and ids."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from policies.ledger.states import State
from tasks.release.closing.assemble import account_of
from tests.unit.tasks.release.finished import Made


def test_no_cell_of_the_source_is_in_an_account(finished: Made, clinic: Any, canary: str) -> None:
    account = repr(account_of(finished.run, finished.so_far(), State.AWAITING_APPROVAL, None, "c" * 64))
    assert canary not in account
    cells = {row[name] for row in clinic.rows for name in ("income", "admitted", "region") if row[name]}
    assert len(cells) > 20
    assert not [cell for cell in cells if f"'{cell}'" in account]


def test_an_account_cannot_be_changed(finished: Made) -> None:
    account = account_of(finished.run, finished.so_far(), State.REFUSED, None)
    for name in ("state", "verdicts", "rows"):
        with pytest.raises(FrozenInstanceError):
            setattr(account, name, None)
