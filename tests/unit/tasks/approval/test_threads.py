from __future__ import annotations

import stat
from typing import Any

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken, TransitionRefused
from tasks.approval.threads import add_comment, comments_folder, read_thread
from tasks.publication.publish_version import publish
from tasks.verification.audit import export_ledger, verify_audit

SECRET = "why <b>so few</b> rows? canary-7781"


def texts(world: Any, reader: str) -> list[str]:
    return [comment.text for comment in read_thread(world.home, world.ledger, "people", reader).comments]


def test_steward_and_approvers_read_what_they_wrote_to_each_other_over_all_candidates(world: Any) -> None:
    first = world.seal()
    add_comment(world.home, world.ledger, first.id, "ann", f" {SECRET}\r\n")
    add_comment(world.home, world.ledger, first.id, "runner", "one person asked to be left out")
    second = world.seal()
    add_comment(world.home, world.ledger, second.id, "bob", "thank you")
    thread = read_thread(world.home, world.ledger, "people", "bob")
    assert [(comment.author, comment.candidate) for comment in thread.comments] == [
        ("ann", first.id),
        ("runner", first.id),
        ("bob", second.id),
    ]
    assert thread.comments[0].text == SECRET
    assert (thread.hidden, texts(world, "runner")) == (0, [SECRET, "one person asked to be left out", "thank you"])
    verify_audit(world.home, world.ledger)


def test_nobody_else_reads_or_writes_them(world: Any) -> None:
    candidate = world.seal()
    with pytest.raises(InputRejected, match="those who may sign"):
        read_thread(world.home, world.ledger, "people", "olga")
    with pytest.raises(InputRejected, match="those who may sign"):
        read_thread(world.home, world.ledger, "nothing", "ann")
    with pytest.raises(TransitionRefused, match="those who may sign"):
        add_comment(world.home, world.ledger, candidate.id, "olga", "hello")
    for text in ("", "   ", "x" * 4001):
        with pytest.raises(TransitionRefused, match="4000"):
            add_comment(world.home, world.ledger, candidate.id, "ann", text)
    assert not comments_folder(world.home, "people").exists()


def test_comments_are_private_and_no_published_byte_holds_them(world: Any) -> None:
    candidate = world.seal()
    add_comment(world.home, world.ledger, candidate.id, "ann", SECRET)
    world.approve(candidate, "ann", "bob")
    publish(world.home, world.ledger, candidate.id)
    (file,) = comments_folder(world.home, "people").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    published = b"".join(path.read_bytes() for path in world.home.releases.rglob("*") if path.is_file())
    assert b"canary-7781" not in published + export_ledger(world.ledger).encode()
    assert published


def test_a_comment_that_was_changed_or_taken_away_shows(world: Any) -> None:
    candidate = world.seal()
    add_comment(world.home, world.ledger, candidate.id, "ann", SECRET)
    (file,) = comments_folder(world.home, "people").iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"few", b"many"))
    (comment,) = read_thread(world.home, world.ledger, "people", "ann").comments
    assert (comment.text, comment.problem) == ("", "A comment in comments/ is not the one that was written.")
    with pytest.raises(IntegrityBroken, match="not the one that was written"):
        verify_audit(world.home, world.ledger)
    file.unlink()
    with pytest.raises(IntegrityBroken, match="A comment of ann"):
        verify_audit(world.home, world.ledger)


def test_in_a_blind_vote_comments_of_other_approvers_wait_until_it_is_decided(world: Any) -> None:
    candidate = world.seal(blind=True)
    for author in ("ann", "runner", "bob"):
        add_comment(world.home, world.ledger, candidate.id, author, f"by {author}")
    assert texts(world, "ann") == ["by ann", "by runner"]
    before = read_thread(world.home, world.ledger, "people", "bob")
    world.approve(candidate, "ann")
    assert read_thread(world.home, world.ledger, "people", "bob") == before
    assert ([comment.text for comment in before.comments], before.hidden) == (["by runner", "by bob"], 1)
    assert texts(world, "ann") == texts(world, "runner") == ["by ann", "by runner", "by bob"]
    world.approve(candidate, "bob")
    assert texts(world, "cyd") == ["by ann", "by runner", "by bob"]
