"""No value is found where it does not belong: canaries planted in a source are looked for in every byte that a run wrote.

Prefect stores the texts of exceptions and pandas puts cells into them, so runs that fail are looked through as well as runs that end
well. Everything a run may write lies below one folder here: home, Prefect's database with its log, MLflow, the ledger, temporary files.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import zlib
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest

IDENTIFIER = "CanaryIdent"
DROPPED = "CanaryDropped"
AGE = 107  # one person is this old; everyone else is below 95
BAD = "CanaryBadCell"


@pytest.fixture
def planted(project: Any) -> Any:
    """Identifiers and free text are canaries; so is the age of one person."""
    rows = read(project)
    for number, row in enumerate(rows):
        row["person"] = f"{IDENTIFIER}-{number:05d}"
        row["note"] = f"{DROPPED}-{number:05d}"
    project.write_source(rows)
    return project


def read(project: Any) -> list[dict[str, str]]:
    with project.source.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def run(project: Any, tmp_path: Path, *arguments: str | Path, **environment: str) -> Any:
    """A process of its own, so that its temporary files, its Prefect and its MLflow are all below this test's folder."""
    temporary = tmp_path / "temporary"
    temporary.mkdir(exist_ok=True)
    surroundings = {
        "TMPDIR": str(temporary),
        "PREFECT_HOME": str(project.home / "prefect"),
        "PREFECT_API_URL": "",
        "HOME": str(tmp_path / "own"),
    }
    return project.spawned(*arguments, environment={**surroundings, **environment})


def places_with(needle: str, folders: list[Path], streams: list[str]) -> list[str]:
    """Every file whose bytes hold the needle: as they are, inflated where they are compressed, and in UTF-16."""
    found = [f"stream {place}" for place, text in enumerate(streams) if needle in text]
    wanted = [needle.encode(), needle.encode("utf-16-le")]
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink():
                whole = path.read_bytes()
                if any(form in text for form in wanted for text in (whole, *inflated(whole, path))):
                    found.append(str(path))
    return found


def inflated(whole: bytes, path: Path) -> list[bytes]:
    texts = []
    if path.suffix == ".parquet":
        texts.append(repr(parquet.read_table(io.BytesIO(whole)).to_pydict()).encode())
    if whole[:2] == b"\x1f\x8b":
        texts.append(gzip.decompress(whole))
    for start in (b"\x78\x9c", b"\x78\x01", b"\x78\xda"):
        place = whole.find(start)
        while place >= 0:
            try:
                texts.append(zlib.decompressobj().decompress(whole[place:]))
            except zlib.error:
                texts.append(b"")
            place = whole.find(start, place + 1)
    return texts


def looked_through(project: Any, tmp_path: Path) -> list[Path]:
    assert (project.home / "prefect" / "prefect.db").stat().st_size > 0
    return [project.home, tmp_path / "temporary", *([tmp_path / "own"] if (tmp_path / "own").exists() else [])]


