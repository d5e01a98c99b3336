"""Whether the chain of events is whole: checked now, with progress, and by whom its heads were cosigned."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Annotated

from fastapi import APIRouter, File, Request, UploadFile
from starlette.responses import Response, StreamingResponse

from console.access.principals import Person
from console.pages.frame import Console, Here, SignedIn, page, see
from headgate.core.errors import HeadgateError
from policies.ledger.events_of_home import LedgerChecked
from tasks.verification.chain_check import checked_before
from tasks.verification.kept_heads import LARGEST, keep_head, kept_heads

LOOKS_SECONDS = 0.5
MOST_LOOKS = 120  # then the browser asks again, and is known again
AGAIN_SECONDS = 5.0
router = APIRouter()


@router.get("/audit/chain")
def chain(request: Request, console: Here, person: SignedIn) -> Response:
    return _page(request, console)


@router.post("/audit/chain")
def verify_now(console: Here, person: SignedIn) -> Response:
    console.allowance.take(person.principal, "check")
    console.check.start(person.principal)
    return see("/audit/chain")


@router.post("/audit/chain/heads")
def keep(request: Request, console: Here, person: SignedIn, head: Annotated[UploadFile, File()]) -> Response:
    console.allowance.take(person.principal, "head")
    try:
        keep_head(console.home, console.ledger, head.file.read(LARGEST + 1))
    except HeadgateError as problem:
        return _page(request, console, problem)
    return see("/audit/chain")


@router.get("/audit/chain/events")
def progress(console: Here, person: SignedIn) -> Response:
    check = console.check
    return followed(console, person, lambda: (check.running, check.done, check.total), lambda: check.running)


def check_before(console: Console) -> LedgerChecked | None:
    """What is known of the chain when nobody has had it checked since the console started."""
    return None if console.check.last else checked_before(console.ledger, console.history().of_home)


def followed(console: Console, person: Person, state: Callable[[], object], goes_on: Callable[[], bool]) -> Response:
    """Server-sent events: one whenever what is shown has changed, and the last when nothing goes on. The script then asks for the page
    again, and the browser for these after a while. Whoever follows too much already is told to stop, and reloads."""
    if not console.followers.has_room(person.principal):
        return Response(status_code=204)

    async def changes() -> AsyncIterator[str]:
        yield f"retry: {AGAIN_SECONDS * 1000:.0f}\n\n"
        before: object = None
        with console.followers.following(person.principal) as room:
            for _ in range(MOST_LOOKS if room else 0):
                now, more = await asyncio.to_thread(state), await asyncio.to_thread(goes_on)
                if now != before or not more:
                    yield "data: changed\n\n"
                if not more:
                    return
                before = now
                await asyncio.sleep(LOOKS_SECONDS)

    return StreamingResponse(changes(), media_type="text/event-stream")


def _page(request: Request, console: Here, problem: HeadgateError | None = None) -> Response:
    return page(
        request,
        "chain.html.j2",
        status=200 if problem is None else 400,
        check=console.check,
        before=check_before(console),
        heads=kept_heads(console.home),
        problem=problem,
    )
