"""What whoever starts the console has chosen."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from tasks.runtime.home import Home

PORT = 8321


@dataclass(frozen=True)
class PasswordCost:
    """Of argon2id: passes, KiB of memory, threads."""

    passes: int = 3
    memory: int = 65536
    threads: int = 2


@dataclass(frozen=True)
class Settings:
    """`origin`: as the browser writes it, without a path. `hosts`: the Host headers that are answered. `proxies`: the
    addresses that may ask, for others; without one, everybody asks for themselves. `idle` and `longest` end sessions;
    `invited` ends links that let somebody in."""

    home: Home
    origin: str = f"http://localhost:{PORT}"
    hosts: tuple[str, ...] = (f"localhost:{PORT}",)
    proxies: tuple[str, ...] = ()
    idle: timedelta = timedelta(minutes=30)
    longest: timedelta = timedelta(hours=10)
    invited: timedelta = timedelta(days=2)
    largest_body: int = 256 * 1024
    password_cost: PasswordCost = field(default_factory=PasswordCost)
