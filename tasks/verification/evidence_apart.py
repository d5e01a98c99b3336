"""A process of its own that gathers the evidence of a release for one that opens no private key: the ledger's key signs what is in it.

`python -m tasks.verification.evidence_apart HOME RELEASE` writes the archive to stdout.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from headgate.core.errors import HeadgateError, StoreUnavailable
from tasks.ledger.open_ledger import read_ledger
from tasks.runtime.home import Home
from tasks.verification.evidence import evidence

MOST_SECONDS = 300
AT_ONCE = threading.BoundedSemaphore(2)  # each is a process


def evidence_apart(home: Home, release: str) -> bytes:
    """The archive; StoreUnavailable, with what the other process said, where there is none."""
    command = [sys.executable, "-m", __name__, str(home.root), release]
    if not AT_ONCE.acquire(blocking=False):
        raise StoreUnavailable("Others are gathering evidence at the moment.", "Try again in a minute.")
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, cwd="/", timeout=MOST_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        done = subprocess.CompletedProcess(command, 1, b"", b"")
    finally:
        AT_ONCE.release()
    if done.returncode == 0 and done.stdout:
        return done.stdout
    message, cure = "The evidence could not be gathered.", f"Run `headgate audit export {release} --bundle` where the home lies."
    with suppress(ValueError, IndexError):
        message, cure = json.loads(done.stderr.splitlines()[-1])
    raise StoreUnavailable(message, cure)


def main(root: str, release: str) -> int:
    home = Home(Path(root))
    try:
        made = evidence(home, read_ledger(home), release)
    except HeadgateError as problem:
        sys.stderr.write(json.dumps([problem.message, problem.cure]) + "\n")
        return 1
    sys.stdout.buffer.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
