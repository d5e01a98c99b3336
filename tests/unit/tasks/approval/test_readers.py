from __future__ import annotations

import hashlib
from typing import Any

from tasks.approval.readers import record_downloaded, record_viewed
from tasks.ledger.history import read_history


def test_who_looked_and_what_was_taken_away_are_events_that_change_nothing(world: Any) -> None:
    candidate = world.seal()
    before = read_history(world.ledger).find(candidate.id)
    record_viewed(world.ledger, before, "olga")
    record_downloaded(world.ledger, before, "olga", b"evidence")  # by a release that was read before the other event
    after = read_history(world.ledger).find(candidate.id)
    assert (after.state, after.events) == (before.state, before.events + 2)
    viewed, downloaded = world.ledger.events_of("release-1")[-2:]
    assert (viewed.viewer, downloaded.reader, downloaded.file_sha256) == ("olga", "olga", hashlib.sha256(b"evidence").hexdigest())
