from __future__ import annotations

import io
import tarfile
from typing import Any

import pytest

from headgate.core.errors import StoreUnavailable
from tasks.verification.evidence import evidence
from tasks.verification.evidence_apart import AT_ONCE, evidence_apart, main


@pytest.mark.slow
def test_another_process_gathers_the_same_archive(world: Any) -> None:
    world.published()
    made = evidence_apart(world.home, "release-1")
    assert made == evidence(world.home, world.ledger, "release-1")
    with tarfile.open(fileobj=io.BytesIO(made)) as archive:
        assert any(name.endswith("verify.sh") for name in archive.getnames())
    with pytest.raises(StoreUnavailable, match="The ledger knows no release"):
        evidence_apart(world.home, "nothing")


def test_what_stands_against_it_is_told_in_words(world: Any, capsys: pytest.CaptureFixture[str]) -> None:
    world.seal(blind=True)
    assert main(str(world.home.root), "release-1") == 1
    assert "votes before it is decided" in capsys.readouterr().err


def test_only_so_many_are_gathered_at_once(world: Any) -> None:
    with AT_ONCE, AT_ONCE, pytest.raises(StoreUnavailable, match="Others are gathering"):
        evidence_apart(world.home, "release-1")
    assert AT_ONCE.acquire(blocking=False)
    AT_ONCE.release()
