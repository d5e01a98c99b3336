"""Arguments and options that several commands take."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")]
Verbose = Annotated[bool, typer.Option("--verbose", help="Show log output from Prefect, MLflow and Great Expectations.")]
Key = Annotated[Path | None, typer.Option("--key", envvar="HEADGATE_KEY", help="Your SSH private key.")]
CandidateId = Annotated[str, typer.Argument(metavar="CANDIDATE", help="The candidate's id, or a unique prefix of at least 8 characters.")]
SealedId = Annotated[
    str, typer.Argument(metavar="CANDIDATE", help="The id of a candidate or of its release, or a unique prefix of at least 8 characters.")
]
ReleaseId = Annotated[
    str, typer.Argument(metavar="RELEASE", help="The id of a release or of its candidate, or a unique prefix of at least 8 characters.")
]
Reason = Annotated[str, typer.Option("--reason", help="Why; kept in the home, and signed as a salted digest.")]
ReasonHere = Annotated[str | None, typer.Option("--reason", help="Why; kept in the home, and signed as a salted digest.")]
SignatureFile = Annotated[
    Path | None,
    typer.Option("--signature", help="Instead of --key: the armored signature of what `headgate statement` gave, made elsewhere."),
]
PolicyFile = Annotated[Path, typer.Argument(metavar="POLICY", help="The policy: a YAML file.")]
TableFile = Annotated[Path, typer.Argument(metavar="TABLE", help="A table: CSV, Parquet, Excel (.xlsx), SPSS (.sav) or Stata (.dta).")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Output file (default: stdout).")]
Report = Annotated[Path | None, typer.Option("--report", help="Write an HTML page with charts to this file.")]
Language = Annotated[
    str | None, typer.Option("--language", help="Language of the report that is saved: en or de (default: as it was sealed).")
]
VersionFolder = Annotated[Path, typer.Argument(metavar="FOLDER", help="A published folder, such as …/latest.")]
ReleasedTableName = Annotated[str | None, typer.Option("--table", metavar="NAME", help="A table of the release, such as table-1.")]


def is_id(named: str) -> bool:
    """Of a candidate or a release, or the beginning of one; it is never taken for a path."""
    return re.fullmatch(r"[0-9a-fA-F]{8,64}", named) is not None


EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine", metavar="local|dask", help="Work in this process, or on Dask workers.", show_default="HEADGATE_ENGINE, or local"
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", help="Use this Dask scheduler (tls://HOST:PORT).", show_default="HEADGATE_SCHEDULER, or one's own"
    ),
]
