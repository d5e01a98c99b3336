"""A real MariaDB server for tests, from Debian's package mariadb-server: one per session, on a socket of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from socket import AF_UNIX
from socket import socket as AnySocket
from typing import Any

import pytest

PLACES = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin"
WAITS = 60  # seconds


def execute(socket: Path, *statements: str) -> list[Any]:
    """As the role that may do everything; the rows of the last statement."""
    import pymysql

    rows: list[Any] = []
    with pymysql.connect(unix_socket=str(socket), user="root", autocommit=True) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
            rows = list(cursor.fetchall())
    return rows


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Path]:
    """Its socket. The server runs as a user without rights; root hands its folder over."""
    server, installer = (shutil.which(name, path=PLACES) for name in ("mariadbd", "mariadb-install-db"))
    if server is None or installer is None:
        pytest.skip("mariadbd is not installed: apt-get install mariadb-server")
    folder = Path(tempfile.mkdtemp(prefix="headgate-mariadb-"))
    folder.chmod(0o755)
    data, socket = folder / "data", folder / "socket"
    data.mkdir()
    user = []
    if os.geteuid() == 0:
        shutil.chown(data, "mysql")
        shutil.chown(folder, "mysql")
        user = ["--user=mysql"]
    plain = ["--no-defaults", f"--datadir={data}", *user]
    made = [installer, *plain, "--auth-root-authentication-method=normal", "--skip-test-db"]
    subprocess.run(made, check=True, capture_output=True, timeout=WAITS)
    quick = ["--skip-networking", "--innodb-flush-log-at-trx-commit=0", "--skip-log-bin", "--innodb-buffer-pool-size=16M"]
    log = (folder / "log").open("wb")
    process = subprocess.Popen([server, *plain, f"--socket={socket}", f"--pid-file={folder}/pid", *quick], stdout=log, stderr=log)
    try:
        _wait(process, socket)
        yield socket
    finally:
        process.kill()  # at once: nothing of it is wanted any more
        process.wait()
        log.close()
        shutil.rmtree(folder, ignore_errors=True)


def _wait(process: subprocess.Popen[bytes], socket: Path) -> None:
    ends = time.monotonic() + WAITS
    while time.monotonic() < ends:
        if process.poll() is not None:
            raise RuntimeError("mariadbd ended at its start")
        with AnySocket(AF_UNIX) as probe:  # PyMySQL leaves its own socket open where nobody answers
            if probe.connect_ex(str(socket)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("mariadbd did not answer in time")
