"""What people do with headgate, from a table to a published release and back to its audit."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_release_that_asks_too_much_is_refused_with_its_cure_and_leaves_nothing_behind(project: Any) -> None:
    project.write_policy(gates=", distinct_l: {income: 50}")
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 3
    error = outcome.json["error"]
    assert "different values of income; at least 50 are required" in error["message"]
    assert "Raise k" in error["cure"]
    assert outcome.json["state"] == "refused"
    assert list((project.home / "candidates").iterdir()) == []
    assert list((project.home / "staging").iterdir()) == []
    listed = project.run("releases", "--json").json["releases"]
    assert [release["state"] for release in listed] == ["refused"]
    report = (project.home / "refused" / outcome.json["release"] / "report.html").read_text(encoding="utf-8")
    assert "This release was refused." in report


def test_a_bound_on_utility_refuses_after_everything_was_measured(project: Any) -> None:
    project.write_policy(max_error="0.0001")
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 3
    failed = [gate for gate in outcome.json["gates"] if not gate["passed"]]
    assert [(gate["gate"], gate["bound"], gate["comparison"]) for gate in failed] == [("utility", "max_error", "at most")]
    assert failed[0]["measured"] > failed[0]["required"]
    assert failed[0]["remedy"] in outcome.json["error"]["cure"]
    assert outcome.json["mlflow_run_id"]


def test_released_approved_twice_published_verified_and_found_out_when_tampered_with(project: Any, tmp_path: Path) -> None:
    released = project.released()
    candidate = released["candidate"]
    assert released["state"] == "awaiting_approval"
    assert all(gate["passed"] for gate in released["gates"])

    early = project.run("publish", candidate, "--json")
    assert early.code == 4
    assert "approvals" in early.json["error"]["message"]

    first = project.run("approve", candidate[:10], "--key", project.keys["alice"], "--reason", "read", "--json")
    assert (first.code, first.json["state"], first.json["approvals"]) == (0, "awaiting_approval", 1)
    again = project.run("approve", candidate, "--key", project.keys["alice"], "--reason", "once more", "--json")
    assert again.code == 4
    stranger = project.run("approve", candidate, "--key", project.keys["mallory"], "--reason", "me too", "--json")
    assert stranger.code == 4
    second = project.run("approve", candidate, "--key", project.keys["bob"], "--reason", "read too", "--json")
    assert second.json["state"] == "approved"

    published = project.run("publish", candidate, "--json")
    assert published.code == 0, published.err
    folder = Path(published.json["folder"])
    assert (published.json["version"], published.json["state"]) == (1, "published")
    assert (folder.parent / "latest").resolve() == folder.resolve()

    proven = project.run(
        "verify", folder, "--signers", project.home / "signers", "--ledger-key", project.home / "keys/ledger.pub", "--json"
    )
    assert proven.code == 0, proven.err
    assert proven.json["origin"] == "origin proven"
    assert sorted(proven.json["approved_by"]) == ["alice", "bob"]
    assert project.run("audit", "verify", "--json").code == 0

    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    table = next((copy / "tables").glob("*.csv"))
    lines = table.read_text(encoding="utf-8").split("\n")
    lines[1] = lines[1][:-1] + ("8" if lines[1].endswith("7") else "7")
    table.write_text("\n".join(lines), encoding="utf-8")
    tampered = project.run("verify", copy, "--json")
    assert tampered.code == 5
    assert not tampered.json["passed"]


def test_verify_needs_no_home_no_policy_and_no_network(project: Any, tmp_path: Path) -> None:
    _, folder = project.published()
    elsewhere = tmp_path / "a data user" / "download"
    shutil.copytree(folder, elsewhere)
    shutil.rmtree(project.home)
    shutil.rmtree(project.folder)
    offline = {
        "HEADGATE_HOME": "/proc/nowhere",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "HOME": "/proc/nowhere",
    }
    outcome = project.spawned("verify", elsewhere, "--json", environment=offline, cwd=tmp_path)
    assert outcome.code == 0, outcome.err
    assert outcome.json["passed"]
    assert "origin not proven" in outcome.json["origin"]


def test_a_changed_row_of_the_ledger_is_found(project: Any) -> None:
    project.published()
    assert project.run("audit", "verify").code == 0
    with sqlite3.connect(project.home / "ledger.db") as ledger:
        guards = [row[0] for row in ledger.execute("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")]
        names = [row[0] for row in ledger.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")]
        for name in names:
            ledger.execute(f"DROP TRIGGER {name}")
        ledger.execute("UPDATE events SET actor = 'carol' WHERE type = 'approved' AND actor = 'bob'")
        for guard in guards:
            ledger.execute(guard)
    outcome = project.run("audit", "verify", "--json")
    assert outcome.code == 5
    assert "Traceback" not in outcome.err


def test_a_rejected_candidate_is_never_published(project: Any) -> None:
    candidate = project.released()["candidate"]
    rejected = project.run("reject", candidate, "--key", project.keys["carol"], "--reason", "the region is too fine", "--json")
    assert (rejected.code, rejected.json["state"]) == (0, "rejected")
    for approver in ("alice", "bob"):
        assert project.run("approve", candidate, "--key", project.keys[approver], "--reason", "still").code == 4
    assert project.run("publish", candidate).code == 4
    assert not (project.home / "releases").exists() or not list((project.home / "releases").rglob("manifest.json"))


def test_whoever_runs_a_release_cannot_approve_it(project: Any) -> None:
    outcome = project.run("release", project.policy, "--key", project.keys["alice"], "--json")
    assert outcome.code == 0, outcome.err
    own = project.run("approve", outcome.json["candidate"], "--key", project.keys["alice"], "--reason", "I made it", "--json")
    assert own.code == 4
    assert "the person who ran a release cannot decide on it" in own.json["error"]["message"]


def test_a_second_version_supersedes_the_first_and_withdrawing_it_brings_the_first_back(project: Any) -> None:
    first, folder = project.published()
    before = contents(folder)
    project.write_policy(k=6, gates=", series: {unmeasured: nobody is followed here}")
    second, newer = project.published()
    assert (folder.name, newer.name) == ("1", "2")
    assert contents(folder) == before
    states = {release["candidate"]: release["state"] for release in project.run("releases", "--json").json["releases"]}
    assert (states[first], states[second]) == ("superseded", "published")
    withdrawn = project.run("withdraw", second, "--key", project.keys["alice"], "--reason", "a mistake in the source", "--json")
    assert (withdrawn.code, withdrawn.json["latest"]) == (0, 1)
    assert (folder.parent / "latest").resolve() == folder.resolve()
    assert project.run("audit", "verify").code == 0


def test_if_changed_ends_as_nothing_new_and_is_recorded(project: Any) -> None:
    candidate = project.released()["candidate"]
    again = project.run("release", project.policy, "--if-changed", "--json")
    assert (again.code, again.json["state"], again.json["candidate"]) == (0, "nothing_new", candidate)
    assert [release["state"] for release in project.run("releases", "--json").json["releases"]] == ["awaiting_approval", "nothing_new"]
    rows = project.source.read_text(encoding="utf-8")
    project.source.write_text(
        rows + rows.split("\n")[-2].replace("person-00299", "person-99999").replace("ins/", "ins/9") + "\n", encoding="utf-8"
    )
    changed = project.run("release", project.policy, "--if-changed", "--json")
    assert (changed.code, changed.json["state"]) == (0, "awaiting_approval")


def test_two_candidates_of_one_source_share_nothing_that_lines_their_rows_up(project: Any) -> None:
    one, other = (Path(project.released()["folder"]) for _ in range(2))
    tables = [(folder / "tables" / "table-1.csv").read_text(encoding="utf-8").split("\n")[1:-1] for folder in (one, other)]
    assert len(tables[0]) == len(tables[1])
    same = sum(left.rsplit(",", 1)[0] == right.rsplit(",", 1)[0] for left, right in zip(*tables, strict=True))
    assert same < len(tables[0]) / 4


def test_show_is_an_event_and_says_who_must_still_approve(project: Any) -> None:
    candidate = project.released()["candidate"]
    shown = project.run("show", candidate[:8], "--json")
    assert shown.code == 0
    assert shown.json["approvals_required"] == 2
    assert set(shown.json["signers"]) == {"alice", "bob", "carol"}
    told = project.run("audit", "show", candidate, "--json").json
    assert [event["type"] for event in told["events"]][-1] == "viewed"


@pytest.mark.long
def test_suppressed_rows_leave_every_table(project: Any) -> None:
    rows = [dict(row) for row in project_rows(project)]
    for row in rows[:90]:
        row["education"] = "tertiary"
    project.write_source(rows)
    text = project.write_policy(delta="0.6").read_text(encoding="utf-8")
    text = text.replace("epsilon: 0.05, delta: 0.6}", "epsilon: 0.05, delta: 0.6, infeasible: {suppress: 0.4}}").replace(
        "projection: {method: codip*, association_loss: 1, join_threat: 0.9}", "projection: {method: separate}"
    )
    project.policy.write_text(text, encoding="utf-8")
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 0, outcome.err
    assert 0 < outcome.json["suppressed"] <= 0.4 * len(rows)
    assert {table["rows"] for table in outcome.json["tables"]} == {len(rows) - outcome.json["suppressed"]}


def project_rows(project: Any) -> list[dict[str, str]]:
    import csv

    with project.source.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))
