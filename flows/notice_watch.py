"""What `headgate serve` does so that people are told: it looks at the ledger, and starts `headgate notify` where something is to be sent.
That is a process of its own, so that no server that hangs, and no code of others, reaches this one. No release waits for it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flows.terminal.served_lines import SaidOnce, what_broke

if TYPE_CHECKING:
    from tasks.runtime.home import Home

LOOK_SECONDS = 10.0
DEADLINE_SECONDS = 600.0
AUDIT_AGAIN_SECONDS = 3600.0  # after one that came to no end, because a store was away
LONGEST_SECONDS = 300.0  # of a process that sends, and
LONGEST_AUDIT_SECONDS = 6 * 3600.0  # of one that audits first
COMMAND = (sys.executable, "-m", "flows.cli", "notify")
VERIFY = "--verify"
SUBJECT = "notifications"


def take_addresses(home: Home) -> dict[str, str]:
    """The environment of a process that sends. The addresses in it are secrets: from here on this process, and the runs that it starts, do
    not have them."""
    from tasks.runtime.operator_settings import operator_in

    environment = dict(os.environ)
    for entry in operator_in(home.root).notify:
        scheme, _, name = entry.to.partition(":")
        if scheme == "env":
            os.environ.pop(name, None)
    return environment


def _start(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """What it says is heard only where lines for machines are asked for. Its audit takes from nobody what they need."""
    heard = None if environment.get("HEADGATE_LOG") == "json" else subprocess.DEVNULL
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=heard)
    if VERIFY in command:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, 19)
    return process


@dataclass
class Slot:
    """One process at a time."""

    most_seconds: float
    process: subprocess.Popen[bytes] | None = None
    began: float = float("-inf")

    @property
    def busy(self) -> bool:
        """One that takes too long is ended: what it did not note is done again."""
        if self.process is None or self.process.poll() is not None:
            return False
        if time.monotonic() - self.began > self.most_seconds:
            self.stop()
            return False
        return True

    def fill(self, process: subprocess.Popen[bytes]) -> None:
        self.process, self.began = process, time.monotonic()

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
            self.process = None


@dataclass
class NoticeWatch:
    """What was said is remembered, so that it is not said again and again."""

    home: Home
    environment: Mapping[str, str]
    start: Callable[[Sequence[str], Mapping[str, str]], subprocess.Popen[bytes]] = _start
    _sender: Slot = field(default_factory=lambda: Slot(LONGEST_SECONDS))
    _auditor: Slot = field(default_factory=lambda: Slot(LONGEST_AUDIT_SECONDS))
    _deadlines: float = -DEADLINE_SECONDS
    _said: SaidOnce = field(default_factory=SaidOnce)

    async def watch(self) -> None:
        """Until cancelled."""
        try:
            while True:
                await asyncio.to_thread(self.look)
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            self.stop()

    def look(self) -> None:
        """Whatever is wrong, `serve` goes on, and says it."""
        try:
            said = self._look()
        except Exception as problem:  # noqa: BLE001 - see above
            said = what_broke(problem, "tell people")
        self._said.say(SUBJECT, said)

    def _look(self) -> str:
        from tasks.ledger.open_ledger import read_ledger
        from tasks.notification.derive_notices import audit_is_due, derive_notices
        from tasks.notification.outbox import Outbox
        from tasks.notification.send_notices import due
        from tasks.runtime.operator_settings import operator_in

        operator, outbox = operator_in(self.home.root), Outbox.of(self.home)
        notify = operator.notify
        if not (notify or outbox.begun):
            return ""
        deadlines = time.monotonic() - self._deadlines >= DEADLINE_SECONDS
        derived = derive_notices(read_ledger(self.home), notify, outbox, deadlines)
        if deadlines:
            self._deadlines = time.monotonic()
        if not self._auditor.busy and time.monotonic() - self._auditor.began > AUDIT_AGAIN_SECONDS and audit_is_due(notify, outbox):
            self._auditor.fill(self.start((*COMMAND, VERIFY), self.environment))
        if not self._sender.busy and due(outbox, operator):
            self._sender.fill(self.start(COMMAND, self.environment))
        if derived.broken:
            return "the ledger does not verify: run `headgate audit verify`."
        if derived.clock:
            return f"deadlines are not checked. {derived.clock}"
        return "" if deadlines else self._said.last.get(SUBJECT, "")

    def stop(self) -> None:
        for slot in (self._sender, self._auditor):
            slot.stop()
