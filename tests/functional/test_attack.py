"""Attacks on a sealed candidate, on the command line: from the files that were sealed, and from the source as it was."""

from __future__ import annotations

import csv
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.functional.conftest import people

GATE = ", disclosure: {dictionaries: [{path: register.csv, on: [age, sex, region]}], mean: 1}"
VALUES = ("north-a", "south-b", "tertiary", "person-0", "ins/")


@pytest.fixture
def candidate(project: Any) -> str:
    """A register lists two of three people of the source, one in seven of them without a region."""
    with (project.folder / "register.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["age", "sex", "region"])
        listed = [row for number, row in enumerate(people()) if number % 3]
        writer.writerows([row["age"], row["sex"], row["region"] if number % 7 else ""] for number, row in enumerate(listed))
    project.write_policy(gates=GATE)
    return str(project.released()["candidate"])


def refused(project: Any, code: int, *arguments: str | Path) -> dict[str, str]:
    outcome = project.run("attack", *arguments, "--json")
    assert outcome.code == code, outcome.err
    return dict(outcome.json["error"])


@pytest.mark.long
def test_every_attack_is_tried_and_told_with_its_figures_and_no_values(project: Any, candidate: str) -> None:
    outcome = project.run("attack", candidate[:12], "--json")
    assert outcome.code == 0, outcome.err
    document = outcome.json
    assert (document["candidate"], document["people"], document["rows"]) == (candidate, 300, 300)
    attacks = document["attacks"]
    tables = len(project.run("show", candidate, "--json").json["tables"])
    wanted = {"Homogeneity", "Proximity", "Dictionary linking"} | ({"Linkage by order", "Intersection"} if tables > 1 else set())
    assert wanted <= {one["attack"] for one in attacks}
    for one in attacks:
        assert one["sentence"]
        if "people" in one:
            assert one["share"] == one["right"] / one["people"]
            assert one["interval"][0] <= one["share"] <= one["interval"][1]
            assert one["gain"] == one["share"] - one["share_overall"]
    linking = next(one for one in attacks if one["attack"] == "Dictionary linking")
    assert "'register.csv'" in linking["guess"]
    assert 0 < linking["right_overall"] <= 300 / 200  # naming anybody of the 200 who are listed
    shown = project.run("attack", candidate)
    assert shown.code == 0, shown.err
    assert "The attack that gains most: " in shown.out or "No attack that was tried gains" in shown.out
    assert not any(value in text for value in VALUES for text in (outcome.out, outcome.err, shown.out, shown.err))


@pytest.mark.long
def test_the_release_tells_the_same_attacks_and_that_somebody_looked_is_an_event(project: Any, candidate: str) -> None:
    again = project.run("attack", candidate, "--people", "50", "--json").json
    assert again["people"] == 50
    assert {one["people"] for one in again["attacks"] if "people" in one and one["attack"] != "Intersection"} == {50}
    events = project.run("audit", "show", candidate, "--json").json["events"]
    assert sum(event["type"] == "viewed" for event in events) == 1
    assert len(again["attacks"]) == len(_sealed_sentences(project, candidate))


def _sealed_sentences(project: Any, candidate: str) -> list[str]:
    from tasks.stores.seal import read_manifest

    return list(read_manifest((project.home / "candidates" / candidate / "manifest.json").read_bytes()).attacks)


@pytest.mark.long
def test_only_what_the_candidate_was_made_from_is_read_again(project: Any, candidate: str) -> None:
    note = project.home / "origins" / candidate
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    kept = project.source.read_bytes()
    project.write_source(people(seed=2))
    error = refused(project, 2, candidate)
    assert "made from" in error["message"]
    assert "--source" in error["cure"]
    elsewhere = project.folder / "kept.csv"
    elsewhere.write_bytes(kept)
    assert project.run("attack", candidate, "--source", elsewhere, "--json").code == 0
    project.source.unlink()
    assert "--source" in refused(project, 2, candidate)["cure"]
    project.write_policy(gates=GATE, k=6)
    error = refused(project, 2, candidate, "--source", elsewhere)
    assert "is not the policy" in error["message"]
    assert "--policy" in error["cure"]
    note.unlink()
    assert "--policy" in refused(project, 2, candidate)["cure"]
    project.write_policy(gates=GATE)
    assert project.run("attack", candidate, "--policy", project.policy, "--source", elsewhere, "--json").code == 0


@pytest.mark.long
def test_cells_that_were_suppressed_are_suppressed_again_before_people_are_matched(project: Any, candidate: str) -> None:
    before = project.run("attack", candidate, "--json").json
    project.write_policy(gates=GATE, more="suppress_cells: {keep: 2, among: [age, sex, region]}\n")
    after = project.run("attack", str(project.released()["candidate"]), "--json")
    assert after.code == 0, after.err
    listed = [[one["right_overall"] for one in found["attacks"] if one["attack"] == "Dictionary linking"] for found in (before, after.json)]
    assert listed[0][0] == listed[1][0]  # who is in the register does not depend on what was suppressed


@pytest.mark.long
def test_a_query_with_another_result_is_no_longer_the_candidates_dictionary(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was attacked with what the database held by then, and nobody was told."""
    with sqlite3.connect(project.folder / "voters.db") as database:
        database.execute("create table voter (age integer, sex text)")
        database.executemany("insert into voter values (?, ?)", [(int(row["age"]), row["sex"]) for row in people()])
    monkeypatch.setenv("VOTERS_URL", f"sqlite:///{project.folder}/voters.db")
    query = '{sql: {url_env: VOTERS_URL, query: "select age, sex from voter"}, on: [age, sex]}'
    project.write_policy(gates=f", disclosure: {{dictionaries: [{query}], mean: 1}}")
    candidate = str(project.released()["candidate"])
    assert project.run("attack", candidate, "--people", "20", "--json").code == 0
    with sqlite3.connect(project.folder / "voters.db") as database:
        database.execute("update voter set age = age + 1 where rowid = 1")
    error = refused(project, 2, candidate)
    assert "'query VOTERS_URL' is not the one that candidate" in error["message"]


@pytest.mark.long
def test_a_table_that_was_changed_is_not_attacked_but_refused(project: Any, candidate: str) -> None:
    assert "--people" in refused(project, 2, candidate, "--people", "0")["cure"]
    table = next((project.home / "candidates" / candidate / "tables").glob("*.csv"))
    table.chmod(0o644)
    table.write_bytes(table.read_bytes() + b"\n")
    assert "hash differs" in refused(project, 5, candidate)["message"]


def _who(sentence: str) -> str:
    """Who guesses what."""
    before, said, _ = sentence.partition(" is right for ")
    assert said
    return before


@pytest.mark.long
def test_a_second_version_is_attacked_together_with_the_first_as_its_release_was(project: Any) -> None:
    project.write_policy(gates=", series: {linkability: 1}, attack: {series: 0.9}", more="person: person\n")
    first, _ = project.published()
    released = project.run("release", project.policy, "--json")
    assert released.code == 0, released.err
    gains = [one for one in released.json["attacks"] if one["attack"] == "series"]
    assert {(one["people"], one["drawn"]) for one in gains} == {(290, True)}  # nobody is told how many were in both
    (verdict,) = [one for one in released.json["gates"] if (one["gate"], one["bound"]) == ("attack", "series")]
    assert verdict["measured"] >= max(one["gain"] for one in gains)  # of a sample, its upper end counts
    candidate = released.json["candidate"]
    again = project.run("attack", candidate, "--json")
    assert again.code == 0, again.err
    tried = [one for one in again.json["attacks"] if one["attack"] == "Series"]
    sealed = [said for said in _sealed_sentences(project, candidate) if ": Series: " in said]
    assert [_who(one["sentence"]) for one in tried] == [_who(said) for said in sealed]  # each tries people of its own choice
    assert "No control of the attack on several versions was possible" in again.out
    assert not any(value in text for value in VALUES for text in (released.out, again.out))
    (project.home / "series" / "patients" / first).unlink()
    shown = project.run("attack", candidate)
    assert shown.code == 0, shown.err
    assert "Series was not tried: the home no longer keeps who was in which group of 1 version." in " ".join(shown.out.split())
