"""A release in MLflow: a run for it and a child run for each table. Nothing is published that could not be recorded.

MlflowClient only: the fluent interface keeps a current run for the whole process and looks up who and where we are. Any of mlflow's
modules imports the whole of it (0.7 s, and 0.4 s more when a database is opened first), so `import_mlflow` is for a thread of its own.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import re
import secrets
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from headgate.core.errors import HeadgateError, InputRejected, StoreUnavailable
from tasks.reporting.mlflow_record import RunContent, TrackedRelease, record_digest, release_run, table_run
from tasks.reporting.public_names import PLAIN_NAME
from tasks.runtime.first_tables import lay_first_tables
from tasks.runtime.server_certificates import CURES, certificate_problem, within

R = TypeVar("R")
EXPERIMENTS = "headgate/"  # one experiment per dataset
DIGEST_TAG = "record_digest"
POINTS_PER_CALL = 1000
PARAMETERS_PER_CALL = 100
CONNECT_SECONDS = 5
REFUSED = (401, 403)
SERVER_ERRORS = re.compile(r"too many (5\d\d) error responses")
SILENT = {
    "DO_NOT_TRACK": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",  # stdout belongs to --json
}
DEFAULTS = {
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": str(CONNECT_SECONDS),
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "MLFLOW_LOGGING_LEVEL": "CRITICAL",  # at ERROR it writes the whole traceback of a database's error, with its SQL
}


@dataclass(frozen=True)
class Tracking:
    """Where releases are recorded: MLFLOW_TRACKING_URI, or a database in the home."""

    root: Path
    uri: str
    embedded: bool

    @classmethod
    def at(cls, root: Path, uri: str | None = None) -> Tracking:
        chosen = uri or os.environ.get("MLFLOW_TRACKING_URI")
        return cls(root, chosen or f"sqlite:///{root.absolute() / 'mlflow.db'}", not chosen)

    @property
    def artifacts(self) -> str | None:
        """The folder of files in the home; a server has its own."""
        return (self.root.absolute() / "mlartifacts").as_uri() if self.embedded else None

    @property
    def shown(self) -> str:
        """The address without a name or password in it."""
        if self.embedded:
            return "mlflow.db in the home"
        parts = urlsplit(self.uri)
        return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"

    @property
    def cure(self) -> str:
        if self.embedded:
            return "Check the home's permissions and free space; nothing is released that is not recorded."
        return "Start the server or correct MLFLOW_TRACKING_URI; nothing is released that is not recorded."

    def unavailable(self, what: str) -> StoreUnavailable:
        return StoreUnavailable(f"MLflow ({self.shown}) {what}.", self.cure)


def import_mlflow() -> None:
    """Imports all that tracking in a database needs, with telemetry off and short waits for a server that is not there."""
    os.environ.update(SILENT)
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
    if not os.environ.get("HEADGATE_VERBOSE"):
        logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)
    import mlflow.store.tracking.sqlalchemy_store
    import mlflow.tracking.client  # noqa: F401


def track_release(record: TrackedRelease, root: Path, uri: str | None = None) -> str:
    """Records a release and its tables, reads everything back, and gives the parent's run id. Raises StoreUnavailable rather than go on."""
    children = [table_run(record, table) for table in record.measured.tables]
    return track_runs(record.measured.dataset, record.runner, release_run(record), children, root, uri)


def track_runs(dataset: str, runner: str, parent: RunContent, children: Sequence[RunContent], root: Path, uri: str | None = None) -> str:
    """A run and its children in the dataset's experiment, read back; children have names of their own."""
    tracking = Tracking.at(root, uri)

    def track(client: Any) -> str:
        experiment = _experiment(client, tracking, dataset)
        started: list[str] = []
        try:
            run_id = _record(client, tracking, experiment, parent, runner, {}, started)
            for child in children:
                _record(client, tracking, experiment, child, runner, {"mlflow.parentRunId": run_id}, started)
            for started_run in started:
                client.set_terminated(started_run, "FINISHED")
            _read_back(client, tracking, experiment, run_id, parent, children)
        except BaseException:
            for started_run in started:
                with suppress(Exception):  # the reason is already on its way; a run left behind as running would only be untidy
                    client.set_terminated(started_run, "FAILED")
            raise
        return run_id

    return _within(tracking, track)


def require_tracking(dataset: str, root: Path, uri: str | None = None) -> None:
    """Before long work: is there a store that takes runs of this dataset?"""
    tracking = Tracking.at(root, uri)
    _within(tracking, lambda client: _experiment(client, tracking, dataset))


