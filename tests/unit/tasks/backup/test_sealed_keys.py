"""Keys in a backup are opened by those whom the operator names, by headgate and by stock tools, and by nobody else."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pyrage
import pytest

from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken
from tasks.backup.sealed_keys import fingerprint_of, mark_of, opened_with, packed, recipient_of, recipients_in, require_marked, sealed_for

SECRET = "ab" * 32
CONTENTS = {"keys/ledger.secret": SECRET.encode(), "keys/seeds/x": b"1"}


def test_an_ssh_key_and_an_age_key_open_what_is_sealed_for_both(keys: Any, key_folder: Path, tmp_path: Path) -> None:
    own = pyrage.x25519.Identity.generate()
    (tmp_path / "age").write_text(f"# made for the safe\n{own}\n")
    sealed = sealed_for(packed(CONTENTS), [recipient_of(keys["ann"].public + " ann@example"), str(own.to_public())])
    assert opened_with(sealed, key_folder / "ann") == CONTENTS
    assert opened_with(sealed, tmp_path / "age") == CONTENTS
    with pytest.raises(InputRejected, match="does not open the keys"):
        opened_with(sealed, key_folder / "bob")


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
@pytest.mark.slow
def test_a_key_with_a_passphrase_opens_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "open", "-f", tmp_path / "key"], check=True)
    sealed = sealed_for(packed(CONTENTS), recipients_in(tmp_path / "key.pub"))
    with pytest.raises(InputRejected, match="protected by a passphrase"):
        opened_with(sealed, tmp_path / "key")
    monkeypatch.setenv("HEADGATE_KEY_PASSPHRASE", "open")
    assert opened_with(sealed, tmp_path / "key") == CONTENTS


def test_what_is_no_recipient_is_refused(tmp_path: Path, keys: Any) -> None:
    for line in ("", "ecdsa-sha2-nistp256 AAAA", "age1short", "ssh-ed25519", "ssh-ed25519 AAAA"):
        with pytest.raises(HeadgateError):
            recipient_of(line)
    (tmp_path / "none").write_text("# nobody\n\n")
    with pytest.raises(InputRejected, match="names no recipient"):
        recipients_in(tmp_path / "none")
    assert fingerprint_of(keys["ann"].public) == keys["ann"].fingerprint


def test_other_keys_than_those_that_were_marked_are_refused() -> None:
    mark = mark_of(packed(CONTENTS), bytes.fromhex(SECRET))
    require_marked(dict(reversed(CONTENTS.items())), mark)
    for other in (
        CONTENTS | {"keys/more": b""},
        CONTENTS | {"keys/ledger.secret": b"cd" * 32},
        {},
        CONTENTS | {"keys/ledger.secret": b"x"},
    ):
        with pytest.raises(IntegrityBroken, match="are not those"):
            require_marked(other, mark)


@pytest.mark.parametrize("name", ["../keys/a", "/keys/a", "signers", "keys/../signers", "keys/.a"])
def test_an_archive_that_leads_elsewhere_is_refused(name: str, keys: Any, key_folder: Path) -> None:
    with pytest.raises(IntegrityBroken):
        opened_with(sealed_for(packed({name: b"a"}), [keys["ann"].public]), key_folder / "ann")


def test_a_link_or_garbage_in_the_archive_is_refused(keys: Any, key_folder: Path) -> None:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        member = tarfile.TarInfo("keys/ledger")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(member)
    for content in (whole.getvalue(), b"no archive at all" * 100):
        with pytest.raises(IntegrityBroken):
            opened_with(sealed_for(content, [keys["ann"].public]), key_folder / "ann")
