"""No value is found where it does not belong: canaries planted in a source are looked for in every byte that a run wrote.

Prefect stores the texts of exceptions and pandas puts cells into them, so runs that fail are looked through as well as runs that end
well. Everything a run may write lies below known folders here: home, Prefect's database with its log, MLflow, the ledger, temporary
files. A release that ends well runs in processes of its own; those that fail run in this one, whose Prefect database is looked through
once more when its server has stopped.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import tempfile
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest

from tests.functional.canaries import BAD, CANARY, DROPPED, IDENTIFIER, places_with

LEVEL = f"{CANARY}Level"
AGE = 107  # one person is this old; everyone else is below 95


def plant(project: Any) -> list[dict[str, str]]:
    """Identifiers and free text are canaries."""
    rows = read(project)
    for number, row in enumerate(rows):
        row["person"] = f"{IDENTIFIER}-{number:05d}"
        row["note"] = f"{DROPPED}-{number:05d}"
    project.write_source(rows)
    return rows


def read(project: Any) -> list[dict[str, str]]:
    with project.source.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def planted(project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Temporary files and what lies at the user's home are below this test's folder."""
    plant(project)
    for name in ("temporary", "own"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("HOME", str(tmp_path / "own"))
    return project


@pytest.fixture
def places(planted: Any, tmp_path: Path, quiet_environment: Path) -> Callable[[str, Any], list[str]]:
    """Where a value is after a run: in its streams, in its home, in temporary files, in what Prefect keeps."""

    def look(value: str, outcome: Any) -> list[str]:
        assert (quiet_environment / "prefect.db").stat().st_size > 0
        return places_with(value, [planted.home, tmp_path / "temporary", tmp_path / "own", quiet_environment], [outcome.out, outcome.err])

    return look


@dataclass(frozen=True)
class Journey:
    """A release of planted data from its source to its publication, in processes of their own."""

    folders: list[Path]
    streams: list[str]
    published: Path
    home: Path
    addresses: set[str]
    log: list[dict[str, Any]]


WITNESS = """\
import os, socket
def note(what):
    with open({witness!r}, 'a') as out:
        out.write(what + '\\n')
connect, lookup = socket.socket.connect, socket.getaddrinfo
def connecting(self, address):
    note(str(address[0] if isinstance(address, tuple) else 'unix'))
    return connect(self, address)
def looking(host, *rest, **more):
    note(str(host))
    return lookup(host, *rest, **more)
socket.socket.connect, socket.getaddrinfo = connecting, looking
"""


@pytest.fixture(scope="module")
def journey(make_project: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Journey:
    """One person is of an age that no other has. Prefect, MLflow and temporary files are below the journey's folder; each name that is
    looked up, and each address that is connected to, is noted."""
    below = tmp_path_factory.mktemp("journey")
    project = make_project(below, run_here=None, bare=True)
    rows = plant(project)
    rows[0]["age"] = str(AGE)
    project.write_source(rows)
    (below / "temporary").mkdir()
    (project.folder / "sitecustomize.py").write_text(WITNESS.format(witness=str(below / "witness")), encoding="utf-8")
    surroundings = {
        "TMPDIR": str(below / "temporary"),
        "PREFECT_HOME": str(project.home / "prefect"),
        "PREFECT_API_URL": "",
        "HOME": str(below / "own"),
        "HEADGATE_LOG": f"json:{below / 'temporary' / 'log.jsonl'}",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(project.folder), os.environ.get("PYTHONPATH")])),
    }
    outcomes = [project.spawned("release", project.policy, "--json", environment=surroundings)]
    assert outcomes[0].code == 0, outcomes[0].err
    candidate = outcomes[0].json["candidate"]
    for approver in ("alice", "bob"):
        signature = ("--key", project.keys[approver], "--reason", "read", "--json")
        outcomes.append(project.spawned("approve", candidate, *signature, environment=surroundings))
    outcomes.append(project.spawned("publish", candidate, "--json", environment=surroundings))
    assert [outcome.code for outcome in outcomes] == [0, 0, 0, 0]
    assert (project.home / "prefect" / "prefect.db").stat().st_size > 0
    return Journey(
        folders=[project.home, below / "temporary", below / "own"],
        streams=[text for outcome in outcomes for text in (outcome.out, outcome.err)],
        published=Path(outcomes[-1].json["folder"]),
        home=project.home,
        log=[json.loads(line) for line in (below / "temporary" / "log.jsonl").read_text(encoding="utf-8").splitlines()],
        addresses=set((below / "witness").read_text(encoding="utf-8").split("\n")) - {""},
    )


