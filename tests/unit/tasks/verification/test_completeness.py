"""A home that lacks what later versions are measured with, or keeps what it should not, is told of."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pytest

from headgate.series.kept_version import KeptVersion
from tasks.approval.decisions import reject
from tasks.ledger.history import read_history
from tasks.series.side_store import drop, keep
from tasks.verification.completeness import kept_versions, known_to_matter, lacking, left_over, unfinished_purges

KEPT = KeptVersion(np.array([b"a" * 16], dtype="S16"), ())
STRANGE = "ab" * 32


@pytest.fixture
def numbered(world: Any) -> dict[str, Any]:
    """A candidate whose people have identifiers, measured with no version before."""
    promise = world.made.manifest.promise.model_copy(update={"people_checked": True})
    return {"promise": promise, "known_versions": ()}


def said(world: Any) -> tuple[list[str], list[str]]:
    kept = kept_versions(world.home)
    releases = known_to_matter(read_history(world.ledger), world.ledger, kept)
    return list(lacking(world.home, releases)), [*unfinished_purges(kept, releases), *left_over(kept, releases)]


def test_a_published_version_is_lacking_until_it_is_kept(world: Any, numbered: Any) -> None:
    candidate = world.published(**numbered).release.candidate
    (sentence,) = said(world)[0]
    assert "version 1 of people" in sentence
    assert "Restore the folder series/" in sentence
    keep(world.home, "people", candidate, KEPT)
    assert said(world) == ([], [])


def test_what_was_never_to_be_kept_is_not_lacking(world: Any, numbered: Any) -> None:
    """Candidates from before headgate compared versions, people without an identifier, and what is not out."""
    world.published(**{**numbered, "promise": world.made.manifest.promise})
    world.published(**{**numbered, "known_versions": None})
    world.seal(**numbered)
    assert said(world) == ([], [])


ALONE = {"attributes": {"patient": {"role": "identifier"}}}


@pytest.mark.parametrize(("more", "due"), [({}, False), ({"person": "patient"}, True), ({"rows": {"per": "patient"}}, True), (ALONE, True)])
def test_a_policy_with_two_identifiers_that_does_not_say_which_is_a_person_has_nobody_to_keep(
    world: Any, numbered: Any, more: dict[str, Any], due: bool
) -> None:
    """`headgate doctor` told people to restore a file that had never been written."""
    policy = {"attributes": {"patient": {"role": "identifier"}, "insurance": {"role": "identifier"}, "age": {"role": "quasi"}}, **more}
    form = json.dumps(policy).encode()
    digest = hashlib.sha256(form).hexdigest()
    world.published(**numbered, policy_digest=digest)
    world.home.policies.mkdir(exist_ok=True)
    (world.home.policies / f"{digest}.json").write_bytes(form)
    assert bool(said(world)[0]) is due


def test_what_is_kept_of_a_rejected_candidate_or_of_one_that_nobody_knows_is_left_over(world: Any, numbered: Any) -> None:
    waiting, rejected = world.seal(**numbered), world.seal(**numbered)
    for candidate in (waiting.id, rejected.id, STRANGE):
        keep(world.home, "people", candidate, KEPT)
    assert [STRANGE[:12] in sentence for sentence in said(world)[1]] == [True]
    reject(world.home, world.ledger, rejected.id, world.keys["cyd"], "too small")
    keep(world.home, "people", rejected.id, KEPT)  # as if it had been killed before it dropped it
    assert {name for name in (rejected.id[:12], STRANGE[:12]) for sentence in said(world)[1] if name in sentence} == {
        rejected.id[:12],
        STRANGE[:12],
    }
    drop(world.home, "people", rejected.id)
    assert len(said(world)[1]) == 1


def test_drafts_and_foreign_names_are_left_alone(world: Any, numbered: Any) -> None:
    candidate = world.published(**numbered).release.candidate
    keep(world.home, "people", candidate, KEPT)
    (world.home.series / "people" / f"{STRANGE}.0011.draft").write_bytes(b"")
    (world.home.series / "note.txt").write_text("theirs")
    assert said(world) == ([], [])
    assert (world.home.series / "people" / f"{STRANGE}.0011.draft").exists()
