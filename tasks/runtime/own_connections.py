"""A port of loopback is open to every account of the machine: connections of others are closed before they cost anything.

Without this, anybody could hold so many connections open that the server could take none of its own clients', and stopped answering.
"""

from __future__ import annotations

import os
import resource
import socket
import struct
from collections.abc import Callable
from typing import Any

from headgate.core.errors import StoreUnavailable

ROOT = 0
Address = tuple[str, int]
# The kernel is asked for one connection by both of its ends (sock_diag(7)). To look for it in /proc/net/tcp cost as much as there were
# connections on the machine, so that whoever held enough of them open kept the server from everybody.
SOCK_DIAG, BY_FAMILY, REQUEST = 4, 20, 1  # NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST
HEADER = struct.Struct("=IHHII")  # nlmsghdr: length, type, flags, sequence, port
ENDS = struct.Struct("=2s2s16s16sI8s")  # inet_diag_sockid: both ports, both addresses, interface, cookie
WANTED = struct.Struct("=BBBBI")  # inet_diag_req_v2, before the ends: family, protocol, extensions, padding, states
STATE = struct.Struct("=BBBB")  # inet_diag_msg, before the ends: family, state, timer, retransmissions
OWNER = struct.Struct("=IIIII")  # and after them: expires, both queues, account, inode
ANY_COOKIE = b"\xff" * 8
ESTABLISHED = (
    1  # an end that was closed belongs to nobody, which is written as root's number; and where none is, the kernel gives a listener
)


def account_at(end: Address | None, other: Address | None) -> int | None:
    """Whose `end` of a connection of this machine is, of which we have the `other`; None if it was closed, or the kernel does not say."""
    if end is None or other is None:
        return None
    try:
        ends = _ends(end, other)
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, SOCK_DIAG) as kernel:
            wanted = WANTED.pack(socket.AF_INET, socket.IPPROTO_TCP, 0, 0, 1 << ESTABLISHED) + ends
            kernel.send(HEADER.pack(HEADER.size + len(wanted), BY_FAMILY, REQUEST, 0, 0) + wanted)
            answer = kernel.recv(4096, socket.MSG_DONTWAIT)  # it has answered by now
        _, kind, *_ = HEADER.unpack_from(answer)
        _, state, *_ = STATE.unpack_from(answer, HEADER.size)
        *_, account, _ = OWNER.unpack_from(answer, HEADER.size + STATE.size + ENDS.size)
    except (OSError, OverflowError, struct.error):
        return None
    return int(account) if (kind, state) == (BY_FAMILY, ESTABLISHED) else None


def _ends(end: Address, other: Address) -> bytes:
    (host, port), (other_host, other_port) = end, other
    ports = port.to_bytes(2, "big"), other_port.to_bytes(2, "big")
    return ENDS.pack(*ports, socket.inet_aton(host), socket.inet_aton(other_host), 0, ANY_COOKIE)


def require_accounts_known(known: Callable[[Address, Address], int | None] = account_at) -> None:
    """Where the kernel does not say whose a connection is, none would be taken, and nobody would know why."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        if known(client.getsockname(), client.getpeername()) != os.geteuid():
            raise StoreUnavailable(
                "The kernel does not say whose connections of loopback are, so Prefect's server would let in nobody.",
                "Allow AF_NETLINK sockets and load the modules inet_diag and tcp_diag; or set PREFECT_API_URL to a server of your own.",
            )


def own_connections_only() -> type[Any]:
    """uvicorn's protocol, for this account and root alone."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    class OwnConnections(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        admitted = False

        def connection_made(self, transport: Any) -> None:
            ends = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
            self.admitted = account_at(*ends) in (os.geteuid(), ROOT)
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
