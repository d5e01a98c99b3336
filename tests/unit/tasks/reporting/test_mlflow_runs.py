from __future__ import annotations

import hashlib
import json
import math
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected, RequirementNotMet, StoreUnavailable
from policies.gates.verdict import Verdict
from tasks.reporting.measured_tables import MeasuredRelease
from tasks.reporting.mlflow_record import TrackedRelease
from tasks.reporting.mlflow_runs import find_release, require_tracking, tag_candidate, track_release
from tests.unit.claimed import claiming
from tests.unit.tls_server import TlsServer, tls_server

__all__ = ["tls_server"]

pytestmark = pytest.mark.slow

Make = Callable[..., TrackedRelease]


@pytest.fixture(autouse=True, scope="module")
def embedded() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MLFLOW_TRACKING_URI", raising=False)
        yield


@pytest.fixture
def reader(tracking_root: Path):
    """A client of its own, as somebody who looks at the runs would have."""
    from mlflow import MlflowClient

    return MlflowClient(tracking_uri=f"sqlite:///{tracking_root}/mlflow.db")


@pytest.fixture(scope="module")
def tracked(record: Make, tracking_root: Path) -> str:
    return track_release(record(), tracking_root)


def children(reader, run_id: str) -> dict:
    experiment = reader.get_run(run_id).info.experiment_id
    return {run.info.run_name: run for run in reader.search_runs([experiment], f"tags.`mlflow.parentRunId` = '{run_id}'")}


def test_a_release_is_a_finished_run_with_its_parameters_figures_and_tags(tracked: str, reader) -> None:
    run = reader.get_run(tracked)
    assert run.info.status == "FINISHED"
    assert reader.get_experiment(run.info.experiment_id).name == "headgate/hospital-patients"
    expected = {
        "policy_digest": "ab" * 32, "seed_commitment": "5e" * 32,
        "source_hmac": "4a" * 32, "code_version": "0.1.0",
        "k": "10", "epsilon": "0.1", "delta": "0.6", "linkability": "0.8",
        "plan": "[[0,2],[1]]", "plan_method": "codip*", "closeness/income": "0.5",
    }  # fmt: skip
    assert {name: run.data.params[name] for name in expected} == expected
    figures = {
        "rows": 70, "suppressed": 7, "tables": 2, "gates": 6, "gates_passed": 6,
        "k": 10, "risk": 0.4, "linkability": 0.625, "closeness_max": 0.25,
        "distinct_l_min": 3, "association_loss": 0.25, "information_exposure": 0.5, "ncp": 0.1875, "query_error_mean": 0.09375,
        "disclosure_mean": 0.0625, "disclosure_max": 0.125, "seconds/ingest": 0.25, "seconds/gate": 1.5,
    }  # fmt: skip
    assert {name: run.data.metrics[name] for name in figures} == figures
    assert run.data.tags["release_id"] == "r-20260801-4f2a"
    assert run.data.tags["verdict"] == "passed"


def test_each_table_is_a_child_run_found_by_its_parent(tracked: str, reader) -> None:
    found = children(reader, tracked)
    assert set(found) == {"table-1", "table-2"}
    table = found["table-1"].data
    assert json.loads(table.params["sensitive_columns"]) == [0, 2]
    expected = {"rows": 63, "groups": 5, "k": 10,
                "closeness/income": 0.125, "closeness/column 2": 0.25, "loss/age": 0.25, "delta_l/income": 2.5,
                "disclosure_mean/data/register.csv": 0.0625, "single_risk/income": 0.25}  # fmt: skip
    assert {name: table.metrics[name] for name in expected} == expected


def test_the_search_for_the_plan_is_a_history_step_by_step(tracked: str, reader) -> None:
    history = reader.get_metric_history(tracked, "search/information_exposure")
    assert sorted((metric.step, metric.value) for metric in history) == [(0, 0.0), (1, 0.5), (2, 1.0)]


