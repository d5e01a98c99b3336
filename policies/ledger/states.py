"""The words of a release's life: its states, what may be done to it, by whom, and what must hold. Events and pages store and show them;
transitions.py puts them together."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    RUNNING = "running"  # no candidate yet
    NOTHING_NEW = "nothing_new"  # the run ended: a candidate of the same source and policy exists
    FAILED = "failed"  # the run ended by an error
    REFUSED = "refused"
    AWAITING_APPROVAL = "awaiting_approval"
    CHANGES_REQUESTED = "changes_requested"  # the end of a candidate; the dataset's next one answers it
    APPROVED = "approved"
    PUBLISHING = "publishing"
    PUBLISHED = "published"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    STALLED = "stalled"


class Action(StrEnum):
    SEAL = "seal"
    REFUSE = "refuse"
    FAIL = "fail"
    SKIP = "skip"
    APPROVE = "approve"
    REQUEST_CHANGES = "request-changes"
    REJECT = "reject"
    PUBLISH = "publish"
    COMPLETE = "complete"
    SETTLE = "settle"
    STALL = "stall"
    RESUME = "resume"
    ABANDON = "abandon"
    TAKE_OVER = "take over"
    SUPERSEDE = "supersede"
    EXPIRE = "expire"
    WITHDRAW = "withdraw"
    PURGE = "purge"
    PURGE_BY_RULE = "purge by rule"
    VIEW = "view"
    DOWNLOAD = "download"
    COMMENT = "comment"


class ActorRole(StrEnum):
    RUNNER = "runner"  # who started the run, and the run itself
    APPROVER = "approver"  # holds a sealed key; never the runner
    PUBLISHER = "publisher"  # the publish flow
    OPERATOR = "operator"  # whom operator.yaml names; for what follows from time or a dead process, headgate itself
    CUSTODIAN = "custodian"  # holds a sealed key, or is the runner
    READER = "reader"


class Guard(StrEnum):
    """What must hold besides state and role. Each is one function of policies.approval.guards."""

    IS_THE_RUNNER = "is the runner of this release"
    REPORTED = "what the run reports fits the action"
    PASSED_AND_TRACKED = "every gate passed, and the run is tracked"
    BOUND = "names this candidate and this policy digest"
    SEALED_KEY = "the key was among the signers when the candidate was sealed"
    SEALED_OR_RUNNER_KEY = "the key was among the signers when the candidate was sealed, or is the runner's"
    KEY_NOT_REVOKED = "the key is not revoked"
    NOT_THE_RUNNER = "is not the runner, by name or by key"
    NOT_DECIDED_YET = "has not made the same decision, by name or by key"
    MOMENT = "the moment of publication has come, where the policy names one"
    WITHIN_DEADLINE = "there is no deadline, or it has not passed"
    DEADLINE_PASSED = "the deadline has passed"
    ENOUGH_APPROVALS = "enough approvals stand"
    REASON = "a reason is given"
    SIGNED = "the decision is signed"
    TARGET = "a target folder and a version are named"
    ATTESTED = "the version is the one that was started, and its attestation is named"
    SERIES = "was measured together with every version of its dataset that is out"
    CAME_OUT = "was published"
    KEPT = "the home keeps who was in which group of it"
    BY_RULE = "its policy says that it is kept no longer"
    NEWER_RELEASE = "a newer release is named"
    TAKES_PART = "is among the signers of the candidate, or ran it"
    COMMENTED = "a comment is given"
    DOWNLOADED = "the file that is taken away is named"


class ApprovalCount(StrEnum):
    """Which of two targets an approval leads to."""

    ANY = ""
    MORE_NEEDED = "more needed"
    ENOUGH = "enough"


RUN_STATES = (State.RUNNING, State.NOTHING_NEW, State.FAILED, State.REFUSED)
CANDIDATE_STATES = tuple(state for state in State if state not in RUN_STATES)
