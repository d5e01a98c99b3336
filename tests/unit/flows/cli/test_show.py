"""`headgate show`: what would be published; looking at it is an event."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tasks.ledger.history import read_history


def test_an_approver_sees_figures_gates_folder_and_what_is_needed(run: Any, world: Any) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann")
    shown = run("show", candidate.id[:8])
    assert (shown.code, shown.err) == (0, "")
    assert f"candidate {candidate.id}" in shown.out
    assert f"report {candidate.folder / 'report.html'}" in shown.out
    assert "approvals 1 of 2 (ann)" in shown.out
    assert "\nawaited: bob, cyd\n" in shown.out
    assert "must approve" not in shown.out, "ann has signed"
    assert shown.out.rstrip().endswith(f"headgate approve {candidate.id[:12]} --key KEY --reason TEXT")
    assert "refused" not in shown.out


def test_nothing_is_needed_of_a_candidate_that_is_decided(run: Any, world: Any) -> None:
    candidate = world.seal()
    assert "(none yet)" in run("show", candidate.id).out
    world.approve(candidate, "ann", "bob")
    assert "must approve" not in run("show", candidate.id).out


def test_the_document_is_one_object_with_what_approvers_decide_on(run: Any, world: Any) -> None:
    candidate = world.seal()
    world.approve(candidate, "bob")
    shown = run("show", candidate.id, "--json")
    document = shown.json
    assert (shown.code, shown.err) == (0, "")
    assert (document["candidate"], document["state"], document["folder"]) == (candidate.id, "awaiting_approval", str(candidate.folder))
    assert document["recorded"] is True
    assert (document["approvals"], document["approvals_required"], document["approved_by"]) == (1, 2, ["bob"])
    assert document["signers"] == ["ann", "ann", "bob", "cyd"]
    assert [table["name"] for table in document["tables"]] == ["table-1", "table-2"]
    assert all(gate["passed"] for gate in document["gates"])


def test_every_look_is_an_event_and_changes_no_state(run: Any, world: Any) -> None:
    candidate = world.seal()
    before = len(world.ledger.entries())
    run("show", candidate.id)
    run("show", candidate.id, "--json")
    assert [entry.type for entry in world.ledger.entries()[before:]] == ["viewed", "viewed"]
    assert read_history(world.ledger).find(candidate.id).state == "awaiting_approval"


@pytest.mark.slow
@pytest.mark.parametrize("why", ["read-only", "without the ledger's key"])
def test_in_a_home_where_nothing_can_be_recorded_it_says_so_and_shows_it(run: Any, world: Any, why: str, monkeypatch: Any) -> None:
    """It ended with "cannot be used"; an auditor looks at a copy, or at a home that is mounted for reading only."""
    candidate = world.seal()
    if why == "read-only":
        writable = os.access
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and writable(path, mode))
    else:
        (world.home.keys / "ledger").unlink()
    before = {path: (path.stat().st_mtime_ns, path.stat().st_mode) for path in world.home.root.rglob("*")}
    shown = run("show", candidate.id)
    assert (shown.code, f"candidate {candidate.id}" in shown.out) == (0, True)
    assert shown.err.startswith("That you look at it is not recorded, because ")
    assert run("show", candidate.id, "--json").json["recorded"] is False
    refused = run("statement", candidate.id, "--as", "ann", "--reason", "read")
    assert (refused.code, refused.out) == (6, "")
    assert "A statement is kept in the home until its signature is handed in" in " ".join(refused.err.split())
    assert {path: (path.stat().st_mtime_ns, path.stat().st_mode) for path in world.home.root.rglob("*")} == before


def test_a_candidate_that_was_changed_is_not_shown(run: Any, world: Any) -> None:
    candidate = world.seal()
    table = next((candidate.folder / "tables").iterdir())
    table.chmod(0o600)
    table.write_bytes(table.read_bytes() + b"\n")
    shown = run("show", candidate.id, "--json")
    assert shown.error["code"] == 5
    assert list(shown.json) == ["error"]
    assert run("show", "0" * 64, "--json").error["code"] == 2


def test_while_votes_are_hidden_only_their_number_is_shown(run: Any, world: Any) -> None:
    """Whoever may still sign must not be swayed by who has."""
    roles = world.hold_roles(law=("ann",), methods=("bob", "cyd"))
    candidate = world.seal(blind=True, roles_required=roles)
    before = run("show", candidate.id).out
    world.approve(candidate, "ann")
    shown = run("show", candidate.id).out
    assert shown == before.replace("approvals 0 of 2", "approvals 1 of 2")
    assert "approvals 1 of 2 (the names are shown once it is decided)" in shown
    document = run("show", candidate.id, "--json").json
    assert (document["approvals"], document["approved_by"]) == (1, None)
    assert run("publish", candidate.id).err.count("ann") == 0
    world.approve(candidate, "bob")
    assert "approvals 2 of 2 (ann, bob)" in run("show", candidate.id).out


def test_the_roles_that_must_be_filled_are_shown_with_who_holds_them(run: Any, world: Any, key_file: Any) -> None:
    candidate = world.seal(roles_required=world.hold_roles(law=("ann", "runner"), methods=("ann", "bob")))
    shown = run("show", candidate.id).out
    assert "  1 of them with the role law: ann\n  1 of them with the role methods: ann, bob\n" in shown
    assert run("show", candidate.id, "--json").json["roles_required"][1] == {"role": "methods", "number": 1, "people": ["ann", "bob"]}
    world.approve(candidate, "ann")
    assert "\nawaited: bob (methods)\n" in run("show", candidate.id).out
    second = run("approve", candidate.id, "--key", key_file("cyd"), "--reason", "read")
    assert second.out.splitlines()[1:] == ["2 of 2 approvals; awaiting approval.", "Still needed: 1 more person with the role methods."]


def test_a_copy_of_the_report_is_saved_over_no_other_file(run: Any, world: Any, tmp_path: Path) -> None:
    candidate, copy = world.seal(), tmp_path / "copy.html"
    assert run("show", candidate.id, "--report", copy).code == 0
    assert copy.read_bytes() == (candidate.folder / "report.html").read_bytes()
    (tmp_path / "notes.txt").write_text("notes")
    assert run("show", candidate.id, "--report", tmp_path / "notes.txt").code == 2
    assert (tmp_path / "notes.txt").read_text() == "notes"


def test_the_report_is_told_in_another_language(run: Any, world: Any, tmp_path: Path) -> None:
    candidate, copy = world.seal(), tmp_path / "copy.html"
    assert run("show", candidate.id, "--report", copy, "--language", "de").code == 0
    assert "Darf es veröffentlicht werden?" in copy.read_text(encoding="utf-8")
    refused = run("show", candidate.id, "--report", copy, "--language", "xx")
    assert (refused.code, "Name one of these: en, de." in refused.err) == (2, True)


def test_an_approver_is_not_asked_to_sign_what_can_never_be_published(run: Any, world: Any) -> None:
    first, second = world.seal(known_versions=()), world.seal(known_versions=())
    world.approve(first, "ann", "bob")
    assert not run("show", second.id, "--json").json["overtaken"]
    world.publish(first)
    shown = run("show", second.id).out
    assert "It cannot be published: a version of the dataset came out since the candidate was sealed" in shown
    assert "headgate approve" not in shown
    assert run("show", second.id, "--json").json["overtaken"]
    assert not run("show", first.id, "--json").json["overtaken"]
