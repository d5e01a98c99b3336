"""What whoever starts the console has chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import urlsplit

from console.access.passwords import PasswordCost
from console.access.provider import SECURE, ProviderSettings
from headgate.core.errors import InputRejected
from tasks.runtime.home import Home

PORT = 8321


@dataclass(frozen=True)
class Settings:
    """`origin`: as the browser writes it, without a path. `hosts`: the Host headers that are answered. `proxies`: the
    addresses that may ask, for others; without one, everybody asks for themselves. `idle` and `longest` end sessions;
    `invited` ends links that let somebody in."""

    home: Home
    origin: str = f"http://localhost:{PORT}"
    hosts: tuple[str, ...] = (f"localhost:{PORT}",)
    proxies: tuple[str, ...] = ()
    provider: ProviderSettings | None = None
    idle: timedelta = timedelta(minutes=30)
    longest: timedelta = timedelta(hours=10)
    invited: timedelta = timedelta(days=2)
    largest_body: int = 256 * 1024
    password_cost: PasswordCost = field(default_factory=PasswordCost)


def provider_of(environment: Mapping[str, str]) -> ProviderSettings | None:
    """HEADGATE_OIDC_ISSUER, _CLIENT, _SECRET and _TITLE; None where no issuer is named."""
    said = {name: environment.get(f"HEADGATE_OIDC_{name}", "").strip() for name in ("ISSUER", "CLIENT", "SECRET", "TITLE")}
    if not said["ISSUER"]:
        return None
    if not SECURE.fullmatch(said["ISSUER"]) or not said["CLIENT"]:
        raise InputRejected(
            "HEADGATE_OIDC_ISSUER is not the address of a provider, or HEADGATE_OIDC_CLIENT is missing.",
            "Write the issuer as the provider does (https://…), and the client id that it gave this console.",
        )
    return ProviderSettings(said["ISSUER"], said["CLIENT"], said["SECRET"], said["TITLE"] or urlsplit(said["ISSUER"]).netloc)
