"""A passkey is made here, and becomes a line that the operator adds to `signers`: the console itself adds nobody."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from console.access.principals import public_roots
from console.pages.frame import Console, Here, NotFound, SignedIn, page, see
from headgate.core.errors import HeadgateError, InputRejected
from policies.schema.operator_file import Passkeys
from tasks.approval.kept_passkeys import KeptPasskey, forget_passkey, keep_passkey, kept_passkeys
from tasks.approval.operator_demands import operator_demands
from tasks.signing.passkeys import LARGEST_ANSWER, registered_passkey
from tasks.signing.trust_roots import TrustRoots

router = APIRouter()
LATE = "The page was open for too long, or was used already."


@dataclass(frozen=True)
class PasskeyLine:
    """`why_not`: why it does not count now, as the end of a sentence; empty if it does."""

    kept: KeptPasskey
    line: str
    why_not: str

    @property
    def fingerprint(self) -> str:
        return self.kept.key.fingerprint


@router.get("/passkeys")
def passkeys(request: Request, console: Here, person: SignedIn) -> Response:
    """One's own; an operator sees those that wait for them too."""
    demanded, lines = operator_demands(console.home).operator.passkeys, passkey_lines(console)
    return page(
        request,
        "passkeys.html.j2",
        passkeys=demanded,
        here=demanded is not None and console.settings.origin in demanded.origins,
        origin=console.settings.origin,
        asked=_options(console, person.principal, demanded) if demanded else {},
        own=[line for line in lines if line.kept.principal == person.principal],
        waiting=[line for line in lines if line.why_not and line.kept.principal != person.principal] if person.operates else [],
    )


@router.post("/passkeys")
def register(console: Here, person: SignedIn, answer: Annotated[str, Form(max_length=LARGEST_ANSWER)]) -> Response:
    demanded, challenge = operator_demands(console.home).operator.passkeys, console.challenges.answered(person.principal)
    if demanded is None:
        raise NotFound
    if challenge is None:
        raise InputRejected(LATE, "Open the page of passkeys again, and make one there.")
    console.allowance.take(person.principal, "passkey")
    made = registered_passkey(answer, challenge, demanded.rp, demanded.origins)
    keep_passkey(console.home, person.principal, made, console.ledger.seen_now())
    return see("/passkeys")


@router.post("/passkeys/forget")
def forget(console: Here, person: SignedIn, fingerprint: Annotated[str, Form(max_length=100)]) -> Response:
    forget_passkey(console.home, person.principal, fingerprint)
    return see("/passkeys")


def passkey_lines(console: Console) -> list[PasskeyLine]:
    """With the lines as they stand in `signers`, or would."""
    roots, now = _roots(console), console.ledger.seen_now()
    lines = []
    for kept in kept_passkeys(console.home):
        why_not = "is not on the list of signers" if roots is None else roots.why_not(kept.key.fingerprint, kept.principal, now)
        lines.append(PasskeyLine(kept, kept.registered.line_for(kept.principal), why_not))
    return lines


def _roots(console: Console) -> TrustRoots | None:
    try:
        return public_roots(console.home)
    except HeadgateError:
        return None


def _options(console: Console, principal: str, demanded: Passkeys) -> dict[str, str]:
    """What the script hands to the browser. Whose passkey it is, the browser is told by a digest that is the same each time."""
    challenge = console.challenges.ask(principal)
    kept = [each.credential for each in kept_passkeys(console.home, principal)]
    return {
        "challenge": base64.urlsafe_b64encode(challenge).rstrip(b"=").decode(),
        "rp": demanded.rp,
        "user": base64.urlsafe_b64encode(hashlib.sha256(principal.encode()).digest()).rstrip(b"=").decode(),
        "name": principal,
        "known": " ".join(kept),
    }
