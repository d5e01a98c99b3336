from __future__ import annotations

from policies.words.notice_kind import NoticeKind
from tasks.notification.notice import Notice
from tasks.notification.outbox import Outbox, Waiting
from tasks.notification.waiting_notices import waiting_notices
from tasks.runtime.home import Home


def test_it_says_how_many_wait_since_when_and_why(tmp_path) -> None:
    home = Home.open(tmp_path / "home")
    assert waiting_notices(home) == ()
    (home.root / "operator.yaml").write_text("notify: [{to: 'env:OPS'}]\n")
    (home.root / "operator.yaml").chmod(0o600)
    assert waiting_notices(home) == (Waiting("env:OPS", 0, "", "", "", 0),)
    assert not Outbox.of(home).begun
    with Outbox.of(home).writing() as stored:
        stored.add(Notice(id="n", kind=NoticeKind.FAILED, at=""), ("env:OPS",))
        stored.failed(stored.next_due("env:OPS"), "There is no address at env:OPS.")
    (waits,) = waiting_notices(home)
    assert (waits.waiting, waits.why, waits.given_up) == (1, "There is no address at env:OPS.", 0)
    assert waits.since[:10] == waits.failing[:10]
