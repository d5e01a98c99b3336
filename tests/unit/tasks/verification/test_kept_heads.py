from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken
from tasks.signing.keys import make_key
from tasks.verification.cosigned_heads import cosign
from tasks.verification.kept_heads import heads_folder, keep_head, kept_heads


def cosigned_file(world: Any, folder: Path, name: str) -> bytes:
    cosign(world.ledger, make_key(folder / f"{name}-key"), folder / name)
    return (folder / name).read_bytes()


def test_a_head_that_an_auditor_cosigned_is_kept_and_shown_newest_first(world: Any, tmp_path: Path) -> None:
    world.seal()
    first = cosigned_file(world, tmp_path, "first")
    world.seal()
    for content in (first, cosigned_file(world, tmp_path, "second"), first):
        keep_head(world.home, world.ledger, content)
    assert [head.head.seq for head in kept_heads(world.home)] == [16, 8]
    next(heads_folder(world.home).glob("*.json")).write_text("{}")
    assert len(kept_heads(world.home)) == 1


def test_a_head_of_another_ledger_is_told_and_not_kept(world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world.seal()
    content = cosigned_file(world, tmp_path, "head")
    with world.ledger.store.reading() as stored:
        kind = type(stored)
    at = kind.at
    monkeypatch.setattr(kind, "at", lambda self, seq: at(self, seq - 1))
    with pytest.raises(IntegrityBroken, match="was changed or cut short"):
        keep_head(world.home, world.ledger, content)
    monkeypatch.setattr(kind, "at", lambda self, seq: None)
    with pytest.raises(IntegrityBroken):
        keep_head(world.home, world.ledger, content)
    assert kept_heads(world.home) == ()


def test_what_is_no_head_is_bad_input(world: Any) -> None:
    for content in (b"", b"{}", b"x" * 70_000):
        with pytest.raises(InputRejected):
            keep_head(world.home, world.ledger, content)
