from __future__ import annotations

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken
from policies.ledger.states import State
from policies.sealed.manifest import SealedRole
from tasks.ledger.history import check_same, latest_version, read_history


def test_releases_come_in_the_order_in_which_they_began_each_with_its_own_events(world) -> None:
    first, second = world.seal(), world.seal()
    world.approve(first, "ann", "bob")
    history = read_history(world.ledger)
    assert [(release.release_id, release.state) for release in history.releases()] == [
        ("release-1", State.APPROVED),
        ("release-2", State.AWAITING_APPROVAL),
    ]
    assert [entry.release for entry in history.of("release-2")] == ["release-2"] * 8
    assert history.of("nobody") == ()
    assert history.sealed(second.id).release_id == "release-2"
    assert history.sealed("f" * 64) is None


def test_a_release_is_found_by_its_id_or_by_eight_digits_of_its_candidate(world) -> None:
    candidate = world.seal()
    history = read_history(world.ledger)
    for name in ("release-1", candidate.id, candidate.id[:8].upper(), f" {candidate.id[:9]}"):
        assert history.find(name).candidate == candidate.id
    for name in ("release-2", candidate.id[:7], "", "zzzzzzzz"):
        with pytest.raises(InputRejected, match="knows no release"):
            history.find(name)


def test_only_the_releases_at_a_target_have_versions_there(world) -> None:
    world.published()
    world.published()
    world.seal()
    history = read_history(world.ledger)
    assert [release.version for release in history.at_target("people")] == [1, 2]
    assert latest_version(history.at_target("people")) == 2
    assert history.at_target("elsewhere") == ()
    assert latest_version(()) is None


@pytest.mark.parametrize(
    "change",
    [
        {"release_id": "release-9"},
        {"dataset": "others"},
        {"policy_digest": "9" * 64},
        {"approvals_required": 1},
        {"roles_required": (SealedRole(role="law", number=1, people=("ann",)),)},
        {"signers": ()},
        {"signers_digest": "9" * 64},
        {"source_hmac": "9" * 64},
        {"verdicts": ()},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_manifest_that_says_something_else_of_its_run_is_refused(world, change: dict[str, object]) -> None:
    candidate = world.seal()
    release = read_history(world.ledger).find(candidate.id)
    check_same(release, candidate.manifest)
    with pytest.raises(IntegrityBroken):
        check_same(release, candidate.manifest.model_copy(update=change))
