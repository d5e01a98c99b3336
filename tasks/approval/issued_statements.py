"""What somebody signs who keeps their key elsewhere: the exact bytes, and what they say."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from headgate.core.errors import InputRejected, Refusal, StoreUnavailable, TransitionRefused
from policies.ledger.events import LONGEST_REASON, moment
from policies.ledger.standing import Release
from policies.ledger.states import Action
from tasks.approval.approvals import operator_roots
from tasks.approval.handed_in import said_in, statements_folder
from tasks.approval.inspection import view_candidate
from tasks.approval.operator_demands import operator_demands
from tasks.approval.reasons import GivenReason, salted
from tasks.approval.statements import KINDS, LONGEST_UNSIGNED, OPERATIONS, SignedDecision, decision_statement
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import read_history
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
    """For this person to do this. Whoever asks for a decision on a candidate has looked at it, which is recorded."""
    if action not in KINDS | OPERATIONS:
        raise InputRejected(f"'{action[:40]}' is not a decision that people sign.", f"Use one of these: {', '.join(KINDS | OPERATIONS)}.")
    if not 0 < len(reason.strip()) <= LONGEST_REASON:
        raise InputRejected("The reason is empty or too long.", f"Say why with --reason, in at most {LONGEST_REASON} characters.")
    if action in OPERATIONS:
        release, title = read_history(ledger).find(name), ""
        _require_operator(home, principal, ledger.now())
    else:
        viewed = view_candidate(home, ledger, name)
        release, title = viewed.release, viewed.candidate.manifest.title
        _require_known(release, action, principal)
    given = salted(reason.strip())
    payload = payload_of(decision_statement(release, action, principal, given.digest, ledger.now().isoformat()))
    _keep(statements_folder(home, release.decided), payload, given)
    return Issued(said_in(payload), given, title, bytes_to_sign(payload))


def _require_known(release: Release, action: str, principal: str) -> None:
    """Who ran a release may withdraw it, and decide nothing else."""
    withdraws = action == Action.WITHDRAW
    people = {signer.principal for signer in release.signers if withdraws or not release.is_runner(signer)}
    people |= {release.runner.principal} if withdraws else set()
    if principal not in people:
        ran, listed = "ran the release and cannot decide on it", "was not on the list of signers when the candidate was sealed"
        raise TransitionRefused(
            [Refusal("principal", f"{principal[:80]} {ran if principal == release.runner.principal else listed}")],
            f"Name the person who signs with --as: {', '.join(sorted(people))}.",
        )


def _require_operator(home: Home, principal: str, now: datetime) -> None:
    operators = operator_demands(home).operators
    people = [person for person in operator_roots(home).people(now) if operators is None or person in operators]
    if principal not in people:
        raise TransitionRefused(
            [Refusal("operator", f"{principal[:80]} is not among those who may resume, abandon and purge releases")],
            f"Name the person who signs with --as: {', '.join(people)}.",
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
