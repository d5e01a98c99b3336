"""The page of what lies in the home."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken
from policies.approval.acts import OperatorRules
from policies.ledger.standing import Decision, Release
from policies.ledger.states import State
from policies.sealed.manifest import SealedRole, Signer
from policies.words.quorum import Quorum
from tasks.reporting.candidate_page.page_content import CandidatePage, page_json
from tasks.reporting.candidate_page.page_told import render_page
from tasks.reporting.candidate_page.sealed_page import page_of_candidate, page_of_refused, page_picture, standing_of

ANNA, BERT, RUNNER = (Signer(principal=name, fingerprint=f"SHA256:{name}") for name in ("anna", "bert", "steward"))
ROLE = SealedRole(role="data-protection", number=1, people=("anna",))


def waiting(*approving: Signer, **changes: Any) -> Release:
    decisions = tuple(Decision(signer, True, "2026-01-02T00:00:00+00:00", ("data-protection",)) for signer in approving)
    made = Release("r-1", "d", "ab", RUNNER, state=State.AWAITING_APPROVAL, candidate="ab" * 32, required=2)
    return replace(made, signers=(ANNA, BERT), roles=(ROLE,), decisions=decisions, **changes)


def test_a_candidate_of_an_earlier_version_has_the_page_that_its_manifest_allows(world: Any) -> None:
    candidate = world.seal()
    page = page_of_candidate(candidate)
    assert (page.title, page.verdicts, page.rows) == (candidate.manifest.title, candidate.manifest.verdicts, candidate.manifest.rows)
    assert page.passed
    assert candidate.manifest.title in render_page(page)


def test_the_sealed_page_is_read_from_its_folder(hospital: CandidatePage, tmp_path: Path) -> None:
    (tmp_path / "page.json").write_bytes(page_json(hospital))
    assert page_of_refused(tmp_path) == hospital
    (tmp_path / "page.json").write_bytes(b"{}")
    with pytest.raises(IntegrityBroken, match="not a page that this version writes"):
        page_of_refused(tmp_path)


def test_what_is_missing_follows_from_the_approvals_that_count_now() -> None:
    nobody = standing_of(waiting(), OperatorRules())
    assert (nobody.signed, dict(nobody.missing)) == (0, {"data-protection": 1, "": 1})
    held = OperatorRules(held={"anna": ("data-protection",)})
    one = standing_of(waiting(ANNA), held)
    assert (one.signed, dict(one.missing)) == (1, {"": 1})
    revoked = standing_of(waiting(ANNA), replace(held, revoked=frozenset({ANNA.fingerprint})))
    assert (revoked.signed, sum(revoked.missing.values())) == (0, 2)
    raised = standing_of(waiting(ANNA), replace(held, floor=Quorum(3)))
    assert dict(raised.missing) == {"": 2}


def test_while_votes_are_hidden_only_their_number_is_told() -> None:
    """Which role is still missing tells who has signed."""
    standing = standing_of(waiting(ANNA, blind=True), OperatorRules(held={"anna": ("data-protection",)}))
    assert (standing.signed, standing.missing) == (1, {"": 1})


def test_pictures_are_given_by_name(hospital: CandidatePage) -> None:
    page = hospital.model_copy(update={"pictures": {"plan": '<svg xmlns="http://www.w3.org/2000/svg"></svg>'}})
    assert page_picture(page, "plan").startswith(b"<svg")
    with pytest.raises(InputRejected):
        page_picture(page, "../plan")