def tag_candidate(run_id: str, candidate_id: str, root: Path, uri: str | None = None) -> None:
    """Ties the run to the candidate that was sealed from it."""
    tracking = Tracking.at(root, uri)

    def tag(client: Any) -> None:
        client.set_tag(run_id, "candidate", candidate_id)
        if client.get_run(run_id).data.tags.get("candidate") != candidate_id:
            raise tracking.unavailable("did not keep the candidate's id")

    _within(tracking, tag)


def find_release(release_id: str, root: Path, uri: str | None = None) -> str | None:
    """The run of a release, by its tag; the newest if it was recorded again after an interruption."""
    if not PLAIN_NAME.fullmatch(release_id):
        raise InputRejected("The release id has characters that no release id has.", "Give the id as `headgate releases` shows it.")

    def find(client: Any) -> str | None:
        ours = f"name LIKE '{EXPERIMENTS}%'"
        experiments = [experiment.experiment_id for experiment in _all_pages(client.search_experiments, filter_string=ours)]
        wanted = f"tags.release_id = '{release_id}' and attributes.status = 'FINISHED'"
        runs = client.search_runs(experiments, wanted, max_results=1, order_by=["attributes.start_time DESC"]) if experiments else []
        return str(runs[0].info.run_id) if runs else None

    return _within(Tracking.at(root, uri), find)


def _within(tracking: Tracking, work: Callable[[Any], R]) -> R:
    """Works with a client. What goes wrong leaves as StoreUnavailable with the class and place of what was raised, never its text:
    those of MLflow and of database drivers hold addresses with passwords."""
    try:
        import_mlflow()
        return work(_open(tracking))
    except HeadgateError as refusal:
        outward = refusal
    except Exception as foreign:  # noqa: BLE001 - whatever it is, the release must not go on
        outward = _outward(tracking, foreign)
    outward.__cause__ = outward.__context__ = None
    raise outward.with_traceback(None)


def _outward(tracking: Tracking, foreign: Exception) -> HeadgateError:
    status = foreign.get_http_status_code() if hasattr(foreign, "get_http_status_code") else 0
    if status in REFUSED:
        refused = tracking.unavailable("refuses the name or the password, or does not let them do this")
        return StoreUnavailable(refused.message, "Set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD to somebody who may write.")
    if certificate := certificate_problem(foreign):
        return StoreUnavailable(tracking.unavailable(certificate).message, CURES[certificate])
    if broken := next((found[1] for inner in within(foreign) if (found := SERVER_ERRORS.search(str(inner)))), None):
        failed = tracking.unavailable(f"answers with an error ({broken})")
        return StoreUnavailable(failed.message, "See its log; nothing is released that is not recorded.")
    frame = traceback.extract_tb(foreign.__traceback__)[-1]
    return tracking.unavailable(f"could not be used ({type(foreign).__name__} at {Path(frame.filename).name}:{frame.lineno})")


def _open(tracking: Tracking) -> Any:
    from mlflow.tracking.client import MlflowClient

    if urlsplit(tracking.uri).scheme in ("http", "https"):
        return MlflowClient(tracking_uri=tracking.uri)
    if tracking.embedded and "?" in tracking.uri:
        raise StoreUnavailable(
            "The home's path has a question mark in it, which no database address can have.", "Set HEADGATE_HOME to another folder."
        )
    if not tracking.embedded:
        probe_database(tracking.uri)
        return MlflowClient(tracking_uri=tracking.uri)
    with (tracking.root / "mlflow.lock").open("w") as lock:  # two first runs would both make the tables
        fcntl.flock(lock, fcntl.LOCK_EX)
        _make_database(tracking)
        probe_database(tracking.uri)
        return MlflowClient(tracking_uri=tracking.uri)


def _make_database(tracking: Tracking) -> None:
    """Under another name until it is whole: MLflow makes its tables in many steps, and cannot go on where one was cut short."""
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    database = tracking.root / "mlflow.db"
    if database.exists() and database.stat().st_size:
        return
    for left in tracking.root.glob(".mlflow-*"):
        left.unlink()
    unfinished = tracking.root.absolute() / f".mlflow-{secrets.token_hex(6)}"  # MLflow keeps what it opened under a name once
    lay_first_tables("mlflow", unfinished)
    SqlAlchemyStore(f"sqlite:///{unfinished}", tracking.artifacts).engine.dispose()
    unfinished.replace(database)


