"""What pages of the console cost with a long ledger: 1,000 releases and 1,000,000 events, most of them of people who looked. The console is
a process of its own, asked over loopback as a browser asks; then its memory over 10,000 requests."""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from importlib.resources import files
from pathlib import Path

import httpx
import psutil

from benchmarks.ledger import released
from benchmarks.ledger_filling import APPROVERS, Filling, new_home
from console.access.account_store import AccountStore
from console.access.accounts import Accounts
from console.access.passwords import PasswordCost, Passwords
from console.access.sessions import Sessions
from console.pages.frame import COOKIE
from policies.ledger.events import CandidateViewed, Event
from tasks.ledger.chain import Entry
from tasks.ledger.open_ledger import open_ledger
from tasks.runtime.home import Home

RELEASES, EVENTS, REQUESTS = 1_000, 1_000_000, 10_000
AWAITING = 20  # of the releases, the last: nobody has decided on them
PORT = 8397
POLICY = Path(str(files("policies.shipped") / "hospital-patients.yaml"))


class LookedAt(Filling):
    """Every run makes a candidate, at which people look again and again."""

    views = 0
    undecided = False

    def fill_releases(self, releases: int, events: int) -> None:
        with self.ledger.store.writing() as stored:
            for number in range(1, releases + 1):
                last = stored.last()
                written = 0 if last is None else last.seq
                self.views = max(1, (events - written) // (releases - number + 1) - 15)
                self.undecided = number > releases - AWAITING
                for event, actor, own in self._release():
                    last = stored.last() if last is None else last
                    last = self._append(stored, last, own, event, actor)
        assert self.ledger.memory is not None
        self.ledger.memory.remember(last, self.moment)

    def _append(self, stored: object, last: Entry | None, own: Entry | None, event: Event, actor: str) -> Entry:
        from tasks.ledger.event_log import entry_after

        self._newest = entry_after(last, own, event, actor)
        stored.append(self._newest, event.subject)  # type: ignore[attr-defined]
        return self._newest

    def _release(self) -> Iterator[tuple[Event, str, Entry | None]]:
        self.made += 1
        own: Entry | None = None
        for event, actor in self._looked_at():
            yield event, actor, own
            own = self._newest

    def _looked_at(self) -> Iterator[tuple[Event, str]]:
        for event, actor in self._decided():
            if self.undecided and event.event in ("approved", "rejected"):
                return
            yield event, actor
            if isinstance(event, CandidateViewed):
                for place in range(self.views):
                    who = APPROVERS[place % len(APPROVERS)]
                    yield event.model_copy(update={"viewer": who, "at": event.at}), who


def session_of(home: Home, principal: str) -> str:
    store = AccountStore.open(home.root)
    accounts = Accounts(store, Passwords(PasswordCost(1, 64, 1)), timedelta(days=1))
    accounts.join(accounts.invite(principal, "bench"), principal, "a password of the benchmark")
    return Sessions(store, timedelta(hours=10), timedelta(hours=10)).begin(principal)


def pages(client: httpx.Client) -> list[str]:
    """What a person comes by: the releases, a series, candidates."""
    first = client.get("/").text
    found = list(dict.fromkeys(re.findall(r'href="(/(?:candidates|datasets)/[\w-]+)"', first)))
    candidate = next(path for path in found if path.startswith("/candidates/"))
    dataset = next(path for path in found if path.startswith("/datasets/"))
    return ["/", dataset, f"{dataset}?part=1", candidate, f"{candidate}/decide", "/audit", "/runs", "/account"]


def asked(home: Home, requests: int) -> None:
    environment = {**os.environ, "HEADGATE_HOME": str(home.root), "DO_NOT_TRACK": "true"}
    command = [sys.executable, "-m", "flows.cli", "console", "--port", str(PORT)]
    begun = time.perf_counter()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            cookies = {COOKIE: session_of(home, "anna")}
            with httpx.Client(
                base_url=f"http://localhost:{PORT}", headers={"Cookie": f"{COOKIE}={cookies[COOKIE]}"}, timeout=120
            ) as client:
                _wait(client)
                asked_process = psutil.Process(process.pid)
                print(
                    f"every event read and checked after {time.perf_counter() - begun:.1f} s; {asked_process.memory_info().rss >> 20} MiB"
                )
                _measure(client, requests, asked_process)
        finally:
            process.terminate()


def _wait(client: httpx.Client) -> None:
    while True:
        try:
            if client.get("/").status_code == 200:
                return
        except httpx.ConnectError:
            pass
        time.sleep(0.2)


def _measure(client: httpx.Client, requests: int, process: psutil.Process) -> None:
    paths = pages(client)
    for path in paths:
        _timed(client, process, re.sub(r"[0-9a-f]{64}", "…", path), [path] * 30)
    awaiting = dict.fromkeys(re.findall(r'href="(/candidates/[\w-]+)"', client.get("/").text))
    _timed(client, process, "the first look at a candidate", [path for path in awaiting if path not in paths])
    for part in range(6):
        if part:
            for number in range(requests // 5):
                client.get(paths[number % len(paths)])
        print(f"after {part * requests // 5:,} requests: {process.memory_info().rss >> 20} MiB")


def _timed(client: httpx.Client, process: psutil.Process, name: str, paths: list[str]) -> None:
    """By the clock, and by the processor: the console's own, and of the process that remembers heads for it."""
    taken, before = [], _worked(process)
    for path in paths:
        start = time.perf_counter()
        answer = client.get(path)
        taken.append(1000 * (time.perf_counter() - start))
        assert answer.status_code == 200, (path, answer.status_code)
    processor = 1000 * (_worked(process) - before) / len(paths)
    print(f"{name}: median {statistics.median(taken):.0f} ms, most {max(taken):.0f} ms; processor {processor:.0f} ms")


def _worked(process: psutil.Process) -> float:
    return sum(sum(each.cpu_times()[:2]) for each in (process, *process.children()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--releases", type=int, default=RELEASES)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--requests", type=int, default=REQUESTS)
    parser.add_argument("--home", type=Path, help="Keep the filled home here, or use the one that is.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.home or Path(temporary)
        if not (folder / "home" / "ledger.db").exists():
            model = released(new_home(folder / "model")[0], POLICY)
            home, keys = new_home(folder / "home")
            LookedAt(home, open_ledger(home), keys, model).fill_releases(given.releases, given.events)
            print(f"filled: {open_ledger(home).last().seq:,} events of {given.releases:,} releases")  # type: ignore[union-attr]
        asked(Home.open(folder / "home"), given.requests)


if __name__ == "__main__":
    main()