def test_the_search_finds_a_canary_wherever_it_is_put(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text(f"x{IDENTIFIER}y")
    (tmp_path / "wide").write_bytes(IDENTIFIER.encode("utf-16-le"))
    (tmp_path / "packed.gz").write_bytes(gzip.compress(IDENTIFIER.encode()))
    (tmp_path / "inside").write_bytes(b"head" + zlib.compress(IDENTIFIER.encode()) + b"tail")
    assert len(places_with(IDENTIFIER, [tmp_path], [IDENTIFIER])) == 5
    assert {canary.startswith(CANARY) for canary in (IDENTIFIER, DROPPED, BAD)} == {True}


@pytest.mark.long
def test_a_published_release_holds_no_identifier_no_dropped_column_and_no_exact_age(journey: Journey) -> None:
    assert places_with(CANARY, journey.folders, journey.streams) == []
    for table in journey.published.glob("tables/*.csv"):
        with table.open(newline="", encoding="utf-8") as stream:
            assert str(AGE) not in {row["age"] for row in csv.DictReader(stream)}


@pytest.mark.long
def test_the_log_says_what_happened_and_holds_nothing_else(journey: Journey) -> None:
    """That no planted value is in it, the test before has seen: it lies among the temporary files."""
    steps = {line["step"] for line in journey.log if line["event"] == "step"}
    assert {"ingest", "plan", "anonymize", "gate", "track", "candidate"} <= steps
    assert {"sealed", "approved", "published"} <= {line["event"] for line in journey.log if line.get("dataset") == "patients"}
    assert [line["outcome"] for line in journey.log if line["event"] in ("release", "command")] == ["done"] * 5
    known = {"time", "level", "event", "release", "dataset", "step", "table", "command", "outcome", "seconds"}
    assert set().union(*journey.log) == known


@pytest.mark.long
def test_nothing_calls_out(journey: Journey) -> None:
    """Every name that is looked up, and every address that is connected to, is this machine's."""
    assert journey.addresses <= {"127.0.0.1", "localhost", "None", "unix", "0.0.0.0"}
    assert "127.0.0.1" in journey.addresses
    assert (journey.home / "ledger.db").exists()


FAILURES: list[tuple[str, Any, int]] = [
    ("a text in a number column", lambda rows: rows[7].update(income=BAD), 2),
    ("a value that is not declared", lambda rows: rows[7].update(education=BAD), 2),
    ("a value that its hierarchy lacks", lambda rows: rows[7].update(region=BAD), 2),
    ("a member that its set lacks", lambda rows: rows[7].update(diagnosis=f"flu|{BAD}"), 2),
    ("a repeated identifier", lambda rows: (rows[7].update(person=BAD), rows[8].update(person=BAD)), 2),
    ("an identifier in a published column", lambda rows: [row.update(education=row["person"]) for row in rows], 2),
]


@pytest.mark.parametrize(("name", "spoil", "code"), FAILURES, ids=[failure[0] for failure in FAILURES])
def test_a_run_that_fails_on_its_data_tells_none_of_it(planted: Any, places: Any, name: str, spoil: Any, code: int) -> None:
    rows = read(planted)
    spoil(rows)
    planted.write_source(rows)
    outcome = planted.run("release", planted.policy, "--json")
    assert outcome.code == code, outcome.err
    assert places(CANARY, outcome) == []


def test_a_failed_expectation_tells_no_value(planted: Any, places: Any) -> None:
    rows = read(planted)
    rows[7]["sex"] = BAD
    planted.write_source(rows)
    suite = '{"expectations": [{"type": "expect_column_values_to_be_in_set", "kwargs": {"column": "sex", "value_set": ["f", "m"]}}]}'
    (planted.folder / "suite.json").write_text(suite, encoding="utf-8")
    planted.write_policy(more="expect: {suite: suite.json}\n")
    outcome = planted.run("release", planted.policy, "--json")
    assert outcome.code == 2, outcome.err
    assert "expect_column_values_to_be_in_set" in outcome.json["error"]["message"]
    assert places(CANARY, outcome) == []


def test_an_infeasible_setting_tells_no_value(planted: Any, places: Any) -> None:
    rows = read(planted)
    for row in rows:
        row["education"] = row["education"].replace("tertiary", LEVEL)
    for row in rows[: int(0.8 * len(rows))]:
        row["sex"], row["education"] = "f", LEVEL
    planted.write_source(rows)
    policy = planted.write_policy(delta="0.9")
    policy.write_text(policy.read_text(encoding="utf-8").replace("tertiary", LEVEL), encoding="utf-8")
    outcome = planted.run("release", planted.policy, "--json")
    assert outcome.code == 3, outcome.err
    assert places(IDENTIFIER, outcome) + places(DROPPED, outcome) == []
    own = planted.home / "policies"  # the steward's own words, as they wrote them
    assert [place for place in places(LEVEL, outcome) if Path(place).parent != own] == []


def test_a_callable_that_raises_with_a_value_tells_none(planted: Any, places: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module = planted.folder / "talkative.py"
    module.write_text("def distance(a, b):\n    raise ValueError(f'cannot compare " + BAD + " {a!r} {b!r}')\n", encoding="utf-8")
    text = planted.policy.read_text(encoding="utf-8")
    planted.policy.write_text(text.replace("epsilon: 0.05", "distance: {callable: 'talkative:distance'}, epsilon: 0.05"), encoding="utf-8")
    monkeypatch.setenv("HEADGATE_CALLABLES", "talkative")
    monkeypatch.syspath_prepend(planted.folder)
    outcome = planted.run("release", planted.policy, "--json")
    assert outcome.code == 2
    assert "ValueError" in outcome.json["error"]["message"]
    assert places(CANARY, outcome) == []


TALKATIVE = """\
import logging, sys, warnings
class Bare(BaseException):
    pass
def distance(a, b):
    print("{bad}", a, b)
    print("{bad}", a, b, file=sys.stderr)
    warnings.warn(f"{bad} {{a!r}}")
    logging.getLogger("somebodys").error("{bad} %s", a)
    {end}
"""
ENDS = {
    "bare": "raise Bare(f'{bad} {a!r}')",
    "exit": "sys.exit(f'{bad} {a!r}')",
    "file": "raise OSError(5, f'{bad} {a!r}', '/home/{bad}')",
}


@pytest.mark.parametrize("end", ENDS)
def test_a_callable_that_talks_is_not_heard_however_it_ends(end: str, planted: Any, places: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"talkative_{end}"
    text = TALKATIVE.format(bad=BAD, end=ENDS[end].replace("{bad}", BAD))
    (planted.folder / f"{name}.py").write_text(text, encoding="utf-8")
    policy = planted.policy.read_text(encoding="utf-8")
    planted.policy.write_text(
        policy.replace("epsilon: 0.05", f"distance: {{callable: '{name}:distance'}}, epsilon: 0.05"), encoding="utf-8"
    )
    monkeypatch.setenv("HEADGATE_CALLABLES", name)
    monkeypatch.syspath_prepend(planted.folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pytest would keep them, where a command writes them to stderr
        outcome = planted.run("release", planted.policy, "--json")
    assert outcome.code == 2, outcome.err
    assert places(BAD, outcome) == []


def test_names_of_somebodys_columns_and_files_stay_on_the_terminal(planted: Any, quiet_environment: Path) -> None:
    rows = [{**row, f"{CANARY}Column": row["income"]} for row in read(planted)]
    for row in rows:
        del row["income"]
    source = planted.write_source(rows).rename(planted.folder / f"{CANARY}Source.csv")
    outcome = planted.run("release", planted.policy, "--source", source, "--json")
    assert outcome.code == 2, outcome.err
    assert f"{CANARY}Source.csv lacks column 'income'" in outcome.json["error"]["message"]
    assert places_with(CANARY, [quiet_environment, planted.home], []) == []


def test_parquet_bytes_hold_nothing_but_the_published_values(planted: Any) -> None:
    """A category that only suppressed rows have would stay in a dictionary page; there is none, and no index or pandas metadata."""
    folder = Path(planted.released()["folder"])
    for path in folder.glob("tables/*.parquet"):
        file = parquet.ParquetFile(path)
        assert file.schema_arrow.metadata is None
        assert file.metadata.metadata is None
        assert b"pandas" not in path.read_bytes()
        table = file.read()
        for number in range(file.num_row_groups):
            for place in range(file.metadata.num_columns):
                column = file.metadata.row_group(number).column(place)
                statistics = column.statistics
                values = [value for value in table.column(place).to_pylist() if value is not None]
                if statistics is not None and statistics.has_min_max and values:
                    assert statistics.min in values
                    assert statistics.max in values
        with (path.with_suffix(".csv")).open(newline="", encoding="utf-8") as stream:
            header = next(csv.reader(stream))
        assert table.column_names == header
