from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected
from tasks.signing.keys import make_key
from tasks.signing.signers_file import signers_from_text
from tasks.signing.sshsig import sign_bytes
from tasks.signing.trust_roots import read_signers
from tests.unit.tasks.signing.openssh import accepted_by_keygen, needs_ssh_keygen

NOON = datetime(2025, 6, 1, 12, 0, 0, tzinfo=UTC)


def test_signers_are_read_with_their_options(tmp_path: Path) -> None:
    alice, bob = make_key(tmp_path / "a"), make_key(tmp_path / "b")
    entries = signers_from_text(
        "# who may approve\n\n"
        f'alice@example.org namespaces="git,headgate",valid-after="20250101Z",valid-before="20260101Z" {alice.public} her laptop\n'
        f"bob {bob.public}\n"
    )
    assert [entry.principal for entry in entries] == ["alice@example.org", "bob"]
    assert [entry.fingerprint for entry in entries] == [alice.fingerprint, bob.fingerprint]
    assert entries[0].valid_after == datetime(2025, 1, 1, tzinfo=UTC)
    assert entries[0].valid_at(NOON)
    assert not entries[0].valid_at(datetime(2026, 1, 1, tzinfo=UTC))
    assert entries[0].valid_at(datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC))
    assert not entries[0].valid_at(datetime(2024, 12, 31, 23, 59, 59, tzinfo=UTC))


@pytest.mark.parametrize(
    ("namespaces", "counts"),
    [
        ("headgate", True),
        ("git", False),
        ("git,headgate", True),
        ("*", True),
        ("head*", True),
        ("headgate?", False),
        ("*,!headgate", False),
    ],
)
def test_namespaces_must_include_headgate_where_they_are_given(tmp_path: Path, namespaces: str, counts: bool) -> None:
    key = make_key(tmp_path / "k")
    (entry,) = signers_from_text(f'ann namespaces="{namespaces}" {key.public}')
    assert entry.for_headgate is counts


@pytest.mark.parametrize(
    "line",
    [
        "ann cert-authority KEY",
        "*@example.org KEY",
        "ann,bob KEY",
        "!ann KEY",
        "ann",
        "ann KEY-SHORT",
        "ann ssh-rsa AAAAB3NzaC1yc2E=",
        'ann valid-before="soon" KEY',
        'ann valid-before="20251301Z" KEY',
        'ann valid-after="20250101Z",valid-after="20240101Z" KEY',
        "ann no-touch-required KEY",
        'ann namespaces="headgate KEY',
        "ann ssh-ed25519 !!!!",
    ],
)
def test_a_signers_line_that_is_not_understood_refuses_the_file(tmp_path: Path, line: str) -> None:
    public = make_key(tmp_path / "k").public
    with pytest.raises(InputRejected, match="line 1") as refusal:
        signers_from_text(line.replace("KEY-SHORT", public[:40]).replace("KEY", public))
    assert refusal.value.cure


@pytest.mark.parametrize(
    ("line", "message", "cure"),
    [
        ("KEY", "line 3 names nobody", "Put the person's name before the key."),
        (
            'ann namespaces="headgate" valid-after="20250101Z" KEY',
            "line 3 has a blank between its options",
            "Separate options by commas, without blanks.",
        ),
    ],
)
def test_what_people_often_paste_is_refused_with_its_file_and_what_to_write(tmp_path: Path, line: str, message: str, cure: str) -> None:
    path = tmp_path / "signers"
    path.write_text(f"# who may sign\n\n{line}\n".replace("KEY", make_key(tmp_path / "k").public))
    with pytest.raises(InputRejected) as refusal:
        read_signers(path)
    assert refusal.value.message.startswith(f"{path}, {message}")
    assert refusal.value.cure == cure


