from __future__ import annotations

import socket


def free_port() -> int:
    """Where nobody listens now. Whoever is told it should take it soon."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
