"""A publication whose process is gone is abandoned, resumed and published, by commands alone."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import StoreUnavailable
from tasks.ledger.history import read_history
from tasks.publication import publish_version
from tests.unit.flows.cli.test_statement import signed
from tests.unit.tasks.signing.openssh import needs_ssh_keygen


@pytest.fixture
def cut_short(world: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")

    def gone(*_arguments: object) -> None:
        raise StoreUnavailable("The store is gone.", "Wait.")

    with monkeypatch.context() as broken:
        broken.setattr(publish_version, "_put_in_place", gone)
        with suppress(StoreUnavailable):
            world.publish(candidate)
    return candidate


def test_a_publication_is_abandoned_and_resumed(run: Any, world: Any, key_file: Any, cut_short: Any) -> None:
    candidate = cut_short
    key = ("--key", key_file("cyd"))
    abandoned = run("abandon", candidate.id[:10], *key, "--reason", "the store is gone", "--json")
    assert abandoned.json == {"release": "release-1", "candidate": candidate.id, "state": "stalled"}
    resumed = run("resume", "release-1", *key, "--reason", "it is back")
    assert (resumed.code, resumed.err) == (0, "")
    assert resumed.out.splitlines() == [f"{candidate.id[:12]}: publishing.", f"  headgate publish {candidate.id[:12]}"]
    assert world.publish(candidate).version == 1


@needs_ssh_keygen
def test_what_an_operator_signed_elsewhere_is_handed_in(run: Any, world: Any, cut_short: Any, key_folder: Path, tmp_path: Path) -> None:
    for action, state in (("abandon", "stalled"), ("resume", "publishing")):
        given = run("statement", cut_short.id[:10], "--as", "cyd", "--action", action, "--reason", "the store was gone")
        assert f"headgate {action} {cut_short.id[:12]} --signature" in given.err
        signature = signed(tmp_path, key_folder / "cyd", given.out)
        other = {"abandon": "resume", "resume": "abandon"}[action]
        assert run(other, cut_short.id, "--signature", signature, "--json").error["code"] == 4
        assert run(action, cut_short.id, "--signature", signature, "--reason", "another", "--json").error["code"] == 4
        assert run(action, cut_short.id, "--signature", signature, "--json").json["state"] == state
        assert read_history(world.ledger).events("release-1")[-1].signer.principal == "cyd"


def test_only_an_operator_is_given_a_statement_about_what_is_stuck(run: Any, world: Any, cut_short: Any) -> None:
    (world.home.root / "operator.yaml").write_text("operators: [cyd]\n")
    refused = run("statement", cut_short.id, "--as", "ann", "--action", "resume", "--reason", "go on")
    assert (refused.code, refused.out) == (4, "")
    assert "--as: cyd" in refused.err
