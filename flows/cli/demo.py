"""`headgate demo`: the whole of headgate on the shipped hospital data, with the very commands a person would type.

Two approvers' keys are made on the spot. The second release asks for more than its data supports, and is refused with the cure.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tasks.runtime.home import Home

APPROVERS = ("alice", "bob")
RUNNER = "steward"
POLICY = "hospital-patients"


def demo(
    context: typer.Context,
    home: Annotated[
        Path | None, typer.Option("--home", help="Keep the demo's home in this folder (default: a new temporary folder).")
    ] = None,
) -> None:
    """Run a whole release of the shipped hospital data, approved, published and verified; and one that its gate refuses."""
    from flows.terminal.exit_codes import run_application
    from tasks.runtime.home import Home

    application = context.find_root().command
    root = Path(tempfile.mkdtemp(prefix="headgate-demo-")) if home is None else home
    opened = Home.open(root)
    policy = _copy_policy(opened.root / "work")
    _make_people(opened)
    journey = _Journey(opened.root, lambda arguments: run_application(application, arguments))
    try:
        with _one_server(opened):
            _release_and_refusal(journey, opened, policy)
        latest = _latest(opened)
        journey.say(f"Published and verified: {latest}\nThe report: {latest / 'report.html'}\nDone in {journey.seconds():.0f} s.")
    finally:
        _say_what_is_left(opened.root)


def _say_what_is_left(root: Path) -> None:
    """Whether it went well or not: the home lies among temporary files, with keys that prove nothing."""
    from flows.terminal.output import console

    console().print(f"Everything that the demo made is in {root}. To remove it:", soft_wrap=True)
    console().print(f"  rm -rf {shlex.quote(str(root))}", soft_wrap=True)


def _release_and_refusal(journey: _Journey, home: Home, policy: Path) -> None:
    journey.say(f"A release of the shipped hospital data, in {home.root}")
    key = ("--key", str(home.keys / RUNNER))
    candidate = journey.release(home, policy, key)
    for approver in APPROVERS:
        journey.run("approve", candidate[:12], "--key", str(home.keys / approver), "--reason", "read the report")
    journey.run("publish", candidate[:12])
    journey.run("verify", str(_latest(home)), "--signers", str(home.signers), "--ledger-key", str(home.keys / "ledger.pub"))
    journey.run("audit", "verify")
    journey.say("The same data under a policy that asks for more than it supports")
    strict = policy.with_name("too-strict.yaml")
    strict.write_text(_stricter(policy.read_text(encoding="utf-8")), encoding="utf-8")
    journey.run("release", str(strict), *key, expected=3)


@contextmanager
def _one_server(home: Home) -> Iterator[None]:
    """All commands of the demo share one Prefect server, as they would with PREFECT_API_URL set."""
    if os.environ.get("PREFECT_API_URL"):
        yield
        return
    from tasks.runtime.prefect_server import PrefectServer
    from tasks.runtime.quiet import quieten

    quieten(home)
    server = PrefectServer.start()
    try:
        os.environ.update(server.environment())
        yield
    finally:
        for name in ("PREFECT_API_URL", "PREFECT_API_AUTH_STRING"):
            os.environ.pop(name, None)
        server.stop()


class _Journey:
    """Shows each command, then runs it in this process as `headgate …` would."""

    def __init__(self, home: Path, run: Callable[[tuple[str, ...]], int]) -> None:
        self._start, self._run = time.perf_counter(), run
        os.environ["HEADGATE_HOME"] = str(home)
        for name in ("HEADGATE_KEY", "HEADGATE_STORE", "HEADGATE_SOCKET"):
            os.environ.pop(name, None)

    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def say(self, text: str) -> None:
        from flows.terminal.output import results

        results().print(f"\n{text}", style="bold cyan", soft_wrap=True)

    def run(self, *arguments: str, expected: int = 0) -> None:
        from flows.terminal.output import results
        from headgate.core.errors import Defect

        shown = " ".join(f'"{word}"' if " " in word else word for word in arguments)
        results().print(f"\n$ headgate {shown}", style="bold", soft_wrap=True)
        code = self._run(arguments)
        if code != expected:
            raise Defect(f"The demo's command ended with {code} instead of {expected}.", "Please report the lines above.")

    def release(self, home: Home, policy: Path, key: tuple[str, ...]) -> str:
        """The candidate's id, from the ledger: the command itself is run as a person would."""
        from tasks.ledger.history import read_whole
        from tasks.ledger.open_ledger import open_ledger

        self.run("release", str(policy), *key)
        return read_whole(open_ledger(home)).releases()[-1].candidate


def _copy_policy(work: Path) -> Path:
    """The shipped policy and its data as a steward would have them: a folder of one's own."""
    from flows.policy_files import resolve_policy

    policy = resolve_policy(f"shipped:{POLICY}")
    folder = POLICY.replace("-", "_")
    if work.exists():
        shutil.rmtree(work)
    shutil.copytree(policy.parent / folder, work / folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    shutil.copy(policy, work / policy.name)
    return work / policy.name


def _make_people(home: Home) -> None:
    """Everybody's key lies in the demo's home, so it shows how people agree and proves nothing. In earnest each keeps their own."""
    from tasks.signing.home_keys import load_or_make

    keys = {name: load_or_make(home.keys / name) for name in (*APPROVERS, RUNNER)}
    home.signers.write_text("".join(f'{name} namespaces="headgate" {key.public}\n' for name, key in keys.items()), encoding="utf-8")


def _stricter(policy: str) -> str:
    """Requires that more people of the register match a record than there are for the rarest."""
    from headgate.core.errors import Defect

    changed, count = re.subn(r"min_candidates: [0-9]+", "min_candidates: 300", policy)
    if count != 1:
        raise Defect("The shipped policy has no disclosure gate to tighten.", "Please report this.")
    return changed


def _latest(home: Home) -> Path:
    return home.releases / POLICY / "latest"  # the shipped policy publishes under the dataset's name
