"""`headgate statement`: the bytes on stdout and nothing else, what they say on stderr, and the way back by --signature."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tasks.approval.reasons import kept_reason
from tasks.ledger.history import read_history
from tests.unit.tasks.signing.openssh import keygen, needs_ssh_keygen


def signed(folder: Path, key: Path, content: str) -> Path:
    (folder / "it").write_text(content)
    (folder / "it.sig").unlink(missing_ok=True)
    assert keygen("-Y", "sign", "-f", key, "-n", "headgate", folder / "it").returncode == 0
    return folder / "it.sig"


def test_people_read_on_stderr_what_stands_on_stdout(run: Any, world: Any) -> None:
    candidate = world.seal()
    outcome = run("statement", candidate.id[:10], "--as", "ann", "--reason", "read \x1b[2Jthe report")
    assert outcome.code == 0
    assert outcome.out.startswith("DSSEv1 28 application/vnd.in-toto+json ")
    for part in ("ann", "approve", candidate.id, candidate.manifest.policy_digest, "the report", "ssh-keygen -Y sign", "--signature"):
        assert part in outcome.err
    assert "\x1b[2J" not in outcome.err


@needs_ssh_keygen
@pytest.mark.parametrize(
    ("action", "state"), [("approve", "awaiting_approval"), ("request-changes", "changes_requested"), ("reject", "rejected")]
)
def test_a_decision_signed_elsewhere_is_handed_in(run: Any, world: Any, key_folder: Path, tmp_path: Path, action: str, state: str) -> None:
    candidate = world.seal()
    statement = run("statement", candidate.id, "--as", "ann", "--action", action, "--reason", "read the report")
    signature = signed(tmp_path, key_folder / "ann", statement.out)
    assert run(action, candidate.id, "--signature", signature, "--reason", "something else", "--json").error["code"] == 4
    done = run(action, candidate.id, "--signature", signature, "--json")
    assert (done.json["state"], done.json["principal"]) == (state, "ann")
    recorded = read_history(world.ledger).events("release-1")[-1]
    assert kept_reason(world.home, candidate.id, recorded.reason_sha256).text == "read the report"


@needs_ssh_keygen
def test_a_withdrawal_signed_elsewhere_is_handed_in(run: Any, world: Any, key_folder: Path, tmp_path: Path) -> None:
    candidate = world.seal()
    statement = run("statement", candidate.id, "--as", "bob", "--action", "withdraw", "--reason", "a mistake")
    signature = signed(tmp_path, key_folder / "bob", statement.out)
    assert run("withdraw", "release-1", "--signature", signature, "--json").json["state"] == "withdrawn"


def test_a_statement_needs_a_person_a_reason_and_an_action_that_people_sign(run: Any, world: Any) -> None:
    candidate = world.seal()
    assert run("statement", candidate.id, "--as", "ann", "--reason", " ").code == 2
    assert run("statement", candidate.id, "--as", "ann", "--action", "publish", "--reason", "now").code == 2
    assert run("statement", candidate.id, "--reason", "read").code == 2
    refused = run("statement", candidate.id, "--as", "stranger", "--reason", "read")
    assert (refused.code, refused.out) == (4, "")
    assert "--as" in refused.err


def test_a_statement_tells_nothing_of_the_votes_of_others_while_they_are_hidden(run: Any, world: Any) -> None:
    candidate = world.seal(blind=True)
    world.approve(candidate, "ann")
    given = run("statement", candidate.id, "--as", "bob", "--reason", "read it too")
    assert given.code == 0
    assert "ann" not in given.out + given.err
    assert "read the report" not in given.out + given.err
