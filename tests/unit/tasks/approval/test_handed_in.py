"""Signatures made elsewhere, by ssh-keygen itself, over what was issued here; and what else may not be handed in."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken, TransitionRefused
from policies.ledger.states import State
from tasks.approval.approvals import kept_envelope
from tasks.approval.decisions import approve, record_withdrawal, reject
from tasks.approval.handed_in import handed_in, statements_folder
from tasks.approval.issued_statements import Issued, issue_statement
from tasks.approval.statements import LONGEST_UNSIGNED
from tasks.ledger.history import read_history
from tasks.signing.signatures import bytes_to_sign
from tests.unit.tasks.signing.openssh import SecurityKey, keygen, made_by_keygen, needs_ssh_keygen

pytestmark = needs_ssh_keygen


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder that stands for another machine."""
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "elsewhere"


def issued(world: Any, candidate: Any, principal: str, action: str = "approve", reason: str = "read the report") -> Issued:
    return issue_statement(world.home, world.ledger, candidate.id, action, principal, reason)


def signed_by_hand(folder: Path, key: Path, to_sign: bytes) -> Path:
    (folder / "statement").write_bytes(to_sign)
    (folder / "statement.sig").unlink(missing_ok=True)
    made = keygen("-Y", "sign", "-f", key, "-n", "headgate", folder / "statement")
    assert made.returncode == 0, made.stderr
    return folder / "statement.sig"


@pytest.fixture
def key_of(key_folder: Path) -> Callable[[str], Path]:
    return lambda name: key_folder / name


def approve_by(world: Any, candidate: Any, signature: Path, reason: str = "") -> Any:
    given = handed_in(world.home, candidate.id, signature)
    return approve(world.home, world.ledger, candidate.id, given, reason or given.reason.text)


@pytest.mark.parametrize(
    "kind", [("ed25519",), pytest.param(("rsa", "-b", 3072), marks=pytest.mark.slow), ("ecdsa", "-b", 384)], ids=lambda kind: kind[0]
)
def test_what_ssh_keygen_signs_counts_like_a_key_that_is_here(world: Any, elsewhere: Path, kind: tuple[object, ...]) -> None:
    line = made_by_keygen(elsewhere / "key", *kind)
    world.write_signers(world.line("runner"), world.line("ann"), f"dora {line}")
    candidate = world.seal()
    world.approve(candidate, "ann")
    statement = issued(world, candidate, "dora")
    world.clock.moment += timedelta(days=3)
    decided = approve_by(world, candidate, signed_by_hand(elsewhere, elsewhere / "key", statement.to_sign))
    assert (decided.principal, decided.release.state) == ("dora", State.APPROVED)
    assert world.publish(candidate).approvals == ("ann", "dora")  # weighed again, from the stored envelope


@pytest.mark.skipif(shutil.which("ssh-agent") is None, reason="ssh-agent is not installed")
def test_an_agent_signs_by_ssh_keygen(world: Any, elsewhere: Path, key_of: Callable[[str], Path]) -> None:
    candidate = world.seal()
    shutil.copy2(key_of("ann"), elsewhere / "ann")
    shutil.copy2(key_of("ann").with_suffix(".pub"), elsewhere / "ann.pub")
    (elsewhere / "statement").write_bytes(issued(world, candidate, "ann").to_sign)
    script = "ssh-add -q ann && rm ann && ssh-keygen -Y sign -f ann.pub -n headgate statement"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SSH_")}
    subprocess.run(["ssh-agent", "sh", "-c", script], cwd=elsewhere, env=environment, check=True, capture_output=True, timeout=60)
    assert approve_by(world, candidate, elsewhere / "statement.sig").principal == "ann"


@pytest.mark.parametrize("kind", ["sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"])
def test_a_security_key_counts_with_its_pin_only(world: Any, elsewhere: Path, kind: str) -> None:
    with_pin = SecurityKey(kind)
    without = SecurityKey(kind, flags=1)
    world.write_signers(world.line("runner"), world.line("ann"), f"dora {with_pin.line}", f"eve {without.line}")
    candidate = world.seal()
    (elsewhere / "eve.sig").write_bytes(without.sign(issued(world, candidate, "eve").to_sign))
    with pytest.raises(TransitionRefused, match="did not ask who used it"):
        approve_by(world, candidate, elsewhere / "eve.sig")
    (elsewhere / "dora.sig").write_bytes(with_pin.sign(issued(world, candidate, "dora").to_sign))
    assert approve_by(world, candidate, elsewhere / "dora.sig").principal == "dora"


