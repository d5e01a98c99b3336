"""A port of loopback is open to every account of the machine: connections of others are closed before they cost anything.

Without this, anybody could hold so many connections open that the server could take none of its own clients', and stopped answering.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import Any

ROOT = 0
SOCKETS = Path("/proc/net/tcp")
LOCAL, STATE, ACCOUNT = 1, 3, 7  # columns there
ESTABLISHED = "01"  # an end that was closed already belongs to nobody, which is written as root's number


def account_at(address: tuple[str, int] | None) -> int | None:
    """Whose end of a connection of loopback has this address; None if the kernel does not say."""
    try:
        host, port = address or ("", 0)
        wanted = f"{int.from_bytes(bytes(map(int, host.split('.'))), 'little'):08X}:{port:04X}"
        with SOCKETS.open(encoding="ascii") as lines:
            found = (line.split() for line in lines if wanted in line)
            ends = (columns for columns in found if columns[LOCAL] == wanted and columns[STATE] == ESTABLISHED)
            return next((int(columns[ACCOUNT]) for columns in ends), None)
    except (OSError, ValueError):
        return None


def own_connections_only() -> type[Any]:
    """uvicorn's protocol, for this account and root alone."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    class OwnConnections(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        admitted = False

        def connection_made(self, transport: Any) -> None:
            self.admitted = account_at(transport.get_extra_info("peername")) in (os.geteuid(), ROOT)
            if self.admitted:
                super().connection_made(transport)
            else:
                transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            if self.admitted:
                super().connection_lost(exc)

    return OwnConnections


def take_all_descriptors() -> None:
    """As many open files as the account may have: connections take one each, also those that are closed at once."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
