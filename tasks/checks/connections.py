"""Servers and stores that a home works with: whether they answer, within a few seconds. What they say is repeated to nobody."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from headgate.core.errors import HeadgateError
from headgate.core.units import counted
from tasks.approval.kept_policies import kept_form
from tasks.approval.operator_demands import operator_demands
from tasks.approval.registered_policies import registered_schedules
from tasks.checks.finding import Finding, Situation, failed, warned, well
from tasks.publication.targets import open_targets
from tasks.reporting.mlflow_runs import Tracking, probe_database
from tasks.runtime.home import Home
from tasks.runtime.server_answer import ask
from tasks.runtime.server_certificates import CURES
from tasks.runtime.server_watch import cure_of, trouble_with, version_at
from tasks.stores.store_folder import FolderSeries

ANSWER_SECONDS = 4.0


def check_mlflow(situation: Situation) -> Iterator[Finding]:
    tracking = Tracking.at(situation.home.root)
    if tracking.embedded:
        yield _embedded(situation.home)
        return
    if not tracking.uri.startswith(("http://", "https://")):
        probe_database(tracking.uri)
        yield well("mlflow", f"MLflow's database ({tracking.shown}) answers.")
        return
    user = os.environ.get("MLFLOW_TRACKING_USERNAME")
    password = "" if user is None else f"{user}:{os.environ.get('MLFLOW_TRACKING_PASSWORD', '')}"
    answer = ask(f"{tracking.uri.rstrip('/')}/api/2.0/mlflow/experiments/search?max_results=1", ANSWER_SECONDS, password)
    if not answer.trouble and _is_object(answer.content):
        yield well("mlflow", f"MLflow ({tracking.shown}) answers.")
    elif answer.refused:
        cure = "Correct MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD."
        yield failed("mlflow", f"MLflow ({tracking.shown}) does not let this account in.", cure)
    else:
        yield failed(
            "mlflow",
            f"MLflow ({tracking.shown}) {answer.trouble or 'answers, but not as MLflow does'}.",
            CURES.get(answer.trouble, tracking.cure),
        )


def _is_object(content: bytes) -> bool:
    """As MLflow answers; a page of something else is none."""
    try:
        return isinstance(json.loads(content), dict)
    except ValueError:
        return False


def _embedded(home: Home) -> Finding:
    database = home.root / "mlflow.db"
    if not database.exists():
        return well("mlflow", "MLflow's database is made by the first release.")
    try:
        with closing(sqlite3.connect(f"file:{quote(str(database))}?mode=ro", uri=True, timeout=ANSWER_SECONDS)) as opened:
            opened.execute("SELECT COUNT(*) FROM experiments").fetchone()
    except sqlite3.Error as problem:
        reason = getattr(problem, "sqlite_errorname", type(problem).__name__)
        return failed(
            "mlflow", f"mlflow.db in the home cannot be read ({reason}).", "Restore it from a backup, or correct its permissions."
        )
    return well("mlflow", "mlflow.db in the home can be read.")


def check_prefect(situation: Situation) -> Iterator[Finding]:
    url = os.environ.get("PREFECT_API_URL", "").strip().rstrip("/")
    if not url:
        yield well("prefect", "`headgate serve` and each release start a Prefect server of their own.")
        return
    trouble = trouble_with(url, ANSWER_SECONDS)
    if trouble:
        yield failed("prefect", f"The Prefect server {trouble}.", cure_of(trouble))
    else:
        yield _same_prefect(version_at(url, ANSWER_SECONDS))
    if not os.environ.get("PREFECT_API_AUTH_STRING"):
        yield warned(
            "prefect",
            "The Prefect server asks for no password: whoever reaches it runs code as this account.",
            "Set PREFECT_SERVER_API_AUTH_STRING there and PREFECT_API_AUTH_STRING here.",
        )


def _same_prefect(there: str) -> Finding:
    here = version("prefect")
    if there.split(".")[:2] == here.split(".")[:2]:
        return well("prefect", f"The Prefect server answers, in version {here}.")
    return warned("prefect", f"The Prefect server has another version than {here}.", "Install the same version on both sides.")


def check_targets(situation: Situation) -> Iterator[Finding]:
    """Where registered policies publish to, and what operator.yaml names."""
    home = situation.home
    named = {*operator_demands(home).operator.targets, *_registered(home)}
    store = open_targets(home)
    for target in sorted(named):
        try:
            series = store.series(target)
            count = len(series.versions())
        except HeadgateError as problem:
            yield failed("targets", f"{target}: {problem.message}", problem.cure)
            continue
        if isinstance(series, FolderSeries) and not _writable(series.folder):
            yield failed(
                "targets",
                f"{target}: {series.folder} cannot be written.",
                "Correct its permissions, or name another folder in operator.yaml.",
            )
        else:
            yield well("targets", f"{target} can be reached and holds {counted(count, 'version')}.")
    if not named:
        yield well("targets", "No policy is registered, and operator.yaml names no target.")


def _writable(folder: Path) -> bool:
    """It may be made by the first publication."""
    present = next(place for place in (folder, *folder.parents) if place.exists())
    return os.access(present, os.W_OK | os.X_OK)


def _registered(home: Home) -> Iterator[str]:
    for schedule in registered_schedules(home):
        form = kept_form(home, schedule.digest)
        said: Mapping[str, Any] = {} if form is None else json.loads(form)
        if "to" in (said.get("publish") or {}):
            yield str(said["publish"]["to"])


def check_provider(situation: Situation) -> Iterator[Finding]:
    """Who signs people in to the console, where one is named."""
    issuer = os.environ.get("HEADGATE_OIDC_ISSUER", "").strip()
    if not issuer:
        yield well("sign-in", "No provider is named: the console has accounts of its own.")
        return
    answer = ask(f"{issuer.rstrip('/')}/.well-known/openid-configuration", ANSWER_SECONDS)
    try:
        said = json.loads(answer.content).get("issuer")
    except (ValueError, AttributeError):
        said = None
    if answer.trouble:
        cure = CURES.get(answer.trouble, "Correct the address, or ask whoever runs it.")
        yield failed("sign-in", f"The provider in HEADGATE_OIDC_ISSUER {answer.trouble}.", cure)
    elif said != issuer:
        yield failed(
            "sign-in",
            "The provider gives another issuer than HEADGATE_OIDC_ISSUER.",
            "Write HEADGATE_OIDC_ISSUER exactly as the provider does.",
        )
    else:
        yield well("sign-in", "The provider in HEADGATE_OIDC_ISSUER answers.")
