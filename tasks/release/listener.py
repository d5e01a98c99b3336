"""Reports a running release to its caller: its steps and its result. The flow itself knows nothing of terminals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a command that shows progress of other things need not import what a release is made of
    from headgate.core.errors import CellsRejected
    from tasks.release.account import Account


class Listener:
    """Hears when a step begins and ends, and how far it is; this one keeps the account that a release gives of itself at its end."""

    account: Account | None = None
    refused: CellsRejected | None = None  # with the cells, which nobody else is told

    def began(self, step: str, table: str = "") -> None:
        return

    def ended(self, step: str, table: str, seconds: float, well: bool) -> None:
        return

    def working(self, step: str, done: int, total: int, what: str) -> None:
        """Called while rows of a table are grouped, or choices of levels are counted: how many are done, and how many there are."""
        return

    def finished(self, account: Account) -> None:
        """Of a release that was sealed, refused or failed; not of one that found nothing new."""
        self.account = account


_listening: ContextVar[Listener | None] = ContextVar("listening", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """A release that is started inside the block tells this listener, and no other release of the process does: a flow's parameters are
    stored by Prefect, so a listener cannot be one of them."""
    before = _listening.set(listener)
    try:
        yield
    finally:
        _listening.reset(before)


def listener_here() -> Listener:
    return _listening.get() or Listener()
