"""Following a release: whoever starts a flow is told of its steps; the flow itself knows nothing of terminals."""

from __future__ import annotations


class Listener:
    """Told when a step begins and ends, and how far it is; this one says nothing."""

    def began(self, step: str, table: str = "") -> None:
        return

    def ended(self, step: str, table: str, seconds: float, well: bool) -> None:
        return

    def working(self, step: str, done: int, total: int, what: str) -> None:
        """So many rows of a table are grouped, or so many choices of levels looked at."""
        return


_waiting: dict[str, Listener] = {}


def listen(release_id: str, listener: Listener) -> None:
    """From the start of that release on."""
    _waiting[release_id] = listener


def listener_of(release_id: str) -> Listener:
    """For the run that it waits for, which keeps it."""
    return _waiting.pop(release_id, None) or Listener()
