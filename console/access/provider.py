"""Signing in through a provider of OpenID Connect: the code flow with state, nonce and PKCE. What the provider says about people is not
used but for which account of theirs it is."""

from __future__ import annotations

import json
import re
import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import httpx
from authlib.common.security import generate_token
from authlib.deprecate import AuthlibDeprecationWarning
from authlib.integrations.base_client.errors import OAuthError
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from headgate.core.errors import HeadgateError, StoreUnavailable
from tasks.ledger.machine_time import machine_clock

warnings.simplefilter("ignore", AuthlibDeprecationWarning)  # who starts the console cannot do anything about it
from authlib.integrations.httpx_client import OAuth2Client  # noqa: E402 - it warns when it is imported

SECURE = re.compile(r"https://[^/?#]+(/[^?#]*)?|http://(localhost|127\.0\.0\.1)(:[0-9]+)?(/[^?#]*)?")
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
SECONDS, LEEWAY, LARGEST = 10.0, 60, 1024 * 1024
FRESH = timedelta(hours=1)  # what is known of a provider


@dataclass(frozen=True)
class ProviderSettings:
    """`title`: what people call it."""

    issuer: str
    client: str
    secret: str
    title: str


@dataclass(frozen=True)
class Begun:
    """What the browser keeps between leaving and coming back."""

    state: str
    nonce: str
    verifier: str


class NotVouchedFor(HeadgateError):
    """The provider did not say, in a way that can be believed, who somebody is."""

    code = 4


def _not_vouched(why: str) -> NotVouchedFor:
    return NotVouchedFor(f"The provider's answer does not count: {why}.", "Sign in again. If it happens again, tell the operator.")


@dataclass
class Provider:
    settings: ProviderSettings
    redirect: str
    clock: Callable[[], datetime] = machine_clock
    _known: dict[str, tuple[datetime, Mapping[str, Any]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> tuple[str, Begun]:
        """Where the browser goes, and what it keeps."""
        begun = Begun(generate_token(43), generate_token(43), generate_token(64))
        with self._client() as client:
            address, _ = client.create_authorization_url(
                self._endpoint("authorization_endpoint"), state=begun.state, nonce=begun.nonce, code_verifier=begun.verifier
            )
        return str(address), begun

    def finish(self, begun: Begun, state: str, code: str, issuer: str) -> str:
        """The provider's name for who signed in there. `issuer`: what the answer says it is from, where it does."""
        if state != begun.state:
            raise _not_vouched("it belongs to another sign-in")
        if issuer not in ("", self.settings.issuer):
            raise _not_vouched("it names another provider")
        try:
            with self._client() as client:
                tokens = client.fetch_token(
                    self._endpoint("token_endpoint"), grant_type="authorization_code", code=code, code_verifier=begun.verifier
                )
        except (OAuthError, httpx.HTTPError, ValueError):
            tokens = {}
        token = tokens.get("id_token")
        if not isinstance(token, str):
            raise _not_vouched("it gave no token for the code")
        return self._subject(token, begun.nonce)

    def _subject(self, token: str, nonce: str) -> str:
        client = self.settings.client
        claims = jwt.JWTClaimsRegistry(
            lambda: int(self.clock().timestamp()),
            LEEWAY,
            iss={"essential": True, "value": self.settings.issuer},
            aud={"essential": True, "value": client},
            nonce={"essential": True, "value": nonce},
            exp={"essential": True},
            iat={"essential": True},
            sub={"essential": True},
        )
        for fresh in (False, True):  # keys are changed now and then
            try:
                said = jwt.decode(token, KeySet.import_key_set(self._document(self._endpoint("jwks_uri"), fresh)), ALGORITHMS).claims  # type: ignore[arg-type]
                claims.validate(said)
            except (JoseError, ValueError, TypeError, KeyError):
                continue
            several = isinstance(said["aud"], list) and len(said["aud"]) > 1
            if (
                said.get("azp", None if several else client) != client
                or not isinstance(said["sub"], str)
                or not 0 < len(said["sub"]) <= 255
            ):
                break
            return str(said["sub"])
        raise _not_vouched("its token is not signed by it, is too old, or is for somebody else")

    def _client(self) -> OAuth2Client:
        return OAuth2Client(
            self.settings.client,
            self.settings.secret or None,
            scope="openid",
            redirect_uri=self.redirect,
            code_challenge_method="S256",
            token_endpoint_auth_method="client_secret_basic" if self.settings.secret else "none",
            timeout=SECONDS,
            follow_redirects=False,
        )

    def _endpoint(self, name: str) -> str:
        described = self._document(f"{self.settings.issuer.rstrip('/')}/.well-known/openid-configuration")
        address = described.get(name)
        if (
            described.get("issuer") != self.settings.issuer
            or not isinstance(address, str)
            or not SECURE.fullmatch(address.partition("?")[0])
        ):
            raise self._unusable()
        return address

    def _document(self, address: str, fresh: bool = False) -> Mapping[str, Any]:
        """As it was an hour ago at most."""
        with self._lock:
            known = self._known.get(address)
            if known is not None and not fresh and self.clock() - known[0] < FRESH:
                return known[1]
        try:
            answer = httpx.get(address, timeout=SECONDS, follow_redirects=False)
            read = json.loads(answer.content) if answer.status_code == 200 and len(answer.content) <= LARGEST else None
        except (httpx.HTTPError, ValueError):
            read = None
        if not isinstance(read, dict):
            raise self._unusable()
        with self._lock:
            self._known[address] = self.clock(), read
        return read

    def _unusable(self) -> StoreUnavailable:
        return StoreUnavailable(
            "The provider through which people sign in does not answer as it should.",
            "Try again; or sign in with a password, if you have one.",
        )
