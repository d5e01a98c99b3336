"""The cluster of one release: worker processes of its own, or those of a scheduler that runs already.

A cluster of its own lives on the loopback interface, speaks TLS with a certificate that exists in memory only, and ends with the release:
other accounts of the machine cannot speak to it. Nothing answers in plain text: no dashboard, no pages.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import dask
from distributed import Client, LocalCluster, Security

from headgate.core.errors import HeadgateError, InputRejected, StoreUnavailable
from policies.jobs.table_job import Workplace
from tasks.cluster.dask_engine import DaskEngine
from tasks.cluster.engine_choice import SPOOL, EngineChoice
from tasks.cluster.in_flight import LOOK_SECONDS, Shared
from tasks.cluster.shared_files import SharedFiles, new_key
from tasks.cluster.taking_part import build_here, probe
from tasks.runtime.boundary import class_and_place

START_SECONDS, END_SECONDS = 60, 15
SILENT_SECONDS = 60  # after which a worker of a cluster of one's own that says nothing is ended, and its work is done by another
OF_OWN = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.nanny.http.routes": [],
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.comm.require-encryption": True,
    "distributed.scheduler.allowed-failures": 3,
}


@contextmanager
def dask_engine(choice: EngineChoice, place: Workplace, scratch: Path) -> Iterator[DaskEngine]:
    """`scratch` is a folder of this release that does not exist yet; its files are gone when the release ends."""
    files = SharedFiles(_folder(choice, scratch), new_key())
    try:
        with _client(choice, files.folder) as client:
            shared = Shared(str(files.folder), files.key, build_here(), f"headgate-{secrets.token_hex(8)}")
            _require_same_build(client, shared)
            yield DaskEngine(place, client, files, shared)
    finally:
        files.close()


def _folder(choice: EngineChoice, scratch: Path) -> Path:
    """On storage that all machines share, where the operator has named it; workers of one's own share the home."""
    named = os.environ.get(SPOOL)
    if named is not None and not Path(named).is_absolute():
        raise InputRejected(f"{SPOOL} is a relative path, so it depends on the current folder.", "Set it to an absolute path.")
    if named is None and choice.scheduler is not None and not _on_this_machine(choice.scheduler):
        raise InputRejected(
            "Workers on other machines need a folder that they share with this one.",
            f"Set {SPOOL} to a folder on shared storage: the same path on all machines.",
        )
    folder = scratch if named is None else Path(named) / scratch.name
    try:
        folder.mkdir(mode=0o700)
    except OSError as problem:
        raise StoreUnavailable(f"The folder of the spool cannot be made ({class_and_place(problem)}).", f"Check {SPOOL}.") from None
    return folder


def _on_this_machine(address: str) -> bool:
    host = address.removeprefix("tls://").rpartition(":")[0].strip("[]")
    return host in ("localhost", "::1") or host.startswith("127.")


@contextmanager
def _client(choice: EngineChoice, folder: Path) -> Iterator[Client]:
    if choice.scheduler is not None:
        with _without_log(), _connected(choice.scheduler) as client:
            yield client
        return
    settings: dict[str, Any] = {**OF_OWN, "distributed.scheduler.worker-ttl": f"{SILENT_SECONDS}s", "temporary-directory": str(folder)}
    with dask.config.set(settings), _ended_for_certain() as cluster, Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=START_SECONDS)
        yield client


@contextmanager
def _ended_for_certain() -> Iterator[LocalCluster]:
    """Dask waits for ever for a process that hangs. What workers have done is in files, so nothing is lost with them."""
    cluster = own_cluster()
    try:
        yield cluster
    finally:
        workers = [nanny.pid for nanny in cluster.workers.values() if nanny.pid is not None]
        try:
            cluster.close(timeout=END_SECONDS)
        except TimeoutError:
            for worker in workers:
                with suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)


@contextmanager
def _without_log() -> Iterator[None]:
    """What breaks is told once, by the release; Dask would print its own account of it."""
    log = logging.getLogger("distributed")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


def cores() -> int:
    return os.cpu_count() or 1


def own_cluster(workers: int | None = None) -> LocalCluster:
    """A process for each core, as loops are compiled for one; or so many."""
    return LocalCluster(
        n_workers=workers or cores(),
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        protocol="tls://",
        security=Security.temporary(),
        silence_logs=logging.CRITICAL,
        scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
    )


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    security = Security(require_encryption=True)
    if not (security.tls_ca_file and security.tls_client_cert):
        raise InputRejected(
            "Dask's configuration names no certificates for a client.",
            "Set distributed.comm.tls.ca-file, client.cert and client.key, such as in ~/.config/dask/headgate.yaml.",
        )
    try:
        client = Client(address, security=security, timeout=START_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as problem:
        raise StoreUnavailable(
            f"The scheduler cannot be reached ({class_and_place(problem)}).", "Check its address, that it runs, and the certificates."
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=START_SECONDS)
        except TimeoutError:
            raise StoreUnavailable("The scheduler has no workers.", "Start workers, and run the release again.") from None
        yield client


def _require_same_build(client: Client, shared: Shared) -> None:
    """Of all workers that answer. Those that come later are asked with each task."""
    submit = partial(client.submit, probe, shared.folder, pure=False, allow_other_workers=False)
    workers = client.sync(client.scheduler.ncores, callback_timeout=START_SECONDS)
    asked = [submit(key=f"headgate-{secrets.token_hex(8)}", workers=[address]) for address in workers]
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and not all(future.done() for future in asked):
        time.sleep(LOOK_SECONDS)
    for future in asked:
        if future.status == "error":
            raise _not_headgate(future.exception())
        if future.status == "finished":
            build, usable = future.result()
            shared.build.require_same(build)
            if not usable:
                raise StoreUnavailable(
                    "A worker cannot use the folder of the spool.",
                    f"Set {SPOOL} to a folder that all workers see under the same path, and may read and write.",
                )


def _not_headgate(problem: BaseException | None) -> HeadgateError:
    missing = isinstance(problem, ModuleNotFoundError)
    why = "has no headgate" if missing or problem is None else f"cannot run headgate ({class_and_place(problem)})"
    return StoreUnavailable(f"A worker {why}.", "Install the same version of headgate for all workers.")