def test_a_passkey_counts_where_the_operator_names_its_site(world: Any, elsewhere: Path) -> None:
    passkey = SecurityKey("sk-ecdsa-sha2-nistp256@openssh.com", application="release.example")
    world.write_signers(world.line("runner"), world.line("ann"), f"dora {passkey.line}")
    candidate = world.seal()
    (elsewhere / "dora.sig").write_bytes(passkey.sign(issued(world, candidate, "dora").to_sign, "https://release.example"))
    operator = world.home.root / "operator.yaml"
    for said, refusal in (
        ("floor: {approvals: 1}", "names no site"),
        ('passkeys: {rp: other.example, origins: ["https://release.example"]}', "does not name"),
        ('passkeys: {rp: release.example, origins: ["https://www.release.example"]}', "does not name"),
    ):
        operator.write_text(f"{said}\n", encoding="utf-8")
        with pytest.raises(TransitionRefused, match=refusal):
            approve_by(world, candidate, elsewhere / "dora.sig")
    operator.write_text('passkeys: {rp: release.example, origins: ["https://release.example"]}\n', encoding="utf-8")
    assert approve_by(world, candidate, elsewhere / "dora.sig").principal == "dora"


def test_a_rejection_and_a_withdrawal_are_handed_in_too(world: Any, elsewhere: Path, key_of: Callable[[str], Path]) -> None:
    first, second = world.seal(), world.seal()
    signature = signed_by_hand(elsewhere, key_of("ann"), issued(world, first, "ann", "reject", "too small").to_sign)
    given = handed_in(world.home, first.id, signature)
    assert reject(world.home, world.ledger, first.id, given, "too small").release.state is State.REJECTED
    signature = signed_by_hand(elsewhere, key_of("runner"), issued(world, second, "runner", "withdraw", "a mistake").to_sign)
    given = handed_in(world.home, second.id, signature)
    assert record_withdrawal(world.home, world.ledger, second.id, given, "a mistake").release.state is State.WITHDRAWN


def test_another_candidates_statement_does_not_count(world: Any, elsewhere: Path, key_of: Callable[[str], Path]) -> None:
    first, second = world.seal(), world.seal()
    signature = signed_by_hand(elsewhere, key_of("ann"), issued(world, first, "ann").to_sign)
    issued(world, second, "ann")
    with pytest.raises(TransitionRefused, match="No statement that was issued for this release has this signature"):
        approve_by(world, second, signature)
    shutil.rmtree(statements_folder(world.home, second.id))
    shutil.copytree(statements_folder(world.home, first.id), statements_folder(world.home, second.id))
    with pytest.raises(TransitionRefused, match="names another candidate"):
        approve_by(world, second, signature)


def test_what_was_signed_is_what_is_done(world: Any, elsewhere: Path, key_of: Callable[[str], Path]) -> None:
    candidate = world.seal()
    given = handed_in(world.home, candidate.id, signed_by_hand(elsewhere, key_of("ann"), issued(world, candidate, "ann").to_sign))
    with pytest.raises(TransitionRefused, match="gives another reason"):
        approve(world.home, world.ledger, candidate.id, given, "another reason")
    with pytest.raises(TransitionRefused, match="names another action"):
        reject(world.home, world.ledger, candidate.id, given, "read the report")
    others = handed_in(world.home, candidate.id, signed_by_hand(elsewhere, key_of("bob"), issued(world, candidate, "ann").to_sign))
    with pytest.raises(TransitionRefused, match="names another principal"):
        approve(world.home, world.ledger, candidate.id, others, "read the report")
    assert read_history(world.ledger).find(candidate.id).approvals == ()


def test_the_reason_is_the_one_whose_digest_was_signed(world: Any, elsewhere: Path, key_of: Callable[[str], Path]) -> None:
    candidate = world.seal()
    signature = signed_by_hand(elsewhere, key_of("ann"), issued(world, candidate, "ann").to_sign)
    (kept,) = statements_folder(world.home, candidate.id).glob("*.reason")
    kept.write_bytes(kept.read_bytes().replace(b"read", b"not read"))
    with pytest.raises(TransitionRefused, match="names another reason"):
        approve_by(world, candidate, signature)


