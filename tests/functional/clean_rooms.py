"""Accounts of this machine that can run the installed product and see of each other only what the rights of files let them.

The interpreter and its packages may lie where only the owner of these tests can read, so each command sees them mounted elsewhere, and
headgate's own code is a copy that belongs to the account of the service, with its compiled loops.
"""

from __future__ import annotations

import grp
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path

from tests.functional.conftest import Outcome

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("headgate", "policies", "tasks", "flows", "console")
GROUP = "games"  # any that this machine has
ACCOUNTS = {"operator": 60_000, "steward": 60_001, "alice": 60_002, "bob": 60_003, "auditor": 60_004, "mallory": 60_005}
IN_ROOM = """
room=$1; python=$2; packages=$3; shift 3
mount --bind "$python" "$room/python" && mount --bind "$packages" "$room/packages" && exec "$@"
"""
# Says of each path whether whoever runs it can read and write it; nothing is changed.
REACH = """
import json, os, sys
def can(path, how):
    try:
        os.close(os.open(path, how | os.O_NONBLOCK))
    except OSError:
        return False
    return True
def reached(path):
    if os.path.isdir(path):
        return can(path, os.O_RDONLY), os.access(path, os.W_OK)
    return can(path, os.O_RDONLY), can(path, os.O_WRONLY)
print(json.dumps([reached(path) for path in json.load(sys.stdin)]))
"""


def why_not() -> str:
    """Why there can be no clean rooms here, or nothing."""
    if os.geteuid() != 0:
        return "only root can act as other accounts"
    if shutil.which("unshare") is None or shutil.which("setpriv") is None:
        return "unshare and setpriv are not installed"
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        return "this machine does not let root mount anything"
    return "" if any(group.gr_name == GROUP for group in grp.getgrall()) else f"this machine has no group {GROUP}"


@dataclass
class CleanRooms:
    """Below `folder`, everybody has a folder of their own, which is all that they can write."""

    folder: Path
    surroundings: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.chmod(0o755)
        for name in ("python", "packages", "code", "run", "public"):
            (self.folder / name).mkdir(mode=0o755)
        for package in PACKAGES:
            shutil.copytree(ROOT / package, self.folder / "code" / package)
        for name in ACCOUNTS:
            self.own(name).mkdir()
            self.give(name)
        for shared in ("code", "run", "public"):  # the service's, for everybody to read
            for path in (self.folder / shared, *(self.folder / shared).rglob("*")):
                os.chown(path, ACCOUNTS["operator"], ACCOUNTS["operator"])
                path.chmod(0o755 if path.is_dir() else 0o644)

    def own(self, name: str) -> Path:
        return self.folder / name

    def give(self, name: str) -> None:
        """Everything in that folder to its owner alone, who changes nothing of what others own in it."""
        for path in (self.own(name), *self.own(name).rglob("*")):
            os.chown(path, ACCOUNTS[name], ACCOUNTS[name])
            path.chmod(0o700 if path.is_dir() else 0o600)

    def _command(self, name: str, arguments: list[str], member: bool) -> list[str]:
        uid = ACCOUNTS[name]
        groups = ["--groups", GROUP] if member else ["--clear-groups"]
        mounted = ["unshare", "--mount", "sh", "-c", IN_ROOM, "room", self.folder, sys.base_prefix, sysconfig.get_path("purelib")]
        account = ["setpriv", f"--reuid={uid}", f"--regid={uid}", *groups, "--no-new-privs"]
        return [*map(str, mounted), *account, str(self.folder / "python" / "bin" / "python3"), *arguments]

    def _environment(self, name: str) -> dict[str, str]:
        below = [str(self.folder / "code"), str(self.folder / "packages")]
        own = {"HOME": str(self.own(name)), "HEADGATE_KEY": str(self.own(name) / "key")}
        python = {"LD_LIBRARY_PATH": str(self.folder / "python" / "lib"), "PYTHONHOME": str(self.folder / "python")}
        python |= {"PYTHONPATH": os.pathsep.join(below), "PYTHONWARNINGS": "ignore"}
        return {"PATH": os.defpath, "LANG": "C.UTF-8"} | python | own | self.surroundings

    def start(self, name: str, *arguments: str | Path, environment: dict[str, str] | None = None) -> subprocess.Popen[str]:
        """headgate, as that account, going on while the test does."""
        return subprocess.Popen(
            self._command(name, ["-m", "flows.cli", *map(str, arguments)], True),
            env=self._environment(name) | (environment or {}),
            cwd=self.own(name),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, name: str, *arguments: str | Path, member: bool = True, environment: dict[str, str] | None = None) -> Outcome:
        done = subprocess.run(
            self._command(name, ["-m", "flows.cli", *map(str, arguments)], member),
            env=self._environment(name) | (environment or {}),
            cwd=self.own(name),
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def reached(self, name: str, below: Path) -> tuple[set[str], set[str]]:
        """What of that folder, itself included, the account can read, and what it can write."""
        paths = [str(path) for path in (below, *below.rglob("*")) if not path.is_symlink()]
        done = subprocess.run(
            self._command(name, ["-c", REACH], True),
            input=json.dumps(paths),
            env=self._environment(name),
            cwd=self.own(name),
            capture_output=True,
            text=True,
            check=True,
        )
        reached = list(zip((str(Path(path).relative_to(below)) for path in paths), json.loads(done.stdout), strict=True))
        return {path for path, (read, _) in reached if read}, {path for path, (_, write) in reached if write}