def test_one_key_cannot_be_two_people_and_one_person_is_spelt_one_way(tmp_path: Path) -> None:
    key, other = make_key(tmp_path / "k"), make_key(tmp_path / "o")
    with pytest.raises(InputRejected, match="line 2"):
        signers_from_text(f"ann {key.public}\nbob {key.public}\n")
    with pytest.raises(InputRejected, match="two ways"):
        signers_from_text(f"ann {key.public}\nAnn {other.public}\n")
    assert [entry.principal for entry in signers_from_text(f"ann {key.public}\nann {other.public}\n")] == ["ann", "ann"]


BOTH = (
    "ann KEY",
    "ann  KEY",
    "ann\tKEY",
    "  ann KEY",
    'ann KEY comment of any kind = "quoted"',
    'ann namespaces="headgate" KEY',
    'ann NAMESPACES="git,headgate" KEY',
    'ann namespaces="head*" KEY',
    'ann namespaces="*,!git" KEY',
    'ann namespaces="headgate",valid-after="20200101Z",valid-before="20400101Z" KEY',
    'ann valid-after="202001010000Z" KEY',
    "# ann KEY\nann KEY",
    "ann KEY\r\n# end",
)
NOT_HERE = (
    "ann namespaces=headgate KEY",
    'ann namespaces=headgate" KEY',
    'ann namespaces="" KEY',
    'ann namespaces="git" KEY',
    'ann namespaces="headgate" namespaces="headgate" KEY',
    'ann namespaces="headgate",namespaces="git" KEY',
    'ann namespaces="*,!headgate" KEY',
    'ann valid-after="20400101Z" KEY',
    'ann valid-before="20200101Z" KEY',
    'ann valid-after="20300101Z",valid-before="20290101Z" KEY',
    'ann valid-after="20200101" KEY',
    "ann valid-after=20200101Z KEY",
    'ann valid-after="" KEY',
    'ann valid-before="20401301Z" KEY',
    'ann valid-before="２０４００１０１Z" KEY',
    "ann cert-authority KEY",
    "ann no-touch-required KEY",
    'ann ,namespaces="headgate" KEY',
    'ann namespaces="head\\"gate" KEY',
    "ANN KEY",
    "ann,bob KEY",
    "a* KEY",
    "!ann,* KEY",
    '"ann" KEY',
    "ann\x0cKEY",
    "ann\u2028KEY",
    "ann\u00a0KEY",
    "ann KEY\x0cbob OTHER",
    "ann KEY note\u2028bob OTHER",
    "ann KEY note\rbob OTHER",
    "bob OTHER\rann KEY",
    "bob OTHER\u2028ann KEY",
    "\ufeffann KEY",
    "ann\x00 KEY",
    "ann SPLIT",
    "ann KEY=",
    "ann TYPEONLY",
    "KEY",
    "ann",
)


@needs_ssh_keygen
@pytest.mark.parametrize(("text", "counts"), [*((text, True) for text in BOTH), *((text, False) for text in NOT_HERE)])
def test_nothing_is_accepted_that_openssh_refuses(text: str, counts: bool, tmp_path: Path) -> None:
    key, other = make_key(tmp_path / "k"), make_key(tmp_path / "o")
    for word, line in (("TYPEONLY", key.public.split()[0]), ("SPLIT", f"{key.public[:40]} {key.public[40:]}"), ("KEY", key.public)):
        text = text.replace(word, line)
    text = text.replace("OTHER", other.public) + "\n"
    (tmp_path / "signers").write_bytes(text.encode())
    (tmp_path / "x.sig").write_bytes(sign_bytes(b"message", key))
    try:
        entries = signers_from_text(text)
    except InputRejected:
        entries = ()
    counted = any(
        (entry.principal, entry.fingerprint) == ("ann", key.fingerprint) and entry.for_headgate and entry.valid_at(datetime.now(UTC))
        for entry in entries
    )
    taken = accepted_by_keygen(tmp_path / "signers", tmp_path / "x.sig", b"message")
    assert counted is counts
    assert taken or not counted
