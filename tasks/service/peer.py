"""Who is at the other end of a Unix socket, by the kernel's word and not by their own."""

from __future__ import annotations

import array
import os
import socket
import struct
from dataclasses import dataclass

from headgate.core.errors import StoreUnavailable
from tasks.runtime.acting_account import account_of

SO_PEERGROUPS = 59  # Linux; Python has no name for it
MOST_BYTES = 1024  # that Python takes of an option: 256 groups


@dataclass(frozen=True)
class Peer:
    """An account as it was when it connected."""

    uid: int
    gids: frozenset[int]

    def may_ask(self, group: int) -> bool:
        """Members of the group, root, and the account that serves."""
        return self.uid in (0, os.geteuid()) or group in self.gids


def peer_of(connection: socket.socket) -> Peer:
    if not hasattr(socket, "SO_PEERCRED"):
        raise StoreUnavailable("This system does not say who connects to a socket.", "Serve the home on Linux.")
    _, uid, gid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    try:
        more = list(array.array("I", connection.getsockopt(socket.SOL_SOCKET, SO_PEERGROUPS, MOST_BYTES)))
    except OSError:  # more groups than fit
        more = os.getgrouplist(account_of(uid), gid)
    return Peer(uid, frozenset({gid, *more}))