def test_gates_expectations_plan_policy_and_pictures_are_artifacts(tracked: str, reader, tmp_path: Path) -> None:
    kept = Path(reader.download_artifacts(tracked, "", str(tmp_path)))
    gates = json.loads((kept / "gates.json").read_text())
    assert gates["columns"] == [
        "gate",
        "table",
        "attribute",
        "dictionary",
        "bound",
        "comparison",
        "measured",
        "required",
        "passed",
        "remedy",
    ]
    assert gates["data"][0] == ["k", "table-1", None, None, None, "at least", 10.0, 10.0, True, ""]
    outcomes = json.loads((kept / "expectations.json").read_text())
    assert outcomes["columns"] == ["side", "table", "type", "column", "success"]
    assert outcomes["data"][0] == ["in", "", "expect_table_row_count_to_be_between", "", True]
    assert not (kept / "policy.yaml").exists()
    assert [step["tables"] for step in json.loads((kept / "plan.json").read_text())["steps"]] == [
        [[0], [1], [2]],
        [[0, 2], [1]],
        [[0, 1, 2]],
    ]
    pictures = {path.relative_to(kept / "pictures").as_posix(): path.read_bytes() for path in kept.glob("pictures/**/*.svg")}
    own = ("closeness", "group_risks", "group_sizes", "loss")
    of_tables = [f"{table}/{name}.svg" for table in ("table-1", "table-2") for name in own]
    assert sorted(pictures) == ["loss.svg", "plan.svg", "query_errors.svg", *of_tables, "trade_off.svg"]
    assert all(picture.startswith(b"<svg ") for picture in pictures.values())


def test_a_release_is_found_again_by_its_id_and_its_candidate_is_tied_to_it(record: Make, tracking_root: Path, reader) -> None:
    run_id = track_release(record(release_id="r-to-be-found"), tracking_root)
    assert find_release("r-to-be-found", tracking_root) == run_id
    assert find_release("r-never-made", tracking_root) is None
    tag_candidate(run_id, "c0" * 32, tracking_root)
    assert reader.get_run(run_id).data.tags["candidate"] == "c0" * 32


def test_a_release_recorded_again_after_an_interruption_is_found_at_its_newest_run(record: Make, tracking_root: Path) -> None:
    first = track_release(record(release_id="r-twice"), tracking_root)
    second = track_release(record(release_id="r-twice"), tracking_root)
    assert first != second
    assert find_release("r-twice", tracking_root) == second


def test_a_release_id_cannot_be_a_query(tracking_root: Path) -> None:
    with pytest.raises(InputRejected):
        find_release("x' or tags.release_id != '", tracking_root)


def test_a_refused_release_is_recorded_as_refused(refused: MeasuredRelease, record: Make, tracking_root: Path, reader) -> None:
    run = reader.get_run(track_release(replace(record(), measured=refused), tracking_root))
    assert run.info.status == "FINISHED"
    assert run.data.tags["verdict"] == "refused"
    assert (run.data.metrics["gates"], run.data.metrics["gates_passed"]) == (7, 6)
    assert {name: child.data.tags["verdict"] for name, child in children(reader, run.info.run_id).items()} == {
        "table-1": "passed",
        "table-2": "refused",
    }


def test_a_release_that_ended_before_its_tables_can_be_recorded(record: Make, tracking_root: Path, reader) -> None:
    ended = record(promise=None, plan=None, tables=(), verdicts=(), utility=None, outcomes=(), refusal="a failed expectation")
    run = reader.get_run(track_release(ended, tracking_root))
    assert run.data.tags["verdict"] == "refused"
    assert run.data.metrics["tables"] == 0


def test_names_that_mlflow_cannot_take_go_by_their_number(record: Make, release: MeasuredRelease, tracking_root: Path, reader) -> None:
    """Two quasi-identifiers with brackets in their names were both "a column", which ended the release as a defect of ours; and a register
    at ../registers/people.csv was refused by MLflow as a way through folders."""
    from policies.sealed.promise import QuasiIdentifier

    quasi = tuple(QuasiIdentifier(name=name, kind="integer", domain=(0, 1)) for name in ("age (years)", "height (cm)", "km/"))
    register = "../registers/people.csv"
    disclosed = {"disclosure_unmatched": {"people(1)": 1.0, register: 0.0}, "disclosure_mean": {register: 0.5}, "disclosure_max": {}}
    tables = tuple(
        replace(
            table,
            loss={identifier.name: 0.25 for identifier in quasi},
            figures=claiming(table.figures, **disclosed),
        )
        for table in release.tables
    )
    assert release.promise is not None
    promise = release.promise.model_copy(update={"quasi": quasi})
    found = children(reader, track_release(record(promise=promise, tables=tables, release_id="r-names"), tracking_root))
    figures = found["table-1"].data.metrics
    assert [figures[f"loss/quasi-identifier {number}"] for number in range(3)] == [0.25] * 3
    assert figures["disclosure_mean/dictionary 1"] == 0.5  # by its place among all that were held, whatever was measured of each
    assert [figures[f"disclosure_unmatched/dictionary {number}"] for number in range(2)] == [1.0, 0.0]


