from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from headgate.core.errors import InputRejected
from tasks.approval.kept_passkeys import MOST, forget_passkey, keep_passkey, kept_passkeys, passkeys_folder
from tasks.signing.passkeys import Registered
from tasks.signing.public_keys import key_of_blob
from tests.unit.tasks.signing.openssh import SecurityKey

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def made() -> Registered:
    return Registered(key_of_blob(SecurityKey("sk-ecdsa-sha2-nistp256@openssh.com", "localhost").blob, "x"), "bmFtZQ")


def test_a_passkey_is_kept_for_its_person_and_forgotten_by_them_alone(world: Any) -> None:
    before = world.home.signers.read_bytes()
    ann, bob = made(), made()
    for principal, registered in (("ann", ann), ("bob", bob)):
        keep_passkey(world.home, principal, registered, NOW)
    assert [kept.registered for kept in kept_passkeys(world.home, "ann")] == [ann]
    assert {kept.principal for kept in kept_passkeys(world.home)} == {"ann", "bob"}
    forget_passkey(world.home, "bob", ann.key.fingerprint)
    assert kept_passkeys(world.home, "ann")
    forget_passkey(world.home, "ann", ann.key.fingerprint)
    assert not kept_passkeys(world.home, "ann")
    assert world.home.signers.read_bytes() == before  # the operator adds lines, and nobody else


def test_nobody_fills_the_home_with_passkeys(world: Any) -> None:
    for _ in range(MOST):
        keep_passkey(world.home, "ann", made(), NOW)
    with pytest.raises(InputRejected, match="20 passkeys"):
        keep_passkey(world.home, "ann", made(), NOW)


def test_one_that_somebody_damaged_is_refused_with_its_cure(world: Any) -> None:
    keep_passkey(world.home, "ann", made(), NOW)
    (file,) = passkeys_folder(world.home).iterdir()
    file.write_text("{}")
    with pytest.raises(InputRejected, match="cannot be read"):
        kept_passkeys(world.home)


def test_nobody_takes_the_passkey_of_somebody_else(world: Any) -> None:
    """Who registers proves nothing: the key of somebody else can be read from `signers`."""
    registered = made()
    keep_passkey(world.home, "ann", registered, NOW)
    with pytest.raises(InputRejected, match="kept for somebody else"):
        keep_passkey(world.home, "bob", registered, NOW)
    assert [kept.principal for kept in kept_passkeys(world.home)] == ["ann"]
    keep_passkey(world.home, "ann", registered, NOW)


@pytest.mark.parametrize("name", ["", "x" * 1401])
def test_a_passkey_without_a_name_that_can_be_kept_is_refused(world: Any, name: str) -> None:
    with pytest.raises(InputRejected, match="name is empty or too long"):
        keep_passkey(world.home, "ann", Registered(made().key, name), NOW)
