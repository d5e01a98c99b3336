"""A provider of OpenID Connect, by Authlib's server side: `python -m tests.unit.console.access.oidc_provider PORT`. Whoever comes is signed
in as the user whom `/become/NAME` chose; `/spoil/CLAIM/VALUE` makes it lie in its tokens, and `/spoil/none/none` honest again."""

from __future__ import annotations

import json
import secrets
import sys
import time
from typing import Any

import flask
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin, grants
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import OpenIDCode
from joserfc.jwk import RSAKey
from werkzeug.serving import make_server

CLIENT, SECRET = "headgate console", "between the two of them: a secret"
codes: dict[str, dict[str, Any]] = {}
now: dict[str, Any] = {"user": "subject-of-anna", "spoilt": {}, "redirect": ""}
key = RSAKey.generate_key(2048, {"kid": "first", "use": "sig"})
other = RSAKey.generate_key(2048, {"kid": "first", "use": "sig"})


class Client(ClientMixin):
    client_id = CLIENT

    def get_client_id(self) -> str:
        return CLIENT

    def get_default_redirect_uri(self) -> str:
        return str(now["redirect"])

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, address: str) -> bool:
        return address == now["redirect"]

    def check_client_secret(self, secret: str) -> bool:
        return secret == SECRET

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == "client_secret_basic"

    def check_response_type(self, wanted: str) -> bool:
        return wanted == "code"

    def check_grant_type(self, wanted: str) -> bool:
        return wanted == "authorization_code"


class Code:
    def __init__(self, kept: dict[str, Any]) -> None:
        self.kept = kept
        self.code_challenge, self.code_challenge_method = kept["challenge"], kept["method"]

    def get_redirect_uri(self) -> str:
        return str(self.kept["redirect"])

    def get_scope(self) -> str:
        return "openid"

    def get_nonce(self) -> str:
        return str(self.kept["nonce"])

    def get_auth_time(self) -> int:
        return int(time.time())

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> None:
        return None


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic",)

    def save_authorization_code(self, code: str, request: Any) -> None:
        asked = request.payload.data
        codes[code] = {
            "user": request.user,
            "redirect": request.payload.redirect_uri,
            "nonce": asked["nonce"],
            "challenge": asked["code_challenge"],
            "method": asked["code_challenge_method"],
        }

    def query_authorization_code(self, code: str, client: Any) -> Code | None:
        return Code(codes[code]) if code in codes else None

    def delete_authorization_code(self, code: Code) -> None:
        for name in [name for name, kept in codes.items() if kept is code.kept]:
            del codes[name]

    def authenticate_user(self, code: Code) -> str:
        return str(code.kept["user"])


class Tokens(OpenIDCode):
    def resolve_client_private_key(self, client: Any) -> Any:
        return other if "signature" in now["spoilt"] else key

    def get_client_algorithm(self, client: Any) -> str:
        return "RS256"

    def get_client_claims(self, client: Any) -> dict[str, Any]:
        return {"iss": address(), "exp": int(time.time()) + 300, "iat": int(time.time()), "aud": [CLIENT]}

    def get_compatible_claims(self, request: Any) -> dict[str, Any]:
        return {"iss": address(), "exp": int(time.time()) + 300, "iat": int(time.time()), "aud": [CLIENT]}

    def exists_nonce(self, nonce: str, request: Any) -> bool:
        return any(kept["nonce"] == nonce for kept in codes.values())

    def generate_user_info(self, user: str, scope: str) -> dict[str, Any]:
        return {"sub": user} | {name: value for name, value in now["spoilt"].items() if name != "signature"}


def address() -> str:
    return f"http://localhost:{sys.argv[1]}"


def make_app() -> flask.Flask:
    app = flask.Flask(__name__)
    server = AuthorizationServer(
        app, query_client=lambda name: Client() if name == CLIENT else None, save_token=lambda token, request: None
    )
    server.register_grant(CodeGrant, [Tokens(require_nonce=True), CodeChallenge(required=True)])

    @app.get("/.well-known/openid-configuration")
    def configuration() -> Any:
        return {
            "issuer": address(),
            "authorization_endpoint": f"{address()}/authorize",
            "token_endpoint": f"{address()}/token",
            "jwks_uri": f"{address()}/keys",
        }

    @app.get("/keys")
    def keys() -> Any:
        return {"keys": [key.as_dict(private=False)]}

    @app.get("/authorize")
    def authorize() -> Any:
        grant = server.get_consent_grant(end_user=now["user"])
        return server.create_authorization_response(grant=grant, grant_user=now["user"])

    @app.post("/token")
    def token() -> Any:
        return server.create_token_response()

    @app.get("/become/<user>")
    def become(user: str) -> str:
        now["user"] = user
        return user

    @app.get("/spoil/<claim>/<path:value>")
    def spoil(claim: str, value: str) -> str:
        now["spoilt"] = {} if claim == "none" else {claim: json.loads(value)}
        return claim

    @app.get("/redirect/<path:where>")
    def redirect(where: str) -> str:
        now["redirect"] = where
        return where

    app.secret_key = secrets.token_bytes(16)
    return app


if __name__ == "__main__":
    make_server("127.0.0.1", int(sys.argv[1]), make_app()).serve_forever()
