"""What a candidate would publish, and why it is safe: its sealed report, and its files for whoever takes them along."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Request
from starlette.responses import Response, StreamingResponse

from console.pages.frame import Console, Here, NotFound, SignedIn, page
from headgate.core.errors import InputRejected
from policies.ledger.standing import Release
from policies.words.quorum import in_words
from tasks.approval.inspection import Viewed, view_candidate, view_file
from tasks.ledger.followed_ledger import FollowedHistory
from tasks.stores.seal import REPORT

CandidateId = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]
Digest = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]
SHOWN_ALONE = "default-src 'none'; sandbox; frame-ancestors 'none'"
router = APIRouter()


@router.get("/candidates/{candidate}")
def candidate(request: Request, console: Here, person: SignedIn, candidate: CandidateId) -> Response:
    viewed = look_at(console, person.principal, candidate)
    report = next(entry for entry in viewed.candidate.manifest.files if entry.path == REPORT)
    still_needed = in_words(viewed.release.missing())
    return page(request, "candidate.html.j2", viewed=viewed, manifest=viewed.candidate.manifest, report=report, still_needed=still_needed)


@router.get("/candidates/{candidate}/files/{sha256}")
def sealed_file(request: Request, console: Here, person: SignedIn, candidate: CandidateId, sha256: Digest) -> Response:
    """As it was sealed, to be kept and not to be shown."""
    history, now = console.history(), console.accounts.store.clock()
    require_candidate(history, candidate)
    new = console.looks.is_new(person.principal, sha256, now)
    try:
        file = view_file(console.home, console.ledger, history, candidate, sha256, person.principal, new)
    except InputRejected:
        raise NotFound from None
    console.looks.note(person.principal, sha256, now)
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.entry.path.rpartition('/')[2], safe='')}",
        "Content-Length": str(file.entry.bytes),
        "Content-Security-Policy": SHOWN_ALONE,
    }
    return StreamingResponse(file.pieces, media_type="application/octet-stream", headers=headers)


def look_at(console: Console, principal: str, candidate: str) -> Viewed:
    """With every byte hashed again. That somebody looked is an event, unless they did a moment ago."""
    history, now = console.history(), console.accounts.store.clock()
    require_candidate(history, candidate)
    new = console.looks.is_new(principal, candidate, now)
    viewed = view_candidate(
        console.home, console.ledger, candidate, "" if new else "they looked a moment ago", viewer=principal, history=history
    )
    console.looks.note(principal, candidate, now)
    return viewed


def require_candidate(history: FollowedHistory, candidate: str) -> Release:
    try:
        release = history.find(candidate)
    except InputRejected:
        raise NotFound from None
    if release.candidate != candidate:
        raise NotFound
    return release
