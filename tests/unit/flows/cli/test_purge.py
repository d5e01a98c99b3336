"""`headgate purge`: what is dropped, what follows, and who may."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pytest

from headgate.series.kept_version import KeptVersion
from tasks.series.side_store import is_kept, keep


@pytest.fixture
def version(world: Any) -> str:
    candidate = str(world.published().release.candidate)
    keep(world.home, "people", candidate, KeptVersion(np.array([b"a" * 16], dtype="S16"), ()))
    return candidate


def test_it_says_before_and_after_what_follows(run: Any, world: Any, key_file: Any, version: str) -> None:
    done = run("purge", version[:10], "--key", key_file("cyd"), "--reason", "the agreement ends")
    assert done.code == 0
    assert "No later version can be measured together with version 1 of people" in done.err
    assert "Purged: the home no longer keeps who was in which group of version 1 of people." in done.out
    assert "gates.series: {unmeasured: REASON}" in done.out
    assert not is_kept(world.home, "people", version)
    listed = run("releases", "--json").json["releases"]
    assert [row["purged"] is not None for row in listed] == [True]


def test_the_document_says_the_same(run: Any, key_file: Any, version: str) -> None:
    done = run("purge", version, "--key", key_file("cyd"), "--reason", "the agreement ends", "--json").json
    assert (done["candidate"], done["state"], done["version"]) == (version, "published", 1)
    assert done["purged"] == run("releases", "--json").json["releases"][0]["purged"]
    assert len(done["follows"]) == 3


def test_without_a_key_a_reason_or_anything_kept_it_is_refused(run: Any, world: Any, key_file: Any, version: str) -> None:
    assert run("purge", version, "--reason", "ends", "--json").error["code"] == 2
    assert run("purge", version, "--key", key_file("cyd"), "--json").error["code"] == 2
    assert run("purge", version, "--key", key_file("stranger"), "--reason", "ends", "--json").error["code"] == 4
    assert is_kept(world.home, "people", version)
    other = world.published().release.candidate
    refused = run("purge", other, "--key", key_file("cyd"), "--reason", "ends", "--json").error
    assert (refused["code"], "does not keep who was in which group of it" in refused["message"]) == (4, True)


def test_by_rule_says_what_would_be_dropped_and_drops_it(run: Any, world: Any) -> None:
    form = json.dumps({"attributes": {}, "keep": {"groups": "1 version"}, "gates": {"series": {"unmeasured": "agreed"}}}).encode()
    world.changes["policy_digest"] = digest = hashlib.sha256(form).hexdigest()
    world.home.policies.mkdir()
    (world.home.policies / f"{digest}.json").write_bytes(form)
    assert "Nothing to drop" in run("purge", "--by-rule").out
    first = str(world.published().release.candidate)
    keep(world.home, "people", first, KeptVersion(np.array([b"a" * 16], dtype="S16"), ()))
    world.published()
    events = world.ledger.last().seq
    assert run("purge", "--by-rule", "--dry-run").out == "people: the groups of version 1 would be dropped, after 1 version.\n"
    assert (world.ledger.last().seq, is_kept(world.home, "people", first)) == (events, True)
    done = run("purge", "--by-rule", "--json").json
    assert (done["dry_run"], [(row["version"], row["candidate"], row["rule"]) for row in done["purged"]]) == (
        False,
        [(1, first, "1 version")],
    )
    assert not is_kept(world.home, "people", first)


def test_a_release_or_the_rule_is_named_and_never_both(run: Any, version: str) -> None:
    for words in ((), (version, "--by-rule"), (version, "--dry-run"), ("--dry-run",)):
        assert run("purge", *words, "--json").error["code"] == 2
