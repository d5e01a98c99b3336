"""`python -m tests.upgrades.make` makes home.tar.xz with this version of headgate: a ledger with a published, a rejected and a refused
release, and the published folder. Every later version must verify them: it is made anew only until its form has been released.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from contextlib import closing
from pathlib import Path

from tasks.signing.keys import make_key
from tests.functional.conftest import REGIONS, Outcome, Project, people

KEPT = Path(__file__).with_name("home.tar.xz")
ROOT = Path(__file__).resolve().parents[2]
# What neither an audit nor a reader needs.
LEFT_OUT = ("mlflow", "mlartifacts", "prefect", "matplotlib", "candidates", "staging", "refused", "origins", "series")
REASON = ("--reason", "read and agreed")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="upgrades-") as folder:
        home = journey(Path(folder))
        with closing(sqlite3.connect(home / "ledger.db")) as ledger:
            ledger.execute("VACUUM")  # pages that are no longer used hold locks, which name the machine
        with tarfile.open(KEPT, "w:xz") as archive:
            archive.add(home, "home", filter=_kept)
    print(f"{KEPT.relative_to(ROOT)}: {KEPT.stat().st_size:,} bytes")


def _kept(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Without what is secret, and without what names who made it."""
    parts = Path(member.name).parts
    if len(parts) > 1 and parts[1].startswith(LEFT_OUT):
        return None
    if len(parts) > 2 and parts[1] == "keys" and not member.name.endswith(".pub"):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def journey(folder: Path) -> Path:
    steward, home = folder / "policies", folder / "home"
    steward.mkdir()
    names = ("alice", "bob", "carol", "mallory", "steward")
    for name in names:
        make_key(folder / name)
    project = Project(steward, home, _run, folder, {name: folder / name for name in names})
    (steward / "region.csv").write_text(REGIONS, encoding="utf-8")
    (steward / "signers").write_text(project.lines("alice", "bob", "carol"), encoding="utf-8")
    project.open_home(bare=True)
    project.write_source(people(60))
    project.write_policy()
    first = _done(project, "release", project.policy, "--key", project.keys["steward"], "--json").json["candidate"]
    for name in ("alice", "bob"):
        _done(project, "approve", first, "--key", project.keys[name], *REASON)
    _done(project, "publish", first)
    project.write_source(people(60, seed=2))
    second = _done(project, "release", project.policy, "--key", project.keys["steward"], "--json").json["candidate"]
    _done(project, "reject", second, "--key", project.keys["carol"], "--reason", "not yet")
    project.write_policy(max_error=1e-9)
    assert project.run("release", project.policy, "--key", project.keys["steward"]).code == 3
    return home


def _run(home: Path, *arguments: str | Path) -> Outcome:
    environment = {**os.environ, "HEADGATE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-m", "flows.cli", *map(str, arguments)], env=environment, capture_output=True, text=True)
    return Outcome(done.returncode, done.stdout, done.stderr)


def _done(project: Project, *arguments: str | Path) -> Outcome:
    outcome = project.run(*arguments)
    if outcome.code:
        raise SystemExit(f"{arguments[0]} ended with {outcome.code}: {outcome.err}")
    return outcome


if __name__ == "__main__":
    main()
