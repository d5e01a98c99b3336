"""Old backups go, and those that stay lack nothing."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.backup.old_backups import drop_old
from tasks.backup.opened_backup import backup_names


def test_the_newest_stay_and_lack_nothing(kept: Any) -> None:
    for _ in range(3):
        kept.world.seal()
        last = kept.back_up()
    before = len(list((kept.target / "objects").glob("??/*")))
    assert drop_old(kept.target, 1) == 2
    assert backup_names(kept.target) == (last.name,)
    assert len(list((kept.target / "objects").glob("??/*"))) == len(last.manifest.objects) < before
    assert kept.whole(kept.restore()) == last.manifest.seq
    assert drop_old(kept.target, 1) == 0


def test_nothing_goes_where_one_that_stays_cannot_be_read(kept: Any) -> None:
    for _ in range(2):
        kept.world.seal()
        last = kept.back_up()
    file = kept.target / "backups" / f"{last.name}.json"
    file.chmod(0o600)
    file.write_text("{}")
    before = sorted(kept.target.rglob("*"))
    with pytest.raises(IntegrityBroken):
        drop_old(kept.target, 1)
    assert sorted(kept.target.rglob("*")) == before


def test_the_one_that_was_just_made_stays_whatever_the_clock_said_before(kept: Any) -> None:
    """One was made while the clock ran ahead. Without an event since then it counted as newer, and each new one went at once."""
    kept.world.seal()
    moment = kept.world.clock.moment
    kept.world.clock.moment += timedelta(days=300)
    ahead = kept.back_up()
    kept.world.clock.moment = moment
    made = kept.back_up(keep=1)
    assert (made.manifest.seq, made.dropped) == (ahead.manifest.seq, 1)
    assert backup_names(kept.target) == (made.name,)
    assert kept.whole(kept.restore()) == made.manifest.seq
