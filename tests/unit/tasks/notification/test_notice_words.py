from __future__ import annotations

import pytest

from policies.words.notice_kind import NoticeKind
from tasks.notification.notice import Notice
from tasks.notification.notice_words import message_of

SEALED = Notice(
    id="n" * 32,
    kind=NoticeKind.CANDIDATE_WAITS,
    at="2025-06-01T12:00:00+00:00",
    dataset="people",
    release="r1",
    candidate="c" * 64,
    state="awaiting_approval",
    needed=2,
)


def test_a_message_says_what_happened_what_to_do_and_where() -> None:
    message = message_of(SEALED, "https://release.example")
    assert message.title == "[headgate] people: a candidate waits for approval"
    assert message.text.splitlines() == [
        "A candidate waits for approval.",
        "Dataset: people",
        "Release: r1",
        "Candidate: cccccccccccc",
        "State: awaiting approval",
        "When: 2025-06-01T12:00:00+00:00",
        "Signatures needed: 2",
        "",
        "Next: whoever may sign reads it (headgate show cccccccccccc), then approves, requests changes or rejects.",
        f"Console: https://release.example/candidates/{'c' * 64}",
        f"Notice: {'n' * 32}",
    ]


@pytest.mark.parametrize("kind", NoticeKind)
def test_every_kind_has_its_words(kind: NoticeKind) -> None:
    message = message_of(Notice(id="n", kind=kind, at="now", dataset="people", release="r1", state="stalled"), "https://x.example")
    assert "Next: " in message.text
    assert "Console: https://x.example/runs/r1" in message.text
    assert "{" not in message.text + message.title


def test_without_a_console_there_is_no_link() -> None:
    assert "Console" not in message_of(SEALED).text
    assert message_of(Notice(id="n", kind=NoticeKind.INTEGRITY_BROKEN, at="now")).title.startswith("[headgate] the integrity")
