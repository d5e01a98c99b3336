"""What somebody signs who keeps their key elsewhere: the exact bytes, and what they say."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from headgate.core.errors import InputRejected, Refusal, StoreUnavailable, TransitionRefused
from policies.ledger.events import LONGEST_REASON, moment
from policies.ledger.standing import Release
from policies.ledger.states import Action
from tasks.approval.handed_in import said_in, statements_folder
from tasks.approval.inspection import view_candidate
from tasks.approval.reasons import GivenReason, salted
from tasks.approval.statements import KINDS, LONGEST_UNSIGNED, SignedDecision, decision_statement
from tasks.ledger.event_log import Ledger
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.signing.signatures import bytes_to_sign, payload_of
from tasks.stores.files import read_file, replace_file


@dataclass(frozen=True)
class Issued:
    """`to_sign`: the exact bytes. `title`: of the release, for people."""

    said: SignedDecision
    reason: GivenReason
    title: str
    to_sign: bytes


def issue_statement(home: Home, ledger: Ledger, name: str, action: str, principal: str, reason: str) -> Issued:
    """For this person to do this. Whoever asks for it has looked at the candidate, which is recorded."""
    if action not in KINDS:
        raise InputRejected(f"'{action[:40]}' is not a decision that people sign.", f"Use one of these: {', '.join(KINDS)}.")
    if not 0 < len(reason.strip()) <= LONGEST_REASON:
        raise InputRejected("The reason is empty or too long.", f"Say why with --reason, in at most {LONGEST_REASON} characters.")
    viewed = view_candidate(home, ledger, name)
    _require_known(viewed.release, action, principal)
    given = salted(reason.strip())
    payload = payload_of(decision_statement(viewed.release, action, principal, given.digest, ledger.now().isoformat()))
    _keep(statements_folder(home, viewed.candidate.id), payload, given)
    return Issued(said_in(payload), given, viewed.candidate.manifest.title, bytes_to_sign(payload))


def _require_known(release: Release, action: str, principal: str) -> None:
    people = {signer.principal for signer in release.signers} | ({release.runner.principal} if action == Action.WITHDRAW else set())
    if principal not in people:
        raise TransitionRefused(
            [Refusal("principal", f"{principal[:80]} was not on the list of signers when the candidate was sealed")],
            f"Name the person who signs with --as: {', '.join(sorted(people))}.",
        )


def _keep(folder: Path, payload: bytes, reason: GivenReason) -> None:
    """Under its hash. Statements that nobody may hand in any more are removed."""
    now, name = moment(said_in(payload).at), hashlib.sha256(payload).hexdigest()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for file in folder.glob("*.json"):
            if now - moment(said_in(read_file(folder, file.name).content).at) > LONGEST_UNSIGNED:
                file.unlink(missing_ok=True)
                file.with_suffix(".reason").unlink(missing_ok=True)
        replace_file(folder / f"{name}.reason", reason.content)
        replace_file(folder / f"{name}.json", payload)
    except OSError as problem:
        raise StoreUnavailable(
            f"The statement could not be kept in {folder} ({reason_of(problem)}).", "Check the home's permissions and free space."
        ) from None
