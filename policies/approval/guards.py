"""What must hold besides state and role, one function per guard: each gives its reason for refusing, or "" if it holds.

The runner never approves. One person counts once and fills one role. Only keys sealed with the candidate count, and none revoked since.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from policies.approval.acts import Act, Actor, OperatorRules
from policies.ledger.events import LONGEST_COMMENT, LONGEST_REASON, CandidateSealed
from policies.ledger.fold import overdue, repeated
from policies.ledger.standing import Release
from policies.ledger.states import Action, Guard
from policies.words.publication_moment import moment_in_words
from policies.words.quorum import Quorum, in_words

SHA256 = re.compile(r"[0-9a-f]{64}")
OVERTAKEN = "a version of the dataset came out since the candidate was sealed, and nobody has looked at the two together"
REPORTS = {Action.SEAL: "sealed", Action.REFUSE: "refused", Action.FAIL: "failed", Action.SKIP: "nothing_new"}


@dataclass(frozen=True)
class Situation:
    """All that a guard may look at."""

    release: Release
    act: Act
    actor: Actor
    rules: OperatorRules
    now: datetime.datetime

    @property
    def quorum(self) -> Quorum:
        """The stricter of policy and operator."""
        return self.release.quorum.raised_to(self.rules.floor)

    def missing(self) -> Counter[str]:
        """What is still needed, by approvals that count now."""
        return self.quorum.missing(self.release.agreeing(self.rules.revoked, self.rules.held))


def _is_the_runner(at: Situation) -> str:
    return "" if at.actor.signer == at.release.runner else "only the person who started the run can end it"


def _reported(at: Situation) -> str:
    event = at.act.event
    if event is None or event.event != REPORTS.get(at.act.action) or event.release_id != at.release.release_id:
        return "the run's report is missing or belongs to another run"
    if isinstance(event, CandidateSealed):
        sealed = Quorum(event.required, {sealed.role: sealed.number for sealed in event.roles})
        if sealed != sealed.raised_to(at.rules.floor):
            return "the candidate asks for fewer approvals or roles than the operator requires"
    lacking = sorted(event.after - at.release.seen)
    return f"'{lacking[0]}' has not been recorded yet" if lacking else ""


def _passed_and_tracked(at: Situation) -> str:
    if not at.release.gates_passed:
        return "not every gate has passed"
    return "" if at.release.mlflow_run_id else "the run is not recorded in MLflow"


def _bound(at: Situation) -> str:
    if at.act.candidate != at.release.candidate or not at.release.candidate:
        return "the decision was made for another candidate"
    return "" if at.act.policy_digest == at.release.policy_digest else "the decision was made for another policy"


def _sealed_key(at: Situation) -> str:
    return "" if at.release.is_sealed(at.actor.signer) else "the key was not on the list of signers when the candidate was sealed"


def _sealed_or_runner_key(at: Situation) -> str:
    return "" if at.actor.signer == at.release.runner else _sealed_key(at)


def _key_not_revoked(at: Situation) -> str:
    return "the key is revoked" if at.actor.fingerprint in at.rules.revoked else ""


def _not_the_runner(at: Situation) -> str:
    return "the person who ran a release cannot decide on it" if at.release.is_runner(at.actor.signer) else ""


def _not_decided_yet(at: Situation) -> str:
    approves = at.act.action is Action.APPROVE
    return (
        "this person or this key has already made this decision"
        if repeated(at.release, at.actor.principal, at.actor.fingerprint, approves)
        else ""
    )


def _moment_has_come(at: Situation) -> str:
    due = at.release.due_by(at.quorum, at.rules.revoked, at.rules.held)
    return "" if due is None or at.now >= due else f"it is not published before {moment_in_words(due)}"


def _within_deadline(at: Situation) -> str:
    return "the deadline has passed" if overdue(at.release, at.now) else ""


def _deadline_passed(at: Situation) -> str:
    return "" if overdue(at.release, at.now) else "the deadline has not passed"


def enough_approvals(at: Situation) -> str:
    missing = at.missing()
    if not missing:
        return ""
    quorum = at.quorum
    said = f"{at.release.standing(at.rules.revoked)} of {quorum.approvals} required approvals are valid"
    roles = Counter({role: number for role, number in missing.items() if role})
    if at.release.hides_votes:
        few = at.release.standing(at.rules.revoked) < quorum.approvals
        return said if few else f"{said}, but a required role is still open"  # which one would tell who has signed
    new = sorted(set(roles) - set(at.release.quorum.roles))
    if new:
        return f"{said}; the operator requires the role {new[0]} since the candidate was sealed, so the release must be run again"
    return f"{said}; still needed: {in_words(roles)}" if roles else said


def _reason(at: Situation) -> str:
    return "" if 0 < len(at.act.reason.strip()) <= LONGEST_REASON else f"a reason of at most {LONGEST_REASON} characters is needed"


def _signed(at: Situation) -> str:
    return "" if SHA256.fullmatch(at.act.statement_sha256) and SHA256.fullmatch(at.act.reason_sha256) else "the signature is missing"


def _series(at: Situation) -> str:
    """Two candidates may wait at once, each measured without the other."""
    return OVERTAKEN if at.release.overtaken_by(at.act.out) else ""


def _target(at: Situation) -> str:
    return "" if at.act.target and at.act.version >= 1 else "the target folder or the version is missing"


def _attested(at: Situation) -> str:
    if at.act.version != at.release.version:
        return "the publication of another version was started"
    return "" if SHA256.fullmatch(at.act.attestation_sha256) else "the attestation is missing"


def _came_out(at: Situation) -> str:
    return "" if at.release.came_out else "it was never published; what the home keeps of it is dropped when it ends"


def _kept(at: Situation) -> str:
    if at.release.purged:
        return f"it was purged on {at.release.purged[:10]}"
    return "" if at.act.kept else "the home does not keep who was in which group of it"


def _by_rule(at: Situation) -> str:
    return "" if at.act.rule else "its policy has no rule by which it would be purged now"


def _newer_release(at: Situation) -> str:
    return "" if at.act.superseded_by and at.act.superseded_by != at.release.release_id else "the newer release is not named"


def _takes_part(at: Situation) -> str:
    return "" if at.release.has_part(at.actor.principal) else "comments are for those who may sign the candidate, and for who ran it"


def _commented(at: Situation) -> str:
    given = 0 < len(at.act.comment.strip()) <= LONGEST_COMMENT and SHA256.fullmatch(at.act.comment_sha256)
    return "" if given else f"a comment of at most {LONGEST_COMMENT} characters is needed"


def _downloaded(at: Situation) -> str:
    return "" if SHA256.fullmatch(at.act.file_sha256) else "the file is not named by its digest"


GUARDS: Mapping[Guard, Callable[[Situation], str]] = {
    Guard.IS_THE_RUNNER: _is_the_runner,
    Guard.REPORTED: _reported,
    Guard.PASSED_AND_TRACKED: _passed_and_tracked,
    Guard.BOUND: _bound,
    Guard.SEALED_KEY: _sealed_key,
    Guard.SEALED_OR_RUNNER_KEY: _sealed_or_runner_key,
    Guard.KEY_NOT_REVOKED: _key_not_revoked,
    Guard.NOT_THE_RUNNER: _not_the_runner,
    Guard.NOT_DECIDED_YET: _not_decided_yet,
    Guard.MOMENT: _moment_has_come,
    Guard.WITHIN_DEADLINE: _within_deadline,
    Guard.DEADLINE_PASSED: _deadline_passed,
    Guard.ENOUGH_APPROVALS: enough_approvals,
    Guard.REASON: _reason,
    Guard.SIGNED: _signed,
    Guard.SERIES: _series,
    Guard.TARGET: _target,
    Guard.ATTESTED: _attested,
    Guard.CAME_OUT: _came_out,
    Guard.KEPT: _kept,
    Guard.BY_RULE: _by_rule,
    Guard.NEWER_RELEASE: _newer_release,
    Guard.TAKES_PART: _takes_part,
    Guard.COMMENTED: _commented,
    Guard.DOWNLOADED: _downloaded,
}
