"""What a candidate would publish, and why it is safe: its sealed report, and its files for whoever takes them along."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Request
from starlette.responses import Response, StreamingResponse

from console.pages.frame import Console, Here, NotFound, SignedIn, code_of, page
from headgate.core.errors import InputRejected
from policies.approval.acts import OperatorRules
from policies.ledger.events import moment
from policies.ledger.standing import Release
from tasks.approval.approvals import roots_of
from tasks.approval.inspection import Viewed, view_candidate, view_file
from tasks.approval.operator_demands import operator_demands
from tasks.ledger.followed_ledger import FollowedHistory
from tasks.reporting.candidate_page.page_told import page_context
from tasks.reporting.candidate_page.sealed_page import page_of_candidate, page_picture, standing_of
from tasks.stores.seal import load_candidate

CandidateId = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]
Digest = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]
SHOWN_ALONE = "default-src 'none'; sandbox; frame-ancestors 'none'"
PICTURE_ALONE = f"{SHOWN_ALONE}; style-src 'unsafe-inline'"  # matplotlib's; without script, form or anything from elsewhere
router = APIRouter()


@router.get("/candidates/{candidate}")
def candidate(request: Request, console: Here, person: SignedIn, candidate: CandidateId) -> Response:
    viewed = look_at(console, person.principal, candidate)
    told = page_context(
        console.pages.get(candidate, lambda: page_of_candidate(viewed.candidate)),
        code_of(request),
        "console",
        image=lambda name: f"/candidates/{candidate}/pictures/{quote(name, safe='')}",
        standing=standing_of(viewed.release, rules_now(console, viewed)),
    )
    return page(request, "candidate_here.html.j2", **told, viewed=viewed)


@router.get("/candidates/{candidate}/pictures/{name}")
def picture(request: Request, console: Here, person: SignedIn, candidate: CandidateId, name: str) -> Response:
    """One of those that the page shows: whoever asks for it alone has looked too."""
    require_candidate(console.history(), candidate)
    if console.looks.is_new(person.principal, candidate, console.accounts.store.clock()):
        look_at(console, person.principal, candidate)
    shown = console.pages.get(candidate, lambda: page_of_candidate(load_candidate(console.home.candidates, candidate)))
    try:
        content = page_picture(shown, name, code_of(request))
    except InputRejected:
        raise NotFound from None
    return Response(content, media_type="image/svg+xml", headers={"Content-Security-Policy": PICTURE_ALONE})


@router.get("/candidates/{candidate}/files/{sha256}")
def sealed_file(request: Request, console: Here, person: SignedIn, candidate: CandidateId, sha256: Digest) -> Response:
    """As it was sealed, to be kept and not to be shown."""
    history, now = console.history(), console.accounts.store.clock()
    require_candidate(history, candidate)
    taken = f"{sha256} of {candidate}"  # the same file may lie in several
    new = console.looks.is_new(person.principal, taken, now)
    try:
        file = view_file(console.home, console.ledger, history, candidate, sha256, person.principal, new)
    except InputRejected:
        raise NotFound from None
    console.looks.note(person.principal, taken, now)
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.entry.path.rpartition('/')[2], safe='')}",
        "Content-Length": str(file.entry.bytes),
        "Content-Security-Policy": SHOWN_ALONE,
    }
    return StreamingResponse(file.pieces, media_type="application/octet-stream", headers=headers)


def rules_now(console: Console, viewed: Viewed) -> OperatorRules:
    """Under which it would be decided: whose key does not count any more has not agreed."""
    roots, release = roots_of(console.home, viewed.candidate.folder, viewed.candidate.manifest), viewed.release
    agreed = [(decision.signer, moment(decision.at)) for decision in release.approvals]
    void = {signer.fingerprint for signer, at in agreed if roots.why_not(signer.fingerprint, signer.principal, at)}
    return operator_demands(console.home).rules(frozenset(void))


def look_at(console: Console, principal: str, candidate: str) -> Viewed:
    """With every byte hashed by this process, and again where a file was written since. That somebody looked is an event, unless they did
    a moment ago."""
    history, now = console.history(), console.accounts.store.clock()
    require_candidate(history, candidate)
    unrecorded, load = why_unrecorded(console, principal, candidate), console.checked.load
    viewed = view_candidate(console.home, console.ledger, candidate, unrecorded, principal, history, load)
    console.looks.note(principal, candidate, now)
    return viewed


def why_unrecorded(console: Console, principal: str, candidate: str) -> str:
    """Empty where no event says yet that they looked."""
    new = console.looks.is_new(principal, candidate, console.accounts.store.clock())
    return "" if new else "they looked a moment ago"


def require_candidate(history: FollowedHistory, candidate: str) -> Release:
    try:
        release = history.find(candidate)
    except InputRejected:
        raise NotFound from None
    if release.candidate != candidate:
        raise NotFound
    return release
