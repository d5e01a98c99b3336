from __future__ import annotations

from policies.words.notice_kind import NoticeKind


def test_kinds_are_written_as_in_a_policy_file() -> None:
    assert all(kind == kind.name.lower().replace("_", "-") for kind in NoticeKind)
