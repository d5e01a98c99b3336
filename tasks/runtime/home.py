"""Where the embedded default keeps everything: one folder, private to the account that runs it."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken, StoreUnavailable
from tasks.runtime.boundary import reason_of
from tasks.runtime.input_limits import take_limits
from tasks.runtime.operator_settings import limits_in
from tasks.runtime.trusted_files import require_safe_folders

STAGED = re.compile("[A-Za-z0-9][A-Za-z0-9 _-]{0,80}")
PRIVATE = 0o077  # what nobody else may do with what is made in a home


@dataclass(frozen=True)
class Home:
    """`$HEADGATE_HOME`, or `headgate` where the account's programs keep their data: never a place that depends on where one stands, since
    whoever could write there would be believed. Opening it makes what is lacking, private, and proves it can be written."""

    root: Path

    @classmethod
    def read(cls, root: Path | str | None = None) -> Home:
        """For those who only read: nothing is made, tried or changed, so a copy or a home that belongs to somebody else will do. Its
        operator's limits count if nobody else could have written them."""
        home = cls._named(root)
        take_limits({})
        with suppress(HeadgateError):
            take_limits(limits_in(home.root))
        return home

    @classmethod
    def _named(cls, root: Path | str | None) -> Home:
        chosen = Path(root or os.environ.get("HEADGATE_HOME") or default_home()).expanduser()
        if not chosen.is_absolute():
            raise InputRejected("HEADGATE_HOME is a relative path, so it depends on the current folder.", "Set it to an absolute path.")
        if chosen.exists() and not chosen.is_dir():
            raise StoreUnavailable(
                f"The home {chosen} cannot be used (it is not a folder).", "Set HEADGATE_HOME to a folder of yours that can be written."
            )
        return cls(chosen)

    @classmethod
    def open(cls, root: Path | str | None = None) -> Home:
        home = cls._named(root)
        chosen = home.root
        os.umask(PRIVATE)  # for whatever this process, Prefect and MLflow write from now on; published folders say otherwise themselves
        require_safe_folders(chosen)
        reason = home._prepare()
        if reason is not None:
            raise StoreUnavailable(
                f"The home {chosen} cannot be used ({reason}).",
                "Set HEADGATE_HOME to a folder of yours that can be written.",
            )
        take_limits(limits_in(chosen))
        return home

    @classmethod
    def reopen(cls) -> Home:
        """For runs and requests, which go on in a home that somebody else has opened: one that is gone is not made anew."""
        cls._named(None).require_there()
        return cls.open()

    def require_there(self) -> None:
        if not self.keys.is_dir():
            raise StoreUnavailable(
                f"The home {self.root} is gone.",
                "Put it back, or mount its disk; if it was moved, set HEADGATE_HOME and start what runs there again.",
            )

    def _prepare(self) -> str | None:
        probe = self.root / f".probe-{os.getpid()}"
        try:
            for folder in (self.root, self.candidates, self.keys, self.staging):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self.root.stat().st_mode & PRIVATE:
                self.root.chmod(0o700)  # others could read in it, not write
            probe.write_bytes(b"")
            probe.unlink()
        except OSError as problem:
            return reason_of(problem)
        return None

    @property
    def ledger(self) -> Path:
        return self.root / "ledger.db"

    @property
    def database_url(self) -> str:
        """`HEADGATE_DATABASE_URL`, or the ledger's file in the home."""
        return os.environ.get("HEADGATE_DATABASE_URL") or f"sqlite:///{self.ledger}"

    @property
    def candidates(self) -> Path:
        return self.root / "candidates"

    @property
    def staging(self) -> Path:
        """Published forms on their way to a candidate; on the same file system, so that sealing is one rename."""
        return self.root / "staging"

    @property
    def refused(self) -> Path:
        """Reports of refused releases: figures only."""
        return self.root / "refused"

    @property
    def state(self) -> Path:
        """What the home remembers of its ledger, outside of the database."""
        return self.root / "state"

    @property
    def keys(self) -> Path:
        return self.root / "keys"

    @property
    def seeds(self) -> Path:
        """Of each candidate the seed of its draws, to open the commitment to an auditor."""
        return self.keys / "seeds"

    @property
    def origins(self) -> Path:
        """Of each candidate where its policy and its source lay."""
        return self.root / "origins"

    @property
    def series(self) -> Path:
        """By dataset and candidate, who is in which group, encrypted: for comparing versions."""
        return self.root / "series"

    @property
    def policies(self) -> Path:
        """The policies under which releases ran, as they were."""
        return self.root / "policies"

    @property
    def signers(self) -> Path:
        return self.root / "signers"

    @property
    def prefect(self) -> Path:
        return self.root / "prefect"

    @property
    def releases(self) -> Path:
        """What is published, where nothing else is said."""
        return self.root / "releases"

    @property
    def store(self) -> str:
        """`HEADGATE_STORE`, or `releases`."""
        return os.environ.get("HEADGATE_STORE") or str(self.releases)

    @property
    def publishes_elsewhere(self) -> bool:
        """Whether what is published leaves the home: by HEADGATE_STORE, through a link, or onto another file system mounted there."""
        if os.environ.get("HEADGATE_STORE"):
            return True
        if self.releases.is_symlink() or not self.releases.is_dir():
            return self.releases.is_symlink()
        here = self.releases.resolve()
        return self.releases.stat().st_dev != self.root.stat().st_dev or any(place.is_relative_to(here) for place in mounted())

    def stage(self, release_id: str) -> Path:
        """A new, empty, private folder for one release."""
        folder = self._staged(release_id)
        folder.mkdir(mode=0o700)
        return folder

    def shared(self, release_id: str) -> Path:
        """Where a release keeps, encrypted, what its worker processes share; made by whoever starts them."""
        return self._staged(f"{release_id}-shared")

    def clear_stage(self, release_id: str) -> None:
        """The id may come out of a row of the ledger's database."""
        for folder in (self._staged(release_id), self.shared(release_id)):
            shutil.rmtree(folder, ignore_errors=True)

    def _staged(self, name: str) -> Path:
        if not STAGED.fullmatch(name):
            raise IntegrityBroken("The id of a release leads out of the home's staging folder.", "Find out who chose it.")
        return self.staging / name


def default_home() -> Path:
    """As the XDG base directories have it. A relative XDG_DATA_HOME means nothing there."""
    base = Path(os.environ.get("XDG_DATA_HOME") or "")
    return (base if base.is_absolute() else Path("~/.local/share")) / "headgate"


def mounted(table: Path = Path("/proc/self/mountinfo")) -> tuple[Path, ...]:
    """Where file systems are mounted, folders of the same disk among them; nothing where the system does not say so."""
    try:
        lines = table.read_bytes().splitlines()
    except OSError:
        return ()
    places = (line.split(b" ")[4] for line in lines if line.count(b" ") > 4)
    return tuple(Path(os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda octal: bytes([int(octal[1], 8)]), place))) for place in places)
