"""`headgate deploy [POLICY|FOLDER]...`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal.options import Json, Verbose

if TYPE_CHECKING:
    from flows.schedules.deployment_changes import Change
    from headgate.core.errors import HeadgateError
    from tasks.runtime.home import Home
    from tasks.runtime.prefect_deployments import Deployment


def deploy(
    policies: Annotated[list[Path] | None, typer.Argument(metavar="[POLICY|FOLDER]...", help="Policies, or folders of policies.")] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Show what would change, without changing it; exit code 3 if anything would.")
    ] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Remove this home's deployments of policies that are not named.")] = False,
    pool: Annotated[
        str, typer.Option("--pool", metavar="NAME", help="The work pool; made as a process pool if it does not exist.")
    ] = "headgate",
    file: Annotated[
        Path | None, typer.Option("--file", help="Write the deployments to this file, for `prefect deploy`; no server is contacted.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option("--key", help="Your SSH private key: registers the policies as they are now, so that they may run.")
    ] = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Deploy every policy with a schedule to the Prefect server that PREFECT_API_URL names."""
    from flows.schedules.scheduled_policies import not_registered, register_policies, scheduled_policies
    from flows.schedules.wanted_deployments import made_by, wanted_deployments
    from flows.terminal.current_folder import here
    from flows.terminal.output import print_error
    from tasks.runtime.home import Home
    from tasks.signing.home_keys import home_fingerprint

    scheduled = scheduled_policies(policies or [here()])
    if file is not None:
        _to_file(file, wanted_deployments(scheduled, pool=pool), diff, json)
        return
    _require_server()
    home = Home.open()
    if key is not None and not diff:
        register_policies(home, scheduled, key)
    for refusal in not_registered(home, scheduled, required=False):
        print_error(refusal)
    own = home_fingerprint(home.keys)
    _to_server(home, wanted_deployments(scheduled, own, pool), made_by(own), diff, prune, json, verbose)


def _require_server() -> None:
    from headgate.core.errors import InputRejected

    if not os.environ.get("PREFECT_API_URL"):
        raise InputRejected(
            "No Prefect server is named.", "Set PREFECT_API_URL to yours, or let `headgate serve` run the schedules without one."
        )


def _to_file(file: Path, wanted: Sequence[Deployment], diff: bool, as_json: bool) -> None:
    from flows.schedules.deployment_file import file_text, is_current, write_file
    from flows.terminal.output import print_json, results

    text = file_text(wanted)
    current = is_current(file, text)
    if diff and not current:
        raise _differs(f"{file.name} does not match the policies.")
    if not current:
        write_file(file, text)
    if as_json:
        print_json({"file": str(file), "written": not current})
    else:
        results().print(f"{file}: {'it matches the policies' if current else 'written'}.", soft_wrap=True)


def _to_server(home: Home, wanted: Sequence[Deployment], own: str, diff: bool, prune: bool, as_json: bool, verbose: bool) -> None:
    from flows.terminal.output import print_json
    from flows.views.deployment_view import deployment_document, show_deployments
    from tasks.runtime.prefect_deployments import server_named
    from tasks.runtime.prefect_server import prefect_api
    from tasks.runtime.quiet import quieten

    quieten(home, verbose)
    with prefect_api():
        found = _compared(wanted, own)
        problem = _problem(found, diff, prune)
        if problem is None and not diff:
            _carry_out(found, prune)
    document = deployment_document(found, server_named(), prune)
    if problem is not None:
        problem.document = document
    if problem is None and as_json:
        print_json(document)
    elif not as_json:
        show_deployments(found, diff or problem is not None, prune)
    if problem is not None:
        raise problem


def _compared(wanted: Sequence[Deployment], own: str) -> tuple[Change, ...]:
    from flows.schedules.deployment_changes import changes
    from tasks.runtime.prefect_deployments import deployments_there

    return changes(wanted, deployments_there(), own)


def _problem(found: Sequence[Change], diff: bool, prune: bool) -> HeadgateError | None:
    """Where one is somebody else's, nothing at all is changed."""
    from flows.schedules.deployment_changes import What
    from headgate.core.errors import Refusal, TransitionRefused
    from headgate.core.units import counted

    refused = [change.full_name for change in found if change.what is What.REFUSED]
    if refused:
        reasons = [Refusal("deployment", f"the deployment {name} at Prefect's server was not made by this home") for name in refused]
        return TransitionRefused(
            reasons, "Use a Prefect server of this home's own, or delete it there: prefect deployment delete NAME. Then deploy again."
        )
    would = {What.CREATE, What.UPDATE, *((What.REMOVE,) if prune else ())}
    differing = sum(change.what in would for change in found)
    if diff and differing:
        return _differs(f"{counted(differing, 'deployment')} at Prefect's server would change.")
    return None


def _differs(sentence: str) -> HeadgateError:
    from headgate.core.errors import RequirementNotMet

    return RequirementNotMet(sentence, "Run the same command without --diff.", "deployments")


def _carry_out(found: Sequence[Change], prune: bool) -> None:
    from flows.schedules.deployment_changes import What
    from tasks.runtime.prefect_deployments import remove_deployments, write_deployments

    differing = [change for change in found if change.what in (What.CREATE, What.UPDATE)]
    write_deployments([(change.wanted, change.paused) for change in differing if change.wanted is not None])
    if prune:
        remove_deployments([change.id for change in found if change.what is What.REMOVE and change.id is not None])
