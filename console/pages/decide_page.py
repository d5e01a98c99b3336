"""Deciding on a candidate: what may be done and why not, the statement that is signed, and its signature by passkey or by file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Annotated

from fastapi import APIRouter, File, Form, Request, UploadFile
from starlette.responses import Response

from console.pages.candidate_page import CandidateId, Digest, look_at, require_candidate, why_unrecorded
from console.pages.frame import Console, Here, NotFound, SignedIn, page, see
from headgate.core.errors import InputRejected, IntegrityBroken, TransitionRefused
from policies.ledger.events import LONGEST_REASON
from policies.ledger.states import Action
from tasks.approval.decisions import Decided, approve, reject, request_changes
from tasks.approval.handed_in import LARGEST_SIGNATURE, signed_elsewhere
from tasks.approval.issued_statements import Issued, issue_statement, issued_before
from tasks.approval.kept_passkeys import kept_passkeys
from tasks.approval.open_acts import DECISIONS, open_acts
from tasks.approval.operator_demands import operator_demands
from tasks.approval.statements import LONGEST_UNSIGNED
from tasks.signing.passkeys import LARGEST_ANSWER, challenge_for, passkey_signature
from tasks.signing.public_keys import PublicKey
from tasks.signing.sshsig import verify_bytes
from tasks.stores.seal import load_candidate

DONE: Mapping[str, Callable[..., Decided]] = {"approve": approve, "request-changes": request_changes, "reject": reject}
Reason = Annotated[str, Form(max_length=20_000)]
Part = Annotated[str, Form(max_length=LARGEST_ANSWER)]
router = APIRouter()


@router.get("/candidates/{candidate}/decide")
def decide(request: Request, console: Here, person: SignedIn, candidate: CandidateId) -> Response:
    return _form(request, console, person.principal, candidate)


@router.post("/candidates/{candidate}/decide")
def ask(
    request: Request, console: Here, person: SignedIn, candidate: CandidateId, action: Annotated[Action, Form()], reason: Reason = ""
) -> Response:
    """What is put to them to sign. Nothing is decided by it yet."""
    if action not in DECISIONS:
        raise NotFound
    require_candidate(console.history(), candidate)
    text = reason.replace("\r\n", "\n").strip()
    if not 0 < len(text) <= LONGEST_REASON:
        return _form(request, console, person.principal, candidate, reason, 400)
    who = person.principal
    console.allowance.take(who, "statement")
    looked = why_unrecorded(console, who, candidate)  # another event of theirs right before a blind vote would tell whose it is
    issued = issue_statement(console.home, console.ledger, candidate, str(action), who, text, who, looked)
    console.looks.note(who, candidate, console.accounts.store.clock())
    return see(f"/candidates/{candidate}/statements/{issued.digest}")


@router.get("/candidates/{candidate}/statements/{sha256}")
def statement(request: Request, console: Here, person: SignedIn, candidate: CandidateId, sha256: Digest) -> Response:
    return _statement(request, console, person.principal, candidate, sha256)


@router.get("/candidates/{candidate}/statements/{sha256}/bytes")
def to_sign(console: Here, person: SignedIn, candidate: CandidateId, sha256: Digest) -> Response:
    """What `ssh-keygen -Y sign` is given."""
    issued = _issued(console, person.principal, candidate, sha256)
    headers = {"Content-Disposition": f'attachment; filename="{file_name(issued)}"'}
    return Response(issued.to_sign, media_type="application/octet-stream", headers=headers)


@router.post("/candidates/{candidate}/statements/{sha256}/passkey")
def sign_by_passkey(
    request: Request,
    console: Here,
    person: SignedIn,
    candidate: CandidateId,
    sha256: Digest,
    client: Part,
    authenticator: Part,
    proof: Part,
    credential: Part = "",
) -> Response:
    issued = _issued(console, person.principal, candidate, sha256)
    signature = _signature(console, issued, person.principal, (client, authenticator, proof), credential)
    return _record(request, console, issued, signature, "The passkey's signature")


@router.post("/candidates/{candidate}/statements/{sha256}/signature")
def hand_in(
    request: Request, console: Here, person: SignedIn, candidate: CandidateId, sha256: Digest, signature: Annotated[UploadFile, File()]
) -> Response:
    issued = _issued(console, person.principal, candidate, sha256)
    return _record(request, console, issued, signature.file.read(LARGEST_SIGNATURE + 1), "The file")


def _record(request: Request, console: Console, issued: Issued, signature: bytes, named: str) -> Response:
    """As `headgate approve --signature` does it. What was signed must be what the page shows."""
    said = issued.said
    console.allowance.take(said.principal, "signature")
    try:
        given = signed_elsewhere(console.home, said.candidate, signature, named)
        if given.said != said:
            raise InputRejected(f"{named} is over another statement than the one shown.", "Sign the statement of this page.")
        DONE[said.action](console.home, console.ledger, said.candidate, given, given.reason.text)
    except (TransitionRefused, InputRejected, IntegrityBroken) as problem:
        return _statement(request, console, said.principal, said.candidate, issued.digest, problem)
    return see(f"/candidates/{said.candidate}/decide")


def _form(request: Request, console: Console, principal: str, candidate: str, reason: str = "", status: int = 200) -> Response:
    viewed = look_at(console, principal, candidate)
    acts = open_acts(console.home, console.ledger, viewed.candidate, viewed.release, principal)
    return page(
        request,
        "decide.html.j2",
        status=status,
        viewed=viewed,
        manifest=viewed.candidate.manifest,
        acts=acts,
        yours=[decision for decision in viewed.release.decisions if decision.signer.principal == principal],
        missing=viewed.release.missing(),
        awaited=viewed.release.awaited(),
        reason=reason,
        lacking=status != 200,
        longest=LONGEST_REASON,
    )


def _statement(
    request: Request, console: Console, principal: str, candidate: str, sha256: str, problem: Exception | None = None
) -> Response:
    issued, history = _issued(console, principal, candidate, sha256), console.history()
    sealed, demanded = load_candidate(console.home.candidates, candidate), operator_demands(console.home).operator.passkeys
    acts = open_acts(console.home, console.ledger, sealed, history.find(candidate), principal)
    act = next(act for act in acts if act.action == issued.said.action)
    usable = {key.fingerprint for key in act.passkeys}
    here = demanded is not None and console.settings.origin in demanded.origins
    return page(
        request,
        "statement.html.j2",
        status=200 if problem is None else 400,
        manifest=sealed.manifest,
        issued=issued,
        shown=json.dumps(json.loads(issued.payload), indent=2),
        act=act,
        file=file_name(issued),
        days=LONGEST_UNSIGNED.days,
        problem=problem,
        rp=demanded.rp if demanded is not None and here else "",
        passkeys=usable if here else set(),
        challenge=challenge_for(issued.to_sign),
        known=" ".join(kept.credential for kept in kept_passkeys(console.home, principal) if kept.key.fingerprint in usable),
    )


def _issued(console: Console, principal: str, candidate: str, sha256: str) -> Issued:
    """Nobody sees what was put to somebody else, nor signs it."""
    require_candidate(console.history(), candidate)
    try:
        issued = issued_before(console.home, candidate, sha256)
    except InputRejected:
        raise NotFound from None
    if issued.said.principal != principal or issued.said.action not in DONE:
        raise NotFound
    return issued


def _signature(console: Console, issued: Issued, principal: str, answer: tuple[str, str, str], credential: str) -> bytes:
    """By that one of the person's keys which made it: the browser names a credential, and proves nothing by that."""
    sealed = load_candidate(console.home.candidates, issued.said.candidate)
    release = console.history().find(issued.said.candidate)
    acts = open_acts(console.home, console.ledger, sealed, release, principal)
    named = [kept.key for kept in kept_passkeys(console.home, principal) if kept.credential == credential]
    keys: list[PublicKey] = list(dict.fromkeys([*named, *(key for act in acts for key in act.passkeys)]))
    signature = b""
    for key in keys:
        signature = passkey_signature(key, *answer)
        try:
            verify_bytes(issued.to_sign, signature, "the passkey")
        except IntegrityBroken:
            continue
        return signature
    return signature


def file_name(issued: Issued) -> str:
    return f"{issued.said.action}-{issued.said.candidate[:12]}.statement"
