"""Who may be spoken to, and who can speak to a cluster."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from headgate.core.errors import InputRejected, StoreUnavailable
from policies.jobs.table_job import TableJob, TableOutcome, Workplace
from tasks.cluster import in_flight, opened_cluster
from tasks.cluster.dask_engine import DaskEngine
from tasks.cluster.engine_choice import EngineChoice
from tests.unit.tasks.cluster.own_scheduler import own_scheduler
from tests.unit.tasks.cluster.shared_jobs import assert_same, engine_on, listening, until, workers_of

NOBODY = 65534
SPEAK = """
import os, socket, ssl, sys
from distributed import Client, Security
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
address = sys.argv[1]
for security in (Security.temporary(), None):
    try:
        Client(address if security else address.replace("tls://", "tcp://"), security=security, timeout=3).submit(os.getpid).result()
    except (OSError, TimeoutError) as problem:
        print("refused", type(problem).__name__)
"""


@pytest.mark.slow
def test_no_other_account_can_speak_to_a_cluster(engine: DaskEngine) -> None:
    """With a certificate of its own, and without any."""
    address = engine.client.scheduler.address
    assert address.startswith("tls://127.0.0.1:")
    environment = {"PATH": os.environ["PATH"], "HOME": "/tmp"}
    said = subprocess.run([sys.executable, "-c", SPEAK, address], capture_output=True, text=True, timeout=100, env=environment, cwd="/")
    assert said.stdout.count("refused") == 2, said.stderr


@pytest.mark.slow
def test_every_port_of_a_cluster_asks_for_a_certificate_or_has_no_page(cluster: tuple[DaskEngine, set[tuple[str, int]]]) -> None:
    places = cluster[1] & listening()  # a worker that another test killed listens no longer
    assert {address for address, _ in places} == {"127.0.0.1"}
    assert len(places) >= 4
    for _, port in places:
        for path in ("/", "/info/main/workers.html", "/json/identity.json", "/metrics", "/status", "/api/v1"):
            answer = _asked(port, f"GET {path} HTTP/1.0\r\n\r\n".encode())
            assert answer == b"" or b" 404 " in answer.partition(b"\r\n")[0]
        assert _spoken_to(port) in ("refused", "plain")
        pages = _asked(port, b"GET /sitemap.json HTTP/1.0\r\n\r\n")
        assert pages == b"" or b'{"paths": ["/sitemap.json"]}' in pages


def _asked(port: int, said: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        try:
            connection.sendall(said)
            return connection.recv(4096)
        except (ConnectionError, TimeoutError):
            return b""


def _spoken_to(port: int) -> str:
    """By TLS without a certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        try:
            with context.wrap_socket(connection) as inside:
                inside.sendall(b"x" * 16)
                return "refused" if inside.recv(64) == b"" else "answered"
        except ssl.SSLError as problem:
            return "refused" if "ALERT" in str(problem).upper() or "certificate" in str(problem) else "plain"
        except (ConnectionError, TimeoutError):
            return "refused"


@pytest.mark.slow
def test_workers_write_no_plain_data_to_disks(engine: DaskEngine) -> None:
    for settings in engine.client.run(_memory_settings).values():
        assert settings == (False, False)


def _memory_settings() -> tuple[object, object]:
    import dask

    return dask.config.get("distributed.worker.memory.target"), dask.config.get("distributed.worker.memory.spill")


def test_a_scheduler_needs_certificates_on_this_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputRejected, match="names no certificates"), engine_on(tmp_path, choice=EngineChoice("dask", "tls://127.0.0.1:9")):
        pass
    assert not (tmp_path / "shared").exists()


def test_a_scheduler_that_is_not_there_is_said_to_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dask
    from distributed import Security

    own = Security.temporary()
    certificates = {
        "distributed.comm.tls.ca-file": own.tls_ca_file,
        "distributed.comm.tls.client.cert": own.tls_client_cert,
        "distributed.comm.tls.client.key": own.tls_client_key,
    }
    monkeypatch.setattr(opened_cluster, "START_SECONDS", 1)
    opened = engine_on(tmp_path, choice=EngineChoice("dask", "tls://127.0.0.1:9"))
    with dask.config.set(certificates), pytest.raises(StoreUnavailable, match="cannot be reached"), opened:
        pass
    assert not (tmp_path / "shared").exists()


def test_workers_elsewhere_need_a_folder_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choice = EngineChoice("dask", "tls://10.0.0.1:8786")
    monkeypatch.delenv("HEADGATE_SPOOL", raising=False)
    with pytest.raises(InputRejected, match="Set HEADGATE_SPOOL"), engine_on(tmp_path, choice=choice):
        pass
    monkeypatch.setenv("HEADGATE_SPOOL", "here")
    with pytest.raises(InputRejected, match="relative path"), engine_on(tmp_path, choice=choice):
        pass
    monkeypatch.setenv("HEADGATE_SPOOL", str(tmp_path / "nowhere"))
    with pytest.raises(StoreUnavailable, match="cannot be made"), engine_on(tmp_path, choice=choice):
        pass


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_scheduler_of_the_operator_gives_the_same_and_when_it_is_gone_the_release_ends(
    tmp_path: Path, place: Workplace, jobs: list[TableJob], local: list[TableOutcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    with own_scheduler(tmp_path) as scheduler:
        scheduler.start()
        with engine_on(tmp_path, place, EngineChoice("dask", scheduler.address)) as opened:
            assert_same(opened.map(jobs), local)
            held = (tmp_path / "log").read_text()
            assert opened.files.key.hex() not in held
            monkeypatch.setattr(in_flight, "NO_WORKERS_SECONDS", 2.0)
            scheduler.kill()
            with pytest.raises(StoreUnavailable, match=r"No worker has been there|cannot be reached any more|lost its tasks"):
                opened.map(jobs)
    assert not (tmp_path / "shared").exists()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_scheduler_that_restarts_is_handed_the_work_again(
    tmp_path: Path, place: Workplace, jobs: list[TableJob], local: list[TableOutcome]
) -> None:
    with own_scheduler(tmp_path) as scheduler:
        scheduler.start()
        with engine_on(tmp_path, place, EngineChoice("dask", scheduler.address)) as opened:
            opened.map(jobs[:1])

            def restart() -> None:
                until(lambda: any(opened.client.processing().values()))
                scheduler.kill()
                scheduler.start()

            restarting = threading.Thread(target=restart)
            restarting.start()
            try:
                assert_same(opened.map(jobs * 3), local * 3)
            finally:
                restarting.join()


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_worker_that_hangs_is_ended_and_its_work_done_by_another(
    tmp_path: Path, place: Workplace, jobs: list[TableJob], local: list[TableOutcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And closing the cluster does not wait for it, nor leaves it behind."""
    monkeypatch.setattr(opened_cluster, "SILENT_SECONDS", 10)
    monkeypatch.setattr(opened_cluster, "END_SECONDS", 5)
    monkeypatch.setattr(opened_cluster, "cores", lambda: 2)
    with engine_on(tmp_path, place) as opened:
        opened.map(jobs)
        workers = workers_of(opened)
        os.kill(workers[0], signal.SIGSTOP)
        assert_same(opened.map(jobs), local)
    assert not any(psutil.pid_exists(worker) for worker in workers)