def test_a_statement_serves_once_and_for_a_week(world: Any, elsewhere: Path, key_of: Callable[[str], Path]) -> None:
    candidate = world.seal()
    ann = signed_by_hand(elsewhere, key_of("ann"), issued(world, candidate, "ann").to_sign).rename(elsewhere / "ann.sig")
    bob = signed_by_hand(elsewhere, key_of("bob"), issued(world, candidate, "bob").to_sign)
    approve_by(world, candidate, ann)
    with pytest.raises(TransitionRefused, match="already made this decision"):
        approve_by(world, candidate, ann)
    world.clock.moment += LONGEST_UNSIGNED
    with pytest.raises(TransitionRefused, match="more than 7 days ago"):
        approve_by(world, candidate, bob)


def test_an_issued_statement_that_somebody_changed_has_no_signature(world: Any, elsewhere: Path, key_of: Callable[[str], Path]) -> None:
    candidate = world.seal()
    signature = signed_by_hand(elsewhere, key_of("ann"), issued(world, candidate, "ann", "reject", "no").to_sign)
    (file,) = statements_folder(world.home, candidate.id).glob("*.json")
    file.write_bytes(file.read_bytes().replace(b'"reject"', b'"approve"'))
    with pytest.raises(TransitionRefused, match="has this signature"):
        approve_by(world, candidate, signature)


def test_a_key_counts_when_the_statement_was_issued_and_when_it_is_handed_in(
    world: Any, elsewhere: Path, key_of: Callable[[str], Path]
) -> None:
    candidate = world.seal()
    signature = signed_by_hand(elsewhere, key_of("ann"), issued(world, candidate, "ann").to_sign)
    others = (world.line("runner"), world.line("bob"))
    for options in ('valid-after="20250601130000Z"', 'valid-before="20250602120000Z"'):
        world.write_signers(*others, world.line("ann", options=options))
        world.clock.moment += timedelta(days=1)
        with pytest.raises(TransitionRefused, match="was not valid at"):
            approve_by(world, candidate, signature)
    world.write_signers(*others, world.line("ann"))
    world.revoke("ann")
    with pytest.raises(TransitionRefused, match="revoked"):
        approve_by(world, candidate, signature)


def test_an_envelope_older_than_its_week_does_not_hold_in_the_ledger_either(
    world: Any, elsewhere: Path, key_of: Callable[[str], Path]
) -> None:
    from tasks.approval.statements import check_decision

    candidate = world.seal()
    decided = approve_by(world, candidate, signed_by_hand(elsewhere, key_of("ann"), issued(world, candidate, "ann").to_sign))
    (event,) = [event for event in world.ledger.events_of("release-1") if event.event == "approved"]
    envelope = kept_envelope(world.home, candidate.id, decided.statement_sha256)
    assert check_decision(envelope, event, "people", "It").principal == "ann"
    for at in ("2025-06-30T12:00:00+00:00", "2025-06-01T11:00:00+00:00"):
        with pytest.raises(IntegrityBroken, match="something else"):
            check_decision(envelope, event.model_copy(update={"at": at}), "people", "It")


def test_what_is_no_signature_is_bad_input(world: Any, elsewhere: Path) -> None:
    candidate = world.seal()
    (elsewhere / "x").write_bytes(b"ssh-ed25519 AAAA")
    (elsewhere / "long").write_bytes(b"-----BEGIN SSH SIGNATURE-----\n" + b"A" * 70_000)
    for name in ("x", "long", "absent"):
        with pytest.raises(InputRejected):
            handed_in(world.home, candidate.id, elsewhere / name)


def test_the_bytes_are_those_of_the_envelope(world: Any) -> None:
    candidate = world.seal()
    statement = issued(world, candidate, "ann")
    (file,) = statements_folder(world.home, candidate.id).glob("*.json")
    assert statement.to_sign == bytes_to_sign(file.read_bytes())
    assert statement.to_sign == b"DSSEv1 28 application/vnd.in-toto+json %d " % len(file.read_bytes()) + file.read_bytes()