def test_the_search_finds_a_canary_wherever_it_is_put(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text(f"x{IDENTIFIER}y")
    (tmp_path / "wide").write_bytes(IDENTIFIER.encode("utf-16-le"))
    (tmp_path / "packed.gz").write_bytes(gzip.compress(IDENTIFIER.encode()))
    (tmp_path / "inside").write_bytes(b"head" + zlib.compress(IDENTIFIER.encode()) + b"tail")
    assert len(places_with(IDENTIFIER, [tmp_path], [IDENTIFIER])) == 5


def test_a_published_release_holds_no_identifier_no_dropped_column_and_no_exact_age(planted: Any, tmp_path: Path) -> None:
    rows = read(planted)
    rows[0]["age"] = str(AGE)
    planted.write_source(rows)
    released = run(planted, tmp_path, "release", planted.policy, "--json")
    assert released.code == 0, released.err
    outcomes = [released]
    for approver in ("alice", "bob"):
        key = planted.keys[approver]
        outcomes.append(run(planted, tmp_path, "approve", released.json["candidate"], "--key", key, "--reason", "read", "--json"))
    outcomes.append(run(planted, tmp_path, "publish", released.json["candidate"], "--json"))
    assert [outcome.code for outcome in outcomes] == [0, 0, 0, 0]
    streams = [text for outcome in outcomes for text in (outcome.out, outcome.err)]
    for canary in (IDENTIFIER, DROPPED):
        assert places_with(canary, looked_through(planted, tmp_path), streams) == []
    folder = Path(outcomes[-1].json["folder"])
    for table in folder.glob("tables/*.csv"):
        with table.open(newline="", encoding="utf-8") as stream:
            assert str(AGE) not in {row["age"] for row in csv.DictReader(stream)}


FAILURES: list[tuple[str, Any, int]] = [
    ("a text in a number column", lambda rows: rows[7].update(income=BAD), 2),
    ("a value that is not declared", lambda rows: rows[7].update(education=BAD), 2),
    ("a value that its hierarchy lacks", lambda rows: rows[7].update(region=BAD), 2),
    ("a member that its set lacks", lambda rows: rows[7].update(diagnosis=f"flu|{BAD}"), 2),
    ("a repeated identifier", lambda rows: (rows[7].update(person=BAD), rows[8].update(person=BAD)), 2),
    ("an identifier in a published column", lambda rows: [row.update(education=row["person"]) for row in rows], 2),
]


@pytest.mark.parametrize(("name", "spoil", "code"), FAILURES, ids=[failure[0] for failure in FAILURES])
def test_a_run_that_fails_on_its_data_tells_none_of_it(planted: Any, tmp_path: Path, name: str, spoil: Any, code: int) -> None:
    rows = read(planted)
    spoil(rows)
    planted.write_source(rows)
    outcome = run(planted, tmp_path, "release", planted.policy, "--json")
    assert outcome.code == code, outcome.err
    for canary in (BAD, IDENTIFIER, DROPPED):
        assert places_with(canary, looked_through(planted, tmp_path), [outcome.out, outcome.err]) == []


def test_a_failed_expectation_tells_no_value(planted: Any, tmp_path: Path) -> None:
    rows = read(planted)
    rows[7]["sex"] = BAD
    planted.write_source(rows)
    suite = '{"expectations": [{"type": "expect_column_values_to_be_in_set", "kwargs": {"column": "sex", "value_set": ["f", "m"]}}]}'
    (planted.folder / "suite.json").write_text(suite, encoding="utf-8")
    planted.write_policy(more="expect: {suite: suite.json}\n")
    outcome = run(planted, tmp_path, "release", planted.policy, "--json")
    assert outcome.code == 2, outcome.err
    assert "expect_column_values_to_be_in_set" in outcome.json["error"]["message"]
    for canary in (BAD, IDENTIFIER, DROPPED):
        assert places_with(canary, looked_through(planted, tmp_path), [outcome.out, outcome.err]) == []


def test_an_infeasible_setting_tells_no_value(planted: Any, tmp_path: Path) -> None:
    rows = read(planted)
    for row in rows[: int(0.8 * len(rows))]:
        row["sex"], row["education"] = "f", "tertiary"
    planted.write_source(rows)
    planted.write_policy(delta="0.9")
    outcome = run(planted, tmp_path, "release", planted.policy, "--json")
    assert outcome.code == 3, outcome.err
    for canary in (IDENTIFIER, DROPPED, "tertiary"):
        found = places_with(canary, looked_through(planted, tmp_path), [outcome.out, outcome.err])
        assert [place for place in found if not declared_by_the_policy(place)] == []


def declared_by_the_policy(place: str) -> bool:
    """The policy's own text, which lists the levels of its ordinals, is kept in MLflow."""
    return place.endswith(("policy.yaml", "mlflow.db"))


def test_a_callable_that_raises_with_a_value_tells_none(planted: Any, tmp_path: Path) -> None:
    module = planted.folder / "talkative.py"
    module.write_text("def distance(a, b):\n    raise ValueError(f'cannot compare CanaryBadCell {a!r} {b!r}')\n", encoding="utf-8")
    text = planted.policy.read_text(encoding="utf-8")
    planted.policy.write_text(text.replace("epsilon: 0.05", "distance: {callable: 'talkative:distance'}, epsilon: 0.05"), encoding="utf-8")
    surroundings = {"HEADGATE_CALLABLES": "talkative", "PYTHONPATH": str(planted.folder)}
    outcome = run(planted, tmp_path, "release", planted.policy, "--json", **surroundings)
    assert outcome.code == 1
    assert "ValueError" in outcome.json["error"]["message"]
    for canary in (BAD, IDENTIFIER, DROPPED):
        assert places_with(canary, looked_through(planted, tmp_path), [outcome.out, outcome.err]) == []


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


def test_nothing_calls_out(planted: Any, tmp_path: Path) -> None:
    """Every name that is looked up, and every address that is connected to, is this machine's."""
    witness = tmp_path / "witness"
    (planted.folder / "sitecustomize.py").write_text(
        "import os, socket\n"
        f"WITNESS = {str(witness)!r}\n"
        "def note(what):\n"
        "    with open(WITNESS, 'a') as out:\n"
        "        out.write(what + '\\n')\n"
        "connect, lookup = socket.socket.connect, socket.getaddrinfo\n"
        "def connecting(self, address):\n"
        "    note(str(address[0] if isinstance(address, tuple) else 'unix'))\n"
        "    return connect(self, address)\n"
        "def looking(host, *rest, **more):\n"
        "    note(str(host))\n"
        "    return lookup(host, *rest, **more)\n"
        "socket.socket.connect, socket.getaddrinfo = connecting, looking\n",
        encoding="utf-8",
    )
    outcome = run(planted, tmp_path, "release", planted.policy, "--json", PYTHONPATH=str(planted.folder))
    assert outcome.code == 0, outcome.err
    asked = set(witness.read_text(encoding="utf-8").split("\n")) - {""}
    assert asked <= {"127.0.0.1", "localhost", "None", "unix", "0.0.0.0"}
    assert "127.0.0.1" in asked
    assert os.path.exists(planted.home / "ledger.db")