def probe_database(uri: str) -> None:
    """One attempt to connect; MLflow itself tries for 100 seconds."""
    import sqlalchemy

    remote = not uri.startswith("sqlite")
    engine = sqlalchemy.create_engine(
        uri, poolclass=sqlalchemy.pool.NullPool, connect_args={"connect_timeout": CONNECT_SECONDS} if remote else {}
    )
    sqlalchemy.inspect(engine).get_table_names()
    engine.dispose()


def _experiment(client: Any, tracking: Tracking, dataset: str) -> str:
    """The dataset's experiment. In a home that was moved or restored elsewhere, the old one keeps its runs under another name."""
    name = EXPERIMENTS + dataset
    known = client.get_experiment_by_name(name)
    if known is not None and known.lifecycle_stage != "active":
        raise StoreUnavailable(
            f"The MLflow experiment {name} was deleted.", f"Restore it: mlflow experiments restore -x {known.experiment_id}."
        )
    if known is not None and tracking.artifacts not in (None, known.artifact_location):
        client.rename_experiment(known.experiment_id, f"{name} (until {int(time.time())})")
        known = None
    return str(known.experiment_id if known is not None else client.create_experiment(name, artifact_location=tracking.artifacts))


def _record(
    client: Any, tracking: Tracking, experiment: str, content: RunContent, runner: str, tags: Mapping[str, str], started: list[str]
) -> str:
    from mlflow.entities import Metric, Param

    # The first three would else be looked up: script, folder and account of this machine.
    origin = {"mlflow.source.name": "headgate", "mlflow.source.type": "JOB", "mlflow.user": runner}
    run = client.create_run(experiment, tags={**origin, **content.tags, **tags, DIGEST_TAG: content.digest}, run_name=content.name)
    run_id = str(run.info.run_id)
    started.append(run_id)
    now = int(time.time() * 1000)
    metrics = [Metric(point.name, point.value, now, point.step) for point in content.points]
    parameters = [Param(name, value) for name, value in content.parameters.items()]
    for first in range(0, len(parameters), PARAMETERS_PER_CALL):
        client.log_batch(run_id, params=parameters[first : first + PARAMETERS_PER_CALL], synchronous=True)
    for first in range(0, len(metrics), POINTS_PER_CALL):
        client.log_batch(run_id, metrics=metrics[first : first + POINTS_PER_CALL], synchronous=True)
    if content.files:
        with tempfile.TemporaryDirectory(dir=tracking.root, prefix=".tracking-") as folder:
            for path, written in content.files.items():
                target = Path(folder, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(written)
            client.log_artifacts(run_id, folder)
    return run_id


def _read_back(client: Any, tracking: Tracking, experiment: str, run_id: str, parent: RunContent, children: Sequence[RunContent]) -> None:
    """Reads everything that was logged back from MLflow, and compares digests."""
    recorded = _all_pages(client.search_runs, experiment_ids=[experiment], filter_string=f"tags.`mlflow.parentRunId` = '{run_id}'")
    runs = {run.data.tags.get("mlflow.runName"): run for run in recorded}
    if sorted(runs) != sorted(child.name for child in children) or len(recorded) != len(children):
        raise tracking.unavailable(f"has {len(recorded)} child runs where {len(children)} were recorded")
    for content, run in [(parent, client.get_run(run_id)), *((child, runs[child.name]) for child in children)]:
        files = _files_of(client, tracking, run.info.run_id) if content.files else {}
        if run.info.status != "FINISHED" or run.data.tags.get(DIGEST_TAG) != content.digest:
            raise tracking.unavailable("did not keep a run's state or digest")
        if record_digest(run.data.params, run.data.metrics, files) != content.digest:
            raise tracking.unavailable("gives back other figures or files than it was given")


def _files_of(client: Any, tracking: Tracking, run_id: str) -> dict[str, str]:
    with tempfile.TemporaryDirectory(dir=tracking.root, prefix=".tracking-") as folder:
        kept = Path(client.download_artifacts(run_id, "", folder))
        paths = [path for path in kept.rglob("*") if path.is_file()]
        return {path.relative_to(kept).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def _all_pages(search: Any, **arguments: Any) -> list[Any]:
    entries: list[Any] = []
    page = search(**arguments)
    entries.extend(page)
    while page.token:
        page = search(**arguments, page_token=page.token)
        entries.extend(page)
    return entries
