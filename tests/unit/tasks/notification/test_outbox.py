from __future__ import annotations

import pytest

from headgate.core.errors import StoreUnavailable
from policies.words.notice_kind import NoticeKind
from tasks.notification import outbox as module
from tasks.notification.notice import Notice
from tasks.notification.outbox import LONGEST_SECONDS, MOST_FAILURES, MOST_REFUSED, Outbox, Place
from tests.unit.tasks.notification.conftest import Time

OPS, LAW = "env:OPS", "env:LAW"


def notice(number: int) -> Notice:
    return Notice(id=f"{number:032x}", kind=NoticeKind.PUBLISHED, at="2025-06-01T00:00:00+00:00", dataset="people")


@pytest.fixture
def box(tmp_path, time_told) -> Outbox:
    return Outbox(tmp_path / "state" / "outbox.db", time_told)


def add(box: Outbox, *numbers: int, to: tuple[str, ...] = (OPS,)) -> None:
    with box.writing() as stored:
        for number in numbers:
            stored.add(notice(number), to)


def next_due(box: Outbox, address: str = OPS) -> int | None:
    with box.reading() as stored:
        delivery = stored.next_due(address)
    return None if delivery is None else int(delivery.notice.id, 16)


def fail(box: Outbox, address: str = OPS) -> None:
    with box.writing() as stored:
        stored.failed(stored.next_due(address), "It was not reached.")


def send(box: Outbox, address: str = OPS) -> None:
    with box.writing() as stored:
        stored.sent(stored.next_due(address))


def waiting(box: Outbox, address: str = OPS) -> module.Waiting:
    with box.reading() as stored:
        return stored.waiting((address,))[0]


def test_a_notice_is_kept_once_and_leaves_each_address_when_that_took_it(box: Outbox) -> None:
    add(box, 1, 2, to=(OPS, LAW))
    add(box, 1, to=(OPS,))
    send(box)
    assert (next_due(box), next_due(box, LAW)) == (2, 1)
    send(box)
    assert (next_due(box), waiting(box).waiting, waiting(box, LAW).waiting) == (None, 0, 2)


def test_how_far_was_read_is_kept_with_what_follows_or_not_at_all(box: Outbox) -> None:
    def killed() -> None:
        with box.writing() as stored:
            assert stored.place() is None
            stored.add(notice(1), (OPS,))
            stored.move(Place(seq=4))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        killed()
    with box.writing() as stored:
        assert (stored.place(), stored.knows(notice(1).id)) == (None, False)
    assert box.path.stat().st_mode & 0o777 == 0o600


def test_an_address_that_fails_is_tried_after_twice_as_long_each_time_up_to_an_hour(box: Outbox, time_told: Time) -> None:
    add(box, 1)
    waits = []
    for wait in (30, 60, 120, 240, 480, 960, 1920, 3600, 3600):
        fail(box)
        time_told.later(seconds=wait - 1)
        assert next_due(box) is None
        time_told.later(seconds=1)
        waits.append(next_due(box))
    assert waits == [1] * 9
    assert waiting(box).why == "It was not reached."
    send(box)
    add(box, 2)
    assert (next_due(box), waiting(box).failing) == (2, "")


def test_an_address_that_takes_nothing_for_a_week_is_given_up_and_not_by_the_clock(
    box: Outbox, time_told: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 8 <= MOST_FAILURES * LONGEST_SECONDS / 86_400 + 1 <= 9
    monkeypatch.setattr(module, "MOST_FAILURES", 5)
    add(box, 1)
    for _ in range(4):
        fail(box)
        time_told.later(seconds=LONGEST_SECONDS)
    time_told.later(days=40_000)
    assert (waiting(box).waiting, waiting(box).given_up) == (1, 0)
    add(box, 2)
    fail(box)
    assert (waiting(box).waiting, waiting(box).given_up) == (1, 1)


def test_a_message_that_is_never_taken_keeps_no_other_back(box: Outbox, time_told: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_REFUSED == 10
    monkeypatch.setattr(module, "MOST_REFUSED", 4)
    add(box, 1)
    fail(box)
    for number in range(2, 5):
        time_told.later(hours=1)
        add(box, number)
        assert next_due(box) == number
        send(box)
        assert next_due(box) == 1
        fail(box)
    assert (waiting(box).waiting, waiting(box).given_up) == (0, 1)


def test_a_full_outbox_keeps_the_newest(box: Outbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 3)
    add(box, *range(1, 6))
    assert (next_due(box), waiting(box).waiting, waiting(box).given_up) == (3, 3, 2)


def test_a_clock_that_was_set_back_makes_nobody_wait_for_years(box: Outbox, time_told: Time) -> None:
    add(box, 1)
    fail(box)
    time_told.later(days=-3650)
    assert next_due(box) == 1


def test_what_waits_for_an_address_that_is_no_longer_named_is_not_sent(box: Outbox) -> None:
    add(box, 1, to=(OPS, LAW))
    fail(box)
    with box.writing() as stored:
        stored.keep_to((LAW,))
    assert (next_due(box), next_due(box, LAW)) == (None, 1)
    with box.writing() as stored:
        stored.keep_to((OPS, LAW))
    assert next_due(box) is None


def test_what_ended_long_ago_is_forgotten(box: Outbox, time_told: Time) -> None:
    add(box, 1, 2)
    send(box)
    time_told.later(days=401)
    with box.writing() as stored:
        stored.keep_to((OPS,))
        assert (stored.knows(notice(1).id), stored.knows(notice(2).id)) == (False, True)


def test_a_file_that_is_no_outbox_is_refused(box: Outbox) -> None:
    box.path.parent.mkdir()
    box.path.write_text("something else, long enough to be looked at" * 40)
    with pytest.raises(StoreUnavailable), box.writing():
        pass
    with pytest.raises(StoreUnavailable), box.reading() as stored:
        stored.waiting((OPS,))
