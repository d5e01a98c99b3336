"""Everything that people get wrong: the exit code of the contract, one message with its cure, nothing published, no traceback."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.functional.conftest import interrupted


def changed(project: Any, old: str, new: str) -> None:
    text = project.policy.read_text(encoding="utf-8")
    assert old in text
    project.policy.write_text(text.replace(old, new), encoding="utf-8")


def source_changed(project: Any, old: str, new: str, count: int = -1) -> None:
    text = project.source.read_text(encoding="utf-8")
    assert old in text
    project.source.write_text(text.replace(old, new, count), encoding="utf-8")


def first_cell(project: Any, column: str, value: str) -> None:
    lines = project.source.read_text(encoding="utf-8").split("\n")
    place = lines[0].split(",").index(column)
    cells = lines[1].split(",")
    cells[place] = value
    lines[1] = ",".join(cells)
    project.source.write_text("\n".join(lines), encoding="utf-8")


CASES: list[tuple[str, Any, int, str]] = [
    ("no such source", lambda p: p.source.unlink(), 2, "patients.csv"),
    ("an empty source", lambda p: p.source.write_text(""), 2, "empty"),
    ("a source with a header only", lambda p: p.source.write_text(p.source.read_text().split("\n")[0] + "\n"), 2, "row"),
    ("a wrong encoding", lambda p: p.source.write_bytes(p.source.read_bytes().replace(b"flu", b"gr\xfcn")), 2, "utf-8"),
    ("a wrong separator", lambda p: source_changed(p, ",", ";"), 2, ";"),
    ("a column that the data lacks", lambda p: changed(p, "  income:", "  incomes:"), 2, "income"),
    ("a column that the policy lacks", lambda p: changed(p, "  note:      {role: dropped}\n", ""), 2, "note"),
    ("a value outside its domain", lambda p: first_cell(p, "age", "137"), 2, "domain"),
    ("a text in a number column", lambda p: first_cell(p, "income", "plenty"), 2, "income"),
    ("a value that is not declared", lambda p: first_cell(p, "diagnosis", "measles"), 2, "diagnosis"),
    (
        "a duplicate identifier",
        lambda p: source_changed(p, "person-00001,", "person-00000,"),
        2,
        "make one row per person",
    ),
    ("a policy key misspelt", lambda p: changed(p, "anonymize:", "anonymise:"), 2, "anonymize"),
    ("an unknown kind", lambda p: changed(p, "kind: ordinal", "kind: ordnal"), 2, "ordinal"),
    ("no quasi-identifier", lambda p: changed(p, "role: quasi", "role: insensitive"), 2, "quasi"),
    (
        "an identifier that is sensitive too",
        lambda p: changed(p, "  note:      {role: dropped}", "  income:    {role: identifier}"),
        2,
        "income",
    ),
    ("k larger than the table", lambda p: p.write_policy(k=301), 2, "301"),
    ("an infeasible k", lambda p: p.write_policy(k=200, delta="0.99"), 3, ""),
    ("an infeasible δ", lambda p: p.write_policy(delta="1"), 3, ""),
    ("a policy that is no YAML", lambda p: p.policy.write_text("a: [1"), 2, "policy.yaml"),
    ("no such policy", lambda p: p.policy.unlink(), 2, "policy.yaml"),
    ("a hierarchy that misses a value", lambda p: (p.folder / "region.csv").write_text("north-a;north;*\n"), 2, "region"),
    ("too few people who could approve", lambda p: changed(p, "required: 2", "required: 4"), 2, "approv"),
    (
        "a callable that nobody listed",
        lambda p: changed(p, "epsilon: 0.05", "distance: {callable: 'os:system'}, epsilon: 0.05"),
        2,
        "HEADGATE_CALLABLES",
    ),
    ("a failed expectation", lambda p: p.write_policy(more="expect: {rows: {min: 1000}}\n"), 2, "expect"),
]


@pytest.mark.parametrize(("name", "spoil", "code", "said"), CASES, ids=[case[0] for case in CASES])
def test_bad_input_ends_with_its_code_and_a_cure(project: Any, name: str, spoil: Any, code: int, said: str) -> None:
    spoil(project)
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == code, outcome.err
    error = outcome.json["error"]
    assert error["code"] == code
    assert error["cure"]
    assert said in error["message"] + error["cure"]
    assert "Traceback" not in outcome.out + outcome.err
    assert not list(project.home.glob("candidates/*"))
    assert not list(project.home.glob("staging/*"))
    assert not list(project.home.glob("releases/*"))


def test_an_unwritable_home_is_named(project: Any) -> None:
    outcome = project.spawned("release", project.policy, "--json", environment={"HEADGATE_HOME": "/proc/headgate"})
    assert outcome.code == 6
    assert "/proc/headgate" in outcome.json["error"]["message"]
    assert "HEADGATE_HOME" in outcome.json["error"]["cure"]
    assert "Traceback" not in outcome.err


@pytest.mark.long
def test_a_tracking_server_that_is_down_stops_the_release(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 6
    assert "MLflow" in outcome.json["error"]["message"]
    assert not list(project.home.glob("candidates/*"))


def test_a_prefect_server_that_is_down_is_said_so(project: Any) -> None:
    outcome = project.spawned("release", project.policy, "--json", environment={"PREFECT_API_URL": "http://127.0.0.1:9/api"})
    assert outcome.code == 6
    assert "Traceback" not in outcome.err
    assert not list(project.home.glob("candidates/*"))


SLOWLY = """import pathlib, time
def slow(a, b):
    pathlib.Path({mark!r}).touch()
    time.sleep(0.05)
    return 0.0 if a == b else 1.0
