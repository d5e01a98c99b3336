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
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flows.terminal.served_lines import in_a_line, say
from headgate.core.errors import HeadgateError
from tasks.runtime.boundary import outward_form

if TYPE_CHECKING:
    from tasks.runtime.home import Home

LOOK_SECONDS = 10.0
DEADLINE_SECONDS = 600.0
LONGEST_SECONDS = 300.0  # of a process that sends, and
LONGEST_AUDIT_SECONDS = 6 * 3600.0  # of one that audits first
COMMAND = (sys.executable, "-m", "flows.cli", "notify")


def take_addresses(home: Home) -> dict[str, str]:
    """The environment of a process that sends. The addresses in it are secrets: from here on this process, and the runs that it starts, do
    not have them."""
    from tasks.runtime.operator_settings import read_operator

    environment, said = dict(os.environ), read_operator(home.root)
    for entry in () if said is None else said[0].notify:
        scheme, _, name = entry.to.partition(":")
        if scheme == "env":
            os.environ.pop(name, None)
    return environment


def _start(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@dataclass
class NoticeWatch:
    """What was said is remembered, so that it is not said again and again."""

    home: Home
    environment: Mapping[str, str]
    start: Callable[[Sequence[str], Mapping[str, str]], subprocess.Popen[bytes]] = _start
    _process: subprocess.Popen[bytes] | None = None
    _until: float = 0.0
    _deadlines: float = -DEADLINE_SECONDS
    _said: str = ""

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
            said = in_a_line(problem if isinstance(problem, HeadgateError) else outward_form(problem, "tell people"))
        if said and said != self._said:
            say(f"notifications: {said}")
        self._said = said

    def _look(self) -> str:
        from tasks.ledger.open_ledger import read_ledger
        from tasks.notification.derive_notices import audit_is_due, derive_notices
        from tasks.notification.outbox import Outbox
        from tasks.notification.send_notices import due
        from tasks.runtime.operator_settings import read_operator

        said, outbox = read_operator(self.home.root), Outbox.of(self.home)
        notify = () if said is None else said[0].notify
        if said is None or not (notify or outbox.begun):
            return ""
        deadlines = time.monotonic() - self._deadlines >= DEADLINE_SECONDS
        derived = derive_notices(read_ledger(self.home), notify, outbox, deadlines)
        if deadlines:
            self._deadlines = time.monotonic()
        if not self._sending():
            if audit_is_due(notify, outbox):
                self._send(("nice", "-n", "19", *COMMAND, "--verify"), LONGEST_AUDIT_SECONDS)
            elif due(outbox, said[0]):
                self._send(COMMAND, LONGEST_SECONDS)
        if derived.broken:
            return "the ledger does not verify: run `headgate audit verify`."
        return f"deadlines are not looked at. {derived.clock}" if derived.clock else self._said if not deadlines else ""

    def _sending(self) -> bool:
        """One that takes too long is ended: what it did not note is sent again."""
        if self._process is None or self._process.poll() is not None:
            return False
        if time.monotonic() > self._until:
            self.stop()
            return False
        return True

    def _send(self, command: Sequence[str], most_seconds: float) -> None:
        self._process = self.start(command, self.environment)
        self._until = time.monotonic() + most_seconds

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(10)
            self._process = None
