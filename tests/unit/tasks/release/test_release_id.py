"""No two releases have the same id."""

from __future__ import annotations

from tasks.release.release_id import new_release_id


def test_every_release_has_an_id_of_its_own() -> None:
    assert len({new_release_id() for _ in range(20)}) == 20
    assert len(new_release_id()) == 16