def test_a_value_that_became_a_column_name_is_in_no_byte_of_database_or_artifacts(
    tracked: str, record: Make, release: MeasuredRelease, tracking_root: Path, bit: str
) -> None:
    """Not in metrics, plans, gates, remedies or outcomes: the column goes by its number everywhere."""
    failing = Verdict(
        gate="closeness",
        table="table-1",
        attribute=bit,
        comparison="at most",
        measured=0.9,
        required=0.5,
        passed=False,
        remedy=f"Look at {bit} and at {bit}.",
    )
    track_release(record(verdicts=(*release.verdicts, failing)), tracking_root)
    files = [path for path in tracking_root.rglob("*") if path.is_file()]
    assert any(path.name == "mlflow.db" for path in files)
    assert any(b"column 2" in path.read_bytes() for path in files if path.name == "gates.json")
    canary = bit.partition("=")[2].encode()
    assert [path for path in files if canary in path.read_bytes() or canary in path.name.encode()] == []


def test_nothing_of_this_machine_but_the_home_is_told(tracked: str, reader, tracking_root: Path) -> None:
    run = reader.get_run(tracked)
    said = json.dumps([run.data.tags, run.data.params, run.info.user_id])
    assert str(tracking_root) not in said
    assert os.getcwd() not in said
    assert __file__ not in said
    assert sys.executable not in said
    assert run.data.tags["mlflow.source.name"] == "headgate"
    assert run.data.tags["mlflow.user"] == "alice@example.org"
    assert not [tag for tag in run.data.tags if "git" in tag]


def test_no_file_is_left_beside_the_database_and_its_artifacts(tracked: str, tracking_root: Path) -> None:
    assert {path.name for path in tracking_root.iterdir()} <= {"mlflow.db", "mlflow.db-wal", "mlflow.db-shm", "mlflow.lock", "mlartifacts"}


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_figure_that_is_not_a_finite_number_is_refused_before_anything_is_recorded(
    value: float, record: Make, tracking_root: Path
) -> None:
    broken = replace(record(release_id="r-infinite"), seconds={"gate": value})
    with pytest.raises(RequirementNotMet):
        track_release(broken, tracking_root)
    assert find_release("r-infinite", tracking_root) is None


def test_a_server_that_is_not_there_stops_the_release_within_seconds(record: Make, tracking_root: Path) -> None:
    began = time.perf_counter()
    with pytest.raises(StoreUnavailable) as raised:
        track_release(record(), tracking_root, "http://bob:secret-word@127.0.0.1:9")
    assert time.perf_counter() - began < 60  # MLflow itself would try for minutes
    assert "127.0.0.1:9" in str(raised.value)
    assert "secret-word" not in repr(raised.value)
    assert raised.value.__context__ is None
    assert "MLFLOW_TRACKING_URI" in raised.value.cure


def test_the_environment_names_the_server(record: Make, tracking_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "postgresql+psycopg2://bob:secret-word@127.0.0.1:9/mlflow")
    with pytest.raises(StoreUnavailable) as raised:
        find_release("r-1", tracking_root)
    assert "secret-word" not in repr(raised.value)


