"""What a release can be refused for before anything is read: people learn it at once, and not when a server has been started for it. The
run itself looks again."""

from __future__ import annotations

from pathlib import Path

from policies.schema.policy import require_ready
from tasks.ledger.history import read_history
from tasks.ledger.open_ledger import open_ledger
from tasks.publication.taken_target import require_free_target
from tasks.reading.references import LoadedPolicy
from tasks.reading.source import file_missing
from tasks.release.run import runner_of
from tasks.runtime.home import Home


def require_possible(home: Home, loaded: LoadedPolicy, source: Path | None, key: Path | None) -> None:
    """That whoever runs it may, that enough others may approve it, that its target is free, and that its source is there."""
    require_ready(loaded.policy)
    ledger = open_ledger(home)
    runner_of(home, ledger, loaded, key)
    require_free_target(read_history(ledger), loaded.policy.publish.to, loaded.policy.dataset)
    declared = getattr(loaded.policy.source, "path", None)  # a query has none
    path = source if source is not None else None if declared is None else loaded.folder / declared
    if path is not None and not path.exists():
        raise file_missing(path, "The source")
