from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken
from tasks.ledger.chain import signed_head
from tasks.verification.audit import verify_audit
from tasks.verification.cosigned_heads import cosign, fault_of, read_cosigned


def test_a_cosigned_head_is_that_of_the_last_event_and_says_whose_it_is(world, tmp_path: Path) -> None:
    world.seal()
    signers = tmp_path / "auditors"
    signers.write_text(world.line("stranger", "auditor") + "\n" + world.line("cyd") + "\n")
    for name, principal in (("stranger", "auditor"), ("cyd", "cyd")):
        file = tmp_path / name
        cosign(world.ledger, world.keys[name], file)
        read = read_cosigned(file, signers)
        assert (read.head.seq, read.head.hash, read.who) == (8, world.ledger.entries()[-1].hash, principal)
        assert read_cosigned(file).signer == world.keys[name].fingerprint
        assert verify_audit(world.home, world.ledger, cosigned=[read]).cosigned == (read,)


def test_a_head_that_is_not_on_the_chain_is_a_fault_of_the_audit(world, tmp_path: Path) -> None:
    world.seal()
    cosign(world.ledger, world.keys["stranger"], tmp_path / "head")
    read, entries = read_cosigned(tmp_path / "head"), world.ledger.entries()
    assert fault_of(read, entries) == ""
    assert "ledger ends at event 7" in fault_of(read, entries[:7])
    assert "ledger ends at event 0" in fault_of(read, ())
    for change in ({"hash": "0" * 64}, {"at": "2025-06-01T00:00:00+00:00"}, {"release": "release-9"}, {"seq": 7}):
        changed = replace(read, head=read.head.model_copy(update=change))
        assert "is a fork" in fault_of(changed, entries)
        with pytest.raises(IntegrityBroken, match="is a fork: its event . is not the one that SHA256:"):
            verify_audit(world.home, world.ledger, cosigned=[changed])


def test_what_nobody_on_the_list_signed_and_what_is_no_cosigned_head_is_refused(world, tmp_path: Path) -> None:
    world.seal()
    file, signers = tmp_path / "head", tmp_path / "auditors"
    signers.write_text(world.line("cyd") + "\n")
    cosign(world.ledger, world.keys["stranger"], file)
    with pytest.raises(IntegrityBroken, match="not on the list"):
        read_cosigned(file, signers)
    for content in (b"", b"{}", signed_head(world.ledger.entries()[-1], world.keys["stranger"])[1]):
        file.write_bytes(content)
        with pytest.raises(IntegrityBroken):
            read_cosigned(file)
    with pytest.raises(InputRejected, match="cannot be read"):
        read_cosigned(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("options", "revoked", "why"),
    [
        ('namespaces="git"', False, "not listed for the namespace"),
        ('namespaces="headgate",valid-before="20200101Z"', False, "was not valid at"),
        ('namespaces="headgate"', True, "is revoked"),
    ],
)
def test_an_auditors_key_counts_as_every_other_does(world, tmp_path: Path, options: str, revoked: bool, why: str) -> None:
    """One that was revoked, had expired and was listed for something else vouched for the ledger."""
    world.seal()
    cosign(world.ledger, world.keys["stranger"], tmp_path / "head")
    (tmp_path / "auditors").write_text(f"auditor {options} {world.keys['stranger'].public}\n")
    (tmp_path / "revoked_keys").write_text(f"{world.keys['stranger'].public}\n" if revoked else "")
    with pytest.raises(IntegrityBroken, match=f"a key of auditor that .*{why}"):
        read_cosigned(tmp_path / "head", tmp_path / "auditors")


def test_an_empty_ledger_and_a_changed_one_are_not_cosigned(world, tmp_path: Path) -> None:
    from tests.unit.tasks.ledger.conftest import tamper

    with pytest.raises(InputRejected, match="no event"):
        cosign(world.ledger, world.keys["stranger"], tmp_path / "head")
    world.seal()
    tamper(world.home.ledger, "UPDATE events SET actor = 'eve' WHERE seq = 2")
    with pytest.raises(IntegrityBroken, match="Event 2"):
        cosign(world.ledger, world.keys["stranger"], tmp_path / "head")
    assert not (tmp_path / "head").exists()