def test_a_database_that_is_none_stops_the_release_at_once(record: Make, tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").write_text("this is no database, and long enough to be seen not to be one" * 20)
    began = time.perf_counter()
    with pytest.raises(StoreUnavailable):
        track_release(record(), tmp_path)
    assert time.perf_counter() - began < 60  # MLflow itself tries for 100 s


def test_files_that_cannot_be_kept_stop_the_release_and_leave_the_run_failed(record: Make, tracking_root: Path, reader) -> None:
    """A plain file stands where the folder of a dataset's artifacts would be made; root may write anywhere, so rights would not do."""
    track_release(record(dataset="no-room"), tracking_root)
    artifacts = tracking_root / "mlartifacts"
    aside = artifacts.rename(tracking_root / "aside")
    artifacts.write_text("")
    try:
        with pytest.raises(StoreUnavailable):
            track_release(record(dataset="no-room", release_id="r-no-room"), tracking_root)
    finally:
        artifacts.unlink()
        aside.rename(artifacts)
    assert find_release("r-no-room", tracking_root) is None
    experiment = reader.get_experiment_by_name("headgate/no-room")
    runs = reader.search_runs([experiment.experiment_id], "tags.release_id = 'r-no-room'")
    assert [run.info.status for run in runs] == ["FAILED"]


def test_what_mlflow_gives_back_is_compared_with_what_it_was_told(
    record: Make, tracking_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that quietly changes one figure on its way to the disk is found out."""
    import mlflow.tracking.client

    honest = mlflow.tracking.client.MlflowClient.log_batch

    def forgetful(self, run_id, metrics=(), params=(), **rest):
        return honest(self, run_id, metrics=[metric for metric in metrics if metric.key != "risk"], params=params, **rest)

    monkeypatch.setattr(mlflow.tracking.client.MlflowClient, "log_batch", forgetful)
    with pytest.raises(StoreUnavailable, match="gives back other figures"):
        track_release(record(release_id="r-forgotten"), tracking_root)
    assert find_release("r-forgotten", tracking_root) is None


def test_a_home_that_was_moved_records_into_its_new_place(record: Make, tracking_root: Path, tmp_path: Path) -> None:
    import shutil

    track_release(record(dataset="moved"), tracking_root)
    there = tmp_path / "elsewhere"
    there.mkdir()
    shutil.copy(tracking_root / "mlflow.db", there)
    before = hashlib.sha256(str(sorted(tracking_root.rglob("*"))).encode()).hexdigest()
    run_id = track_release(record(dataset="moved", release_id="r-after-moving"), there)
    assert (there / "mlartifacts" / run_id / "artifacts" / "gates.json").is_file()
    assert hashlib.sha256(str(sorted(tracking_root.rglob("*"))).encode()).hexdigest() == before
    assert find_release("r-after-moving", there) == run_id
    assert find_release("r-20260801-4f2a", there) is not None


def test_two_releases_can_be_recorded_at_once(record: Make, tracking_root: Path) -> None:
    runs: dict[str, str] = {}

    def track(name: str) -> None:
        runs[name] = track_release(record(dataset=name, release_id=f"r-{name}"), tracking_root)

    threads = [threading.Thread(target=track, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: find_release(f"r-{name}", tracking_root) for name in ("one", "two")} == runs


def test_recording_is_quiet_and_makes_nothing_where_it_runs(tmp_path: Path) -> None:
    """A new process, since settings are read at import: no word on stdout or stderr, no mlruns or mlflow.db in the current folder."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; import tasks.reporting.mlflow_runs as track;"
        "assert 'mlflow' not in sys.modules; home = Path(sys.argv[2]); home.mkdir();"
        "print(track.find_release('r-1', home), end='')"
    )
    where = tmp_path / "here"
    where.mkdir()
    repository = Path(sys.modules["tasks"].__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(repository), str(tmp_path / "home")],
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "None", "")
    assert list(where.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("room", [40_000, 300_000])
def test_a_database_whose_making_was_cut_short_is_made_anew(tmp_path: Path, room: int) -> None:
    """Previously MLflow could not go on with the half that was there, and no release of the home ever completed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))  # to a file a disk that is full
    try:
        with pytest.raises(StoreUnavailable):
            require_tracking("people", tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    require_tracking("people", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"mlflow.db", "mlflow.lock"}


def test_what_a_database_says_of_its_error_is_not_shown(tmp_path: Path) -> None:
    """Previously MLflow wrote the whole traceback on stderr when the disk was full."""
    said = """if True:
        import resource, sys
        from pathlib import Path
        from headgate.core.errors import StoreUnavailable
        from tasks.reporting.mlflow_runs import require_tracking
        require_tracking("people", Path(sys.argv[1]))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))
        try:
            require_tracking("others", Path(sys.argv[1]))
        except StoreUnavailable:
            print("refused")
    """
    done = subprocess.run([sys.executable, "-c", said, tmp_path], cwd=Path(__file__).parents[4], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("refused\n", "")


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """MLflow asks again after an error, with pauses."""
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")


@pytest.fixture
def answering(at_once: None) -> Iterator[Callable[[int], str]]:
    """A server that gives every request the same status."""
    import http.server

    running = []

    def start(status: int) -> str:
        class Same(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                self.end_headers()

            do_POST = do_GET

            def log_message(self, *_said: object) -> None:
                """It says nothing."""

        running.append(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Same))
        threading.Thread(target=running[-1].serve_forever, daemon=True).start()
        return f"http://bob:secret-word@127.0.0.1:{running[-1].server_port}"

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(("status", "said"), [(401, "refuses the name or the password"), (500, "answers with an error (500)")])
def test_a_server_that_refuses_or_is_broken_stops_the_release_and_says_which(
    status: int, said: str, answering: Callable[[int], str], tracking_root: Path
) -> None:
    with pytest.raises(StoreUnavailable) as raised:
        require_tracking("people", tracking_root, answering(status))
    assert said in raised.value.message
    assert ("MLFLOW_TRACKING_PASSWORD" in raised.value.cure) == (status == 401)
    assert "secret-word" not in repr(raised.value)


def test_a_servers_expired_certificate_is_named(
    tls_server: TlsServer, at_once: None, tracking_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_SERVER_CERT_PATH", str(tls_server.authority))
    with pytest.raises(StoreUnavailable, match="has a certificate that has expired") as refusal:
        require_tracking("people", tracking_root, tls_server.start("expired"))
    assert refusal.value.cure == "Renew the server's certificate, and check this machine's clock."
