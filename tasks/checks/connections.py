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

from headgate.core.errors import HeadgateError
from tasks.approval.kept_policies import kept_form
from tasks.approval.operator_demands import operator_demands
from tasks.approval.registered_policies import registered_schedules
from tasks.checks.finding import Finding, Situation, failed, warned, well
from tasks.publication.targets import open_targets
from tasks.reporting.mlflow_runs import Tracking, probe_database
from tasks.runtime.home import Home
from tasks.stores.store_folder import FolderSeries

ANSWER_SECONDS = 4.0


def answer(url: str, auth: tuple[str, str] | None = None) -> tuple[int, bytes]:
    """The status of what a server answers, and its beginning; 0 if it does not answer. No redirect is followed, and no proxy asked."""
    import httpx

    try:
        with httpx.Client(timeout=ANSWER_SECONDS, auth=auth, trust_env=False, follow_redirects=False) as client:
            got = client.get(url)
            return got.status_code, got.content[:65536]
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError):
        return 0, b""


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
    auth = None if user is None else (user, os.environ.get("MLFLOW_TRACKING_PASSWORD", ""))
    status, content = answer(f"{tracking.uri.rstrip('/')}/api/2.0/mlflow/experiments/search?max_results=1", auth)
    if status == 200 and _is_object(content):
        yield well("mlflow", f"MLflow ({tracking.shown}) answers.")
    elif status in (401, 403):
        cure = "Correct MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD."
        yield failed("mlflow", f"MLflow ({tracking.shown}) does not let this account in.", cure)
    else:
        yield failed("mlflow", f"MLflow ({tracking.shown}) {_said(status)}.", tracking.cure)


def _is_object(content: bytes) -> bool:
    """As MLflow answers; a page of something else is none."""
    try:
        return isinstance(json.loads(content), dict)
    except ValueError:
        return False


def _said(status: int) -> str:
    if status == 200:
        return "answers as something else would"
    return f"answers with an error ({status})" if status else f"does not answer within {ANSWER_SECONDS:.0f} seconds"


def _embedded(home: Home) -> Finding:
    database = home.root / "mlflow.db"
    if not database.exists():
        return well("mlflow", "MLflow's database is made by the first release.")
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=ANSWER_SECONDS)) as opened:
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
    secret = os.environ.get("PREFECT_API_AUTH_STRING", "")
    user, _, password = secret.partition(":")
    status, content = answer(f"{url}/admin/version", (user, password) if secret else None)
    if status in (401, 403):
        yield failed("prefect", "The Prefect server does not let this account in.", "Correct PREFECT_API_AUTH_STRING.")
    elif status != 200:
        yield failed("prefect", f"The Prefect server {_said(status)}.", "Start it, or correct PREFECT_API_URL.")
    else:
        yield from _same_prefect(content)
    if not secret:
        yield warned(
            "prefect",
            "The Prefect server asks for no password: whoever reaches it runs code as this account.",
            "Set PREFECT_SERVER_API_AUTH_STRING there and PREFECT_API_AUTH_STRING here.",
        )


def _same_prefect(content: bytes) -> Iterator[Finding]:
    here = version("prefect")
    try:
        there = str(json.loads(content))
    except ValueError:
        there = ""
    if there.split(".")[:2] == here.split(".")[:2]:
        yield well("prefect", f"The Prefect server answers, in version {here}.")
    else:
        yield warned("prefect", f"The Prefect server has another version than {here}.", "Install the same version on both sides.")


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
            yield failed("targets", f"{target}: {series.folder} cannot be written.", "Correct permissions, or what operator.yaml names.")
        else:
            versions = "1 version" if count == 1 else f"{count} versions"
            yield well("targets", f"{target} can be reached and holds {versions}.")
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
    status, content = answer(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    try:
        said = json.loads(content).get("issuer") if status == 200 else None
    except (ValueError, AttributeError):
        said = None
    if status != 200:
        yield failed("sign-in", f"The provider in HEADGATE_OIDC_ISSUER {_said(status)}.", "Correct the address, or ask whoever runs it.")
    elif said != issuer:
        yield failed("sign-in", "The provider calls itself otherwise.", "Write HEADGATE_OIDC_ISSUER exactly as the provider does.")
    else:
        yield well("sign-in", "The provider in HEADGATE_OIDC_ISSUER answers.")
