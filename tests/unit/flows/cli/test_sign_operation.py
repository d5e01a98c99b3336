"""A publication whose process is gone is abandoned, resumed and published, by commands alone."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from headgate.core.errors import StoreUnavailable
from tasks.publication import publish_version


def test_a_publication_is_abandoned_and_resumed(run: Any, world: Any, key_file: Any, monkeypatch: Any) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")

    def gone(*_arguments: object) -> None:
        raise StoreUnavailable("The store is gone.", "Wait.")

    with monkeypatch.context() as broken:
        broken.setattr(publish_version, "_put_in_place", gone)
        with suppress(StoreUnavailable):
            world.publish(candidate)
    key = ("--key", key_file("cyd"))
    abandoned = run("abandon", candidate.id[:10], *key, "--reason", "the store is gone", "--json")
    assert abandoned.json == {"release": "release-1", "candidate": candidate.id, "state": "stalled"}
    resumed = run("resume", "release-1", *key, "--reason", "it is back")
    assert (resumed.code, resumed.err) == (0, "")
    assert resumed.out.splitlines() == [f"{candidate.id[:12]}: publishing.", f"  headgate publish {candidate.id[:12]}"]
    assert world.publish(candidate).version == 1
