"""A content has its name only when it is whole, and what was changed since is told from what was written."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.backup.stored_objects import ChangedMeanwhile, Objects

CONTENT = b"some bytes"
DIGEST = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return Objects(tmp_path)


def test_what_was_put_is_held_and_read(objects: Objects) -> None:
    assert not objects.holds(DIGEST, len(CONTENT))
    objects.put([CONTENT[:4], CONTENT[4:]], DIGEST)
    assert objects.holds(DIGEST, len(CONTENT))
    assert objects.content(DIGEST, len(CONTENT)) == CONTENT
    assert not objects.holds(DIGEST, len(CONTENT) + 1)


def test_bytes_that_are_not_those_that_were_hashed_leave_nothing(objects: Objects) -> None:
    with pytest.raises(ChangedMeanwhile):
        objects.put([b"other bytes"], DIGEST)
    assert [path for path in objects.folder.rglob("*") if path.is_file()] == []


def test_a_content_that_was_changed_or_is_missing_is_refused(objects: Objects) -> None:
    with pytest.raises(IntegrityBroken, match="is missing"):
        objects.check(DIGEST, 10)
    objects.put([CONTENT], DIGEST)
    place = objects.folder / DIGEST[:2] / DIGEST
    for content in (b"some byteS", CONTENT + b"more", b""):
        place.unlink()
        place.write_bytes(content)
        with pytest.raises(IntegrityBroken, match="changed or cut short"):
            objects.check(DIGEST, len(CONTENT))


def test_drafts_of_killed_runs_go_away(objects: Objects) -> None:
    (objects.folder / ".draft-a").write_bytes(b"")
    (objects.folder / ".draft-b").mkdir()
    (objects.folder / ".draft-b" / "c").write_bytes(b"")
    objects.clear_drafts()
    assert list(objects.folder.iterdir()) == []
