from __future__ import annotations

import hashlib
from pathlib import Path

from policies.sealed.manifest import Signer
from tasks.approval.approvals import kept_envelope
from tasks.approval.statements import decision_statement
from tasks.ledger.event_log import entry_after
from tasks.ledger.history import read_history
from tasks.publication.recorded_withdrawal import withdrawal_record
from tasks.publication.withdraw import withdraw
from tasks.signing.home_keys import ledger_key
from tasks.signing.keys import PrivateKey
from tasks.signing.signatures import sign_statement
from tasks.verification.verify import verify_folder
from tests.unit.tasks.verification.test_verify import REASON, failed, withdrawn_copy


def test_a_withdrawal_is_dated_by_the_ledger_whatever_its_signer_wrote(world, tmp_path: Path) -> None:
    """The moment of a withdrawal was the one that its signer had written into it. Whose key had expired since the release could date it
    back, and whoever serves a copy of the release could have that key say that it was withdrawn."""
    folder = withdrawn_copy(world, tmp_path)
    signers, others = tmp_path / "mine", [world.line(name) for name in ("runner", "ann", "bob")]

    def until(moment: str) -> None:
        signers.write_text("".join(line + "\n" for line in (*others, world.line("cyd", options=f'valid-before="{moment}Z"'))))

    until("20250602")
    assert verify_folder(folder, signers).withdrawn == "by cyd on 2025-06-01"
    until("20250601120000")
    assert "a key of cyd that was not valid at 2025-06-01 12:00" in failed(folder, signers=signers)["withdrawal"]
    about = read_history(world.ledger).release("release-1")
    for at in ("2025-06-01T11:59:00+00:00", "2025-05-25T12:00:00+00:00"):  # while the key was valid
        alone = sign_statement(decision_statement(about, "withdraw", "cyd", REASON, at), world.keys["cyd"])
        (folder / "withdrawn.json").write_bytes(alone)
        assert "another kind" in failed(folder, signers=signers)["withdrawal"]
        (folder / "withdrawn.json").write_bytes(recorded(world, alone))
        assert "not the decision that the ledger recorded" in failed(folder, signers=signers)["withdrawal"]


def recorded(world, envelope: bytes, key: PrivateKey | None = None, release: str = "release-1", events: int | None = None) -> bytes:
    """Another record of a withdrawal, signed by the ledger's key or by the one that is named."""
    history = read_history(world.ledger)
    own = history.of(release)
    until = own[: 1 + [entry.type for entry in own].index("withdrawn")]
    return withdrawal_record(history.release("release-1").candidate, until[:events], envelope, key or ledger_key(world.home.keys))


def test_a_withdrawal_counts_only_as_the_ledger_recorded_it_of_this_version(world, tmp_path: Path) -> None:
    folder = withdrawn_copy(world, tmp_path, "runner")
    assert verify_folder(folder).withdrawn == "by runner on 2025-06-01"
    history, mark = read_history(world.ledger), folder / "withdrawn.json"
    event = next(event for event in history.events("release-1") if event.event == "withdrawn")
    envelope = kept_envelope(world.home, event.candidate, event.statement_sha256)
    kept = mark.read_bytes()
    assert recorded(world, envelope) == kept
    other = world.seal()
    withdraw(world.home, world.ledger, other.id, world.keys["cyd"], "the same again")
    forged = {
        "by another key": (recorded(world, envelope, world.keys["stranger"]), "another key than head.json"),
        "of other events": (recorded(world, envelope, release="release-2"), "about another version"),
        "of fewer events": (recorded(world, envelope, events=-1), "no withdrawal that the ledger recorded"),
        "of another statement": (recorded(world, b"{}"), "not the decision that the ledger recorded"),
        "unsigned": (b"{}", "not a signed statement"),
    }
    for what, (content, why) in forged.items():
        mark.write_bytes(content)
        assert why in failed(folder)["withdrawal"], what
    stranger = Signer(principal="cyd", fingerprint=world.keys["stranger"].fingerprint)
    alone = sign_statement(decision_statement(history.release("release-1"), "withdraw", "cyd", REASON, event.at), world.keys["stranger"])
    changed = {"signer": stranger, "statement_sha256": hashlib.sha256(alone).hexdigest(), "reason_sha256": REASON}
    before = history.of("release-1")[: history.events("release-1").index(event)]
    entry = entry_after(before[-1], before[-1], event.model_copy(update=changed), "cyd")
    mark.write_bytes(withdrawal_record(event.candidate, (*before, entry), alone, ledger_key(world.home.keys)))
    assert "signed by a key that was not sealed" in failed(folder)["withdrawal"]
    mark.write_bytes(kept)
    (tmp_path / "mine").write_text("".join(world.line(name) + "\n" for name in ("cyd", "ann", "bob")))
    assert "a key of runner that is not on the list" in failed(folder, signers=tmp_path / "mine")["withdrawal"]
