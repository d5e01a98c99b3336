"""What is sent is what the person can read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flows.service.sent_files import read_sent
from headgate.core.errors import InputRejected
from policies.shipped import SHIPPED
from tests.unit.flows.schedules.test_scheduled_policies import written


def sent(options: tuple[str, ...], **given: object) -> dict[tuple[str, str], bytes]:
    entries, contents = read_sent(options, given)
    assert [entry.size for entry in entries] == [len(content) for content in contents]
    return {(entry.role, entry.name): content for entry, content in zip(entries, contents, strict=True)}


def test_a_policy_goes_with_its_source_or_with_the_one_in_its_place(tmp_path: Path) -> None:
    policy = written(tmp_path, "policy.yaml", "people")
    (tmp_path / "people.csv").write_bytes(b"age,job\n")
    (tmp_path / "other.csv").write_bytes(b"other\n")
    options = ("policy", "source")
    assert sent(options, policy=policy, source=None) == {
        ("policy", "policy.yaml"): policy.read_bytes(),
        ("policy", "people.csv"): b"age,job\n",
    }
    assert sent(options, policy=policy, source=tmp_path / "other.csv") == {
        ("policy", "policy.yaml"): policy.read_bytes(),
        ("source", "other.csv"): b"other\n",
    }


def test_a_shipped_policy_goes_like_any_other() -> None:
    names = {name for _, name in sent(("policy",), policy=Path(f"shipped:{sorted(SHIPPED)[0]}"), source=None)}
    assert len(names) > 1


def test_several_files_of_one_option_keep_their_order(tmp_path: Path) -> None:
    heads = [tmp_path / "b", tmp_path / "a"]
    for head in heads:
        head.write_text(head.name)
    entries, _ = read_sent(("cosigned", "signers"), {"cosigned": heads, "signers": None})
    assert [(entry.role, entry.name) for entry in entries] == [("cosigned", "b"), ("cosigned", "a")]


def test_a_list_of_signers_goes_with_the_keys_that_no_longer_count(tmp_path: Path) -> None:
    """Over the socket, a head that a stolen key of an auditor had cosigned was proof, though the auditors' own list revoked that key."""
    listed = tmp_path / "auditors"
    listed.write_text("ann ssh-ed25519 AAAA\n")
    assert sent(("signers",), signers=listed) == {("signers", "signers"): listed.read_bytes()}
    (tmp_path / "revoked_keys").write_text("ssh-ed25519 AAAA\n")
    assert sent(("signers",), signers=listed)[("signers", "revoked_keys")] == b"ssh-ed25519 AAAA\n"
    with pytest.raises(InputRejected, match="does not exist"):
        sent(("signers",), signers=tmp_path / "absent")


def test_a_list_that_others_can_change_is_not_sent_as_if_it_proved_something(tmp_path: Path) -> None:
    listed = tmp_path / "auditors"
    listed.touch()
    listed.chmod(0o666)
    with pytest.raises(InputRejected, match="Others on this machine can change"):
        sent(("signers",), signers=listed)


def test_what_the_person_cannot_read_is_not_sent(tmp_path: Path) -> None:
    with pytest.raises(InputRejected, match="does not exist"):
        sent(("signature",), signature=tmp_path / "absent")
    if os.geteuid() == 0:
        return
    (tmp_path / "closed").touch(mode=0)
    with pytest.raises(InputRejected, match="Permission denied"):
        sent(("signature",), signature=tmp_path / "closed")


def test_a_policy_that_names_files_outside_its_folder_is_not_sent(tmp_path: Path) -> None:
    policy = written(tmp_path, "policy.yaml", "people")
    policy.write_text(policy.read_text().replace("people.csv", "../people.csv"))
    with pytest.raises(InputRejected, match="does not lie below the folder"):
        sent(("policy", "source"), policy=policy, source=None)
