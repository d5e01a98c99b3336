from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected
from tasks.signing.keys import make_key
from tasks.signing.public_keys import read_public_key
from tasks.signing.revocation import revoked_from
from tests.unit.tasks.signing.openssh import keygen, needs_ssh_keygen, text


def test_revoked_keys_are_listed_as_keys_or_fingerprints(tmp_path: Path) -> None:
    one, two, three = (make_key(tmp_path / name) for name in ("one", "two", "three"))
    revoked = revoked_from(f"# left\n{one.public} note\r\n\n{two.fingerprint} # lost\n".encode())
    assert [revoked.holds(key.key.blob) for key in (one, two, three)] == [True, True, False]


@pytest.mark.parametrize(
    "line",
    ["everyone", "ONE TWO", "ONE extra", "KEY\rKEY", "KEY\x0cTWO", "KEY\u2028TWO", "SHA256:short", "MD5:aa:bb", "ssh-ed25519 AAAA", "\x00"],
)
def test_a_line_that_might_name_a_second_key_refuses_the_list(tmp_path: Path, line: str) -> None:
    one, two = make_key(tmp_path / "one"), make_key(tmp_path / "two")
    content = line.replace("ONE", one.fingerprint).replace("TWO", two.fingerprint).replace("KEY", one.public)
    with pytest.raises(InputRejected, match="line 2"):
        revoked_from(f"# lost\n{content}\n".encode())


def test_what_is_left_of_a_key_that_lost_its_end_refuses_the_list(tmp_path: Path) -> None:
    """It was taken, and revoked nobody."""
    kind, encoded = make_key(tmp_path / "one").public.split()[:2]
    assert revoked_from(f"{kind} {encoded}\n".encode()).fingerprints
    for end in (4, 8, 44, 64):
        with pytest.raises(InputRejected, match="line 1"):
            revoked_from(f"{kind} {encoded[:end]}\n".encode())


def test_a_key_that_may_not_sign_may_still_be_revoked() -> None:
    blob = text(b"ssh-dss") + text(b"p") + text(b"q") + text(b"g") + text(b"y")
    assert revoked_from(f"ssh-dss {base64.b64encode(blob).decode()} old\n".encode()).holds(blob)


@needs_ssh_keygen
@pytest.mark.parametrize("form", ["keys", "sha256", "sha1", "hash"])
def test_a_key_revocation_list_revokes_what_ssh_keygen_says_it_revokes(form: str, tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        make_key(tmp_path / name)
    paths = [tmp_path / f"{name}.pub" for name in ("one", "two")]
    keys = [read_public_key(path) for path in paths]
    (tmp_path / "listed").write_text(
        {
            "keys": "".join(f"{key.line}\n" for key in keys),
            "sha256": "".join(f"sha256: {key.line}\n" for key in keys),
            "sha1": "".join(f"sha1: {key.line}\n" for key in keys),
            "hash": "".join(f"hash: {key.fingerprint}\n" for key in keys),
        }[form]
    )
    assert keygen("-k", "-z", 9, "-f", tmp_path / "krl", tmp_path / "listed").returncode == 0
    content = (tmp_path / "krl").read_bytes()
    revoked = revoked_from(content)
    for name in ("one", "two", "three"):
        says = keygen("-Q", "-f", tmp_path / "krl", tmp_path / f"{name}.pub").returncode != 0
        assert revoked.holds(read_public_key(tmp_path / f"{name}.pub").blob) is says is (name != "three")
    for damaged in (content[:-1], content + b"\x09" + text(b"?"), content[:20], b"SSHKRL\n\1" + content[8:]):
        with pytest.raises(InputRejected, match="cannot be read"):
            revoked_from(damaged)


def test_an_extension_that_must_be_understood_refuses_the_list() -> None:
    head = b"SSHKRL\n\0" + (1).to_bytes(4, "big") + bytes(24) + text(b"") + text(b"")
    blob = b"any key"
    digest = text(hashlib.sha256(blob).digest())
    optional, critical = (b"\xff" + text(text(b"new@example.org") + flag + text(b"")) for flag in (b"\0", b"\1"))
    assert revoked_from(head + b"\x05" + text(digest) + optional).holds(blob)
    with pytest.raises(InputRejected, match="cannot be read"):
        revoked_from(head + b"\x05" + text(digest) + critical)


def test_what_is_neither_text_nor_a_list_is_refused() -> None:
    with pytest.raises(InputRejected, match="neither text"):
        revoked_from(b"\xff\xfe\0")