"""


def started(project: Any) -> subprocess.Popen[str]:
    """A release in a process of its own, stopped in the middle of its plan by a distance that takes its time."""
    module = project.folder / "slowly.py"
    module.write_text(SLOWLY.format(mark=str(project.folder / "compares")), encoding="utf-8")
    changed(project, "epsilon: 0.05", "distance: {callable: 'slowly:slow'}, epsilon: 0.05")
    process: subprocess.Popen[str] = project.in_background(
        "release",
        project.policy,
        "--json",
        environment={**os.environ, "HEADGATE_CALLABLES": "slowly", "PYTHONPATH": str(project.folder)},
    )
    deadline = time.monotonic() + 200
    while not (project.folder / "compares").exists() and time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    return process


@pytest.mark.long
@pytest.mark.parametrize("signal_name", ["SIGINT", "SIGTERM"])
def test_a_run_keeps_others_of_its_dataset_waiting_and_when_interrupted_leaves_nothing_but_its_record(
    project: Any, signal_name: str
) -> None:
    process = started(project)
    second = project.run("release", project.policy, "--json")
    assert second.code == 4
    assert "running" in second.json["error"]["message"]
    process.send_signal(getattr(signal, signal_name))
    out, err = process.communicate(timeout=200)
    assert process.returncode == 130, err
    assert "Traceback" not in out + err
    assert not list(project.home.glob("staging/*"))
    assert not list(project.home.glob("candidates/*"))
    assert [release["state"] for release in project.run("releases", "--json").json["releases"]] == ["failed"]


SLOW = """schema: 1
dataset: slow
source: {kind: csv, path: slow.csv}
attributes:
  age: {role: quasi, kind: integer, domain: [0, 400]}
  pay: {role: sensitive, kind: number, domain: [0, 1], unique: accepted}
  home: {role: sensitive, kind: number, domain: [0, 1], unique: accepted}
projection: {method: single}
anonymize: {method: mondrian, k: 5, epsilon: 0.05, delta: 0.6}
gates: {linkability: 1}
approval: {required: 1, signers: signers}
publish: {to: open}
"""


@pytest.mark.long
def test_a_long_run_tells_how_far_it_is_and_stops_within_a_moment(project: Any) -> None:
    """While compiled loops work, which hear no signal themselves: a hundred thousand pairs of numbers, no two alike."""
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"age": draw.integers(0, 400, 100_000), "pay": draw.random(100_000), "home": draw.random(100_000)})
    frame.round(9).to_csv(project.folder / "slow.csv", index=False)
    project.policy.write_text(SLOW, encoding="utf-8")
    process = project.in_background("release", project.policy)
    told = next((line for line in process.stderr if "rows grouped" in line), "")
    assert "of 100,000 rows grouped" in told or "100,000 rows grouped, finishing" in told
    seconds, err = interrupted(process)
    assert process.returncode == 130, err
    assert seconds < 4  # one for each of two loops; the rest to tell the ledger
    assert "Interrupted" in err
    assert not list(project.home.glob("staging/*"))
    assert not list(project.home.glob("candidates/*"))


@pytest.mark.long
def test_a_killed_run_s_lock_is_taken_over_and_the_run_is_told_to_have_failed(project: Any) -> None:
    process = started(project)
    process.kill()
    process.communicate(timeout=200)
    project.write_policy()
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 0, outcome.err
    states = [release["state"] for release in project.run("releases", "--json").json["releases"]]
    assert states == ["failed", "awaiting_approval"]
    assert not list(project.home.glob("staging/*"))


def test_a_compressed_source_is_read_as_it_is(project: Any) -> None:
    packed = project.folder / "patients.csv.gz"
    packed.write_bytes(gzip.compress(project.source.read_bytes()))
    assert project.run("release", project.policy, "--source", packed, "--json").code == 0
