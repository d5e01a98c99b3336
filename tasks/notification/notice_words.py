"""A notice in words: a line that says what happened, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass

from headgate.core.units import counted
from policies.words.notice_kind import NoticeKind
from tasks.notification.notice import Notice

TITLES = {
    NoticeKind.CANDIDATE_WAITS: "a candidate waits for approval",
    NoticeKind.CHANGES_REQUESTED: "changes were requested",
    NoticeKind.DEADLINE_NEAR: "the deadline for approval is near",
    NoticeKind.EXPIRED: "a candidate expired",
    NoticeKind.REJECTED: "a candidate was rejected",
    NoticeKind.REFUSED: "a release was refused",
    NoticeKind.FAILED: "a release failed",
    NoticeKind.PUBLISHED: "a version was published",
    NoticeKind.WITHDRAWN: "a release was withdrawn",
    NoticeKind.INTEGRITY_BROKEN: "the integrity of the ledger or of a published version is broken",
}
PAGES = ("candidates", "runs")


@dataclass(frozen=True)
class Message:
    title: str
    text: str


def message_of(notice: Notice, console: str | None = None) -> Message:
    subject = f"{notice.dataset}: " if notice.dataset else ""
    happened = TITLES[notice.kind]
    lines = [f"{happened[0].upper()}{happened[1:]}.", *_facts(notice), "", f"Next: {_next(notice)}"]
    page = f"{PAGES[0]}/{notice.candidate}" if notice.candidate else f"{PAGES[1]}/{notice.release}" if notice.release else ""
    if console:
        lines.append(f"Console: {console}/{page}")
    lines.append(f"Notice: {notice.id}")
    return Message(f"[headgate] {subject}{happened}", "\n".join(lines) + "\n")


def _facts(notice: Notice) -> list[str]:
    facts = {
        "Dataset": notice.dataset,
        "Release": notice.release,
        "Candidate": notice.candidate[:12],
        "Version": str(notice.version or ""),
        "State": notice.state.replace("_", " "),
        "When": "" if notice.kind is NoticeKind.DEADLINE_NEAR else notice.at,
        "Deadline": notice.deadline,
        "Signatures needed": str(notice.needed or ""),
        "Gates not met": ", ".join(notice.gates),
        "Stopped in step": notice.step,
        "Error": notice.error,
        "Others like it": str(notice.more or ""),
    }
    return [f"{name}: {said}" for name, said in facts.items() if said]


def _next(notice: Notice) -> str:
    match notice.kind:
        case NoticeKind.CANDIDATE_WAITS:
            return f"whoever may sign reads it (headgate show {notice.candidate[:12]}), then approves, requests changes or rejects."
        case NoticeKind.CHANGES_REQUESTED:
            reason = f"read the reason (headgate audit show {notice.candidate[:12]})"
            return f"{reason}, change the policy or the source, and run the release again."
        case NoticeKind.DEADLINE_NEAR:
            missing = f"{counted(notice.needed, 'signature')} missing: sign" if notice.needed else "it is approved: publish it"
            also = " See all of them: headgate releases --calendar." if notice.more else ""
            return f"{missing} before the deadline, or run the release again after it.{also}"
        case NoticeKind.EXPIRED:
            return "run the release again if it is still wanted."
        case NoticeKind.REJECTED:
            return f"read the reason: headgate audit show {notice.candidate[:12]}."
        case NoticeKind.REFUSED:
            return "`headgate releases` says which requirement was not met, and what to do."
        case NoticeKind.FAILED if notice.state == "stalled":
            return "an operator finds out what lies where the version belongs: docs/guide-operator.md, *When something is stuck*."
        case NoticeKind.FAILED:
            return "`headgate releases` says what stopped it. Cure that, and run the release again."
        case NoticeKind.PUBLISHED:
            return "nothing."
        case NoticeKind.WITHDRAWN:
            return "tell those who have a copy not to use it any more."
        case NoticeKind.INTEGRITY_BROKEN:
            return "run `headgate audit verify` where the home lies, and publish nothing before it says that all is well."
