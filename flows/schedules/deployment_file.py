"""The same deployments as a file for `prefect deploy --all`: written, and compared, byte by byte."""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.core.errors import StoreUnavailable
from tasks.runtime.boundary import reason_of

if TYPE_CHECKING:
    from tasks.runtime.prefect_deployments import Deployment

HEAD = """\
# Written by `headgate deploy POLICY… --file FILE`; with `--diff` it says whether this is still what the policies say.
# `headgate deploy POLICY…` does the same at the server that PREFECT_API_URL names, and changes only what it has made.
# With Prefect's own command:
#   prefect work-pool create --type process headgate
#   prefect deploy --all --prefect-file FILE
# Flows are found by module path: a worker needs headgate installed and HEADGATE_HOME set; no code is copied.
# A policy runs once somebody who may run releases has registered it: headgate serve POLICY --key KEY --register.
"""


def file_text(deployments: Sequence[Deployment]) -> str:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.default_flow_style = False
    yaml.width = 140
    yaml.indent(mapping=2, sequence=4, offset=2)
    document = {
        "name": "headgate",
        "prefect-version": version("prefect"),
        "build": None,
        "push": None,
        "pull": None,
        "deployments": [_entry(deployment) for deployment in deployments],
    }
    text = io.StringIO()
    yaml.dump(document, text)
    return HEAD + text.getvalue()


def _entry(deployment: Deployment) -> dict[str, Any]:
    words = deployment.words
    return {
        "name": deployment.name,
        "description": deployment.description,
        "entrypoint": deployment.entrypoint,
        "tags": list(deployment.tags),
        "parameters": words["parameters"],
        "schedules": [dict(deployment.schedule)],
        "concurrency_limit": {"limit": words["concurrency_limit"], "collision_strategy": words["collision_strategy"]},
        "work_pool": {"name": deployment.pool, "job_variables": words["job_variables"]},
    }


def is_current(file: Path, text: str) -> bool:
    try:
        return file.read_text(encoding="utf-8") == text
    except FileNotFoundError:
        return False
    except (OSError, UnicodeDecodeError) as problem:
        raise _unusable(file, problem) from None


def write_file(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise _unusable(file, problem) from None


def _unusable(file: Path, problem: OSError | UnicodeDecodeError) -> StoreUnavailable:
    why = reason_of(problem) if isinstance(problem, OSError) else "it is not UTF-8"
    return StoreUnavailable(f"{file} cannot be used ({why}).", "Name another file.")
