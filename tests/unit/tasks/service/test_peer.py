"""Who connects, by the kernel's word."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tasks.service.peer import Peer, peer_of

CONNECTS = """
import os, socket, sys
os.setgroups([60003, 60004]); os.setgid(60002); os.setuid(60001)
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.recv(1)
"""


def test_members_of_the_group_root_and_the_account_that_serves_may_ask() -> None:
    own, group = os.geteuid(), 60_123
    assert Peer(60_001, frozenset({60_001, group})).may_ask(group)
    assert not Peer(60_001, frozenset({60_001, 60_124})).may_ask(group)
    assert Peer(own, frozenset()).may_ask(group)
    assert Peer(0, frozenset()).may_ask(group)


def test_a_peer_is_the_process_at_the_other_end() -> None:
    one, other = socket.socketpair()
    with one, other:
        peer = peer_of(one)
    assert peer.uid == os.geteuid()
    assert {os.getegid(), *os.getgroups()} == peer.gids


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another account")
def test_an_account_is_known_with_all_its_groups_whatever_it_says() -> None:
    place = Path("/tmp") / f"headgate-peer-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        place.chmod(0o666)
        listener.listen()
        listener.settimeout(20)
        with subprocess.Popen([sys.executable, "-c", CONNECTS, str(place)], env={"USER": "root", "HOME": "/root"}):
            connection, _ = listener.accept()
            with connection:
                peer = peer_of(connection)
    place.unlink()
    assert peer == Peer(60_001, frozenset({60_002, 60_003, 60_004}))
