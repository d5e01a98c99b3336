from __future__ import annotations

from policies.words.notice_kind import NoticeKind
from tasks.notification.notice import KINDS, notice_id


def test_every_kind_but_those_of_time_and_of_integrity_comes_from_an_event() -> None:
    assert set(NoticeKind) - set(KINDS.values()) == {NoticeKind.DEADLINE_NEAR, NoticeKind.INTEGRITY_BROKEN}


def test_an_id_is_that_of_its_parts() -> None:
    assert notice_id("a", "b") == notice_id("a", "b") != notice_id("b", "a")
    assert len(notice_id("a")) == 32
