"""What somebody signs who keeps their key elsewhere: the exact bytes, and what they say."""

from __future__ import annotations

import hashlib
import re
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
from tasks.approval.reasons import GivenReason, reason_from, salted
from tasks.approval.statements import KINDS, LONGEST_UNSIGNED, OPERATIONS, SignedDecision, decision_statement
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import read_history
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.signing.signatures import bytes_to_sign, payload_of
from tasks.stores.files import read_file, replace_file


@dataclass(frozen=True)
class Issued:
    """`payload`: the statement as JSON. `title`: of the release, for people."""

    said: SignedDecision
    reason: GivenReason
    title: str
    payload: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.payload).hexdigest()

    @property
    def to_sign(self) -> bytes:
        """The exact bytes."""
        return bytes_to_sign(self.payload)


def issue_statement(
    home: Home, ledger: Ledger, name: str, action: str, principal: str, reason: str, viewer: str = "", unrecorded: str = ""
) -> Issued:
    """For this person to do this. Whoever asks for a decision on a candidate has looked at it, which is recorded, unless it is said why it
    is `unrecorded`; `viewer`: who that was, where it is not the account of the machine."""
    if action not in KINDS | OPERATIONS:
        raise InputRejected(f"'{action[:40]}' is not a decision that people sign.", f"Use one of these: {', '.join(KINDS | OPERATIONS)}.")
    if not 0 < len(reason.strip()) <= LONGEST_REASON:
        raise InputRejected("The reason is empty or too long.", f"Say why with --reason, in at most {LONGEST_REASON} characters.")
    if action in OPERATIONS:
        release, title = read_history(ledger).find(name), ""
        _require_operator(home, principal, ledger.now())
    else:
        viewed = view_candidate(home, ledger, name, unrecorded, viewer)
        release, title = viewed.release, viewed.candidate.manifest.title
        _require_known(release, action, principal)
    given = salted(reason.strip())
    payload = payload_of(decision_statement(release, action, principal, given.digest, ledger.now().isoformat()))
    _keep(statements_folder(home, release.decided), payload, given)
    return Issued(said_in(payload), given, title, payload)


def issued_before(home: Home, decided: str, digest: str) -> Issued:
    """What was issued for this candidate, or this run, under the digest of its statement; InputRejected if that is not kept any more."""
    folder, gone = statements_folder(home, decided), InputRejected("This statement is not kept any more.", "Ask for the decision again.")
    if not re.fullmatch("[0-9a-f]{64}", digest) or not (folder / f"{digest}.json").is_file():
        raise gone
    payload = read_file(folder, f"{digest}.json").content
    if hashlib.sha256(payload).hexdigest() != digest:
        raise gone
    return Issued(said_in(payload), reason_from(read_file(folder, f"{digest}.reason").content), "", payload)


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
