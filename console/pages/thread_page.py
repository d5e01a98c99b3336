"""What the steward and the approvers of a dataset write to each other."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Path, Request
from starlette.responses import Response

from console.pages.frame import Console, Here, NotFound, SignedIn, page, see
from headgate.core.errors import InputRejected
from policies.ledger.events import LONGEST_COMMENT
from policies.ledger.standing import Release
from tasks.approval.threads import add_comment, read_thread

Dataset = Annotated[str, Path(pattern="^[a-z0-9][a-z0-9-]{0,62}$")]
router = APIRouter()


@router.get("/datasets/{dataset}/comments")
def comments(request: Request, console: Here, person: SignedIn, dataset: Dataset) -> Response:
    newest = _newest(console, dataset)
    try:
        thread = read_thread(console.home, console.ledger, dataset, person.principal)
    except InputRejected:
        raise NotFound from None
    return page(request, "comments.html.j2", dataset=dataset, thread=thread, newest=newest, longest=LONGEST_COMMENT)


@router.post("/datasets/{dataset}/comments")
def comment(
    console: Here,
    person: SignedIn,
    dataset: Dataset,
    text: Annotated[str, Form(max_length=20_000)],
    candidate: Annotated[str, Form(pattern="^([0-9a-f]{64})?$")] = "",
) -> Response:
    """About its newest candidate, if that is still the `candidate` which the page named."""
    newest = _newest(console, dataset)
    if newest is None or not newest.has_part(person.principal):
        raise NotFound
    if candidate not in ("", newest.candidate):
        raise InputRejected("A newer candidate was sealed since the page was shown.", "Open the comments again, and write about that one.")
    console.allowance.take(person.principal, "comment")
    add_comment(console.home, console.ledger, newest.candidate, person.principal, text)
    return see(f"/datasets/{dataset}/comments")


def _newest(console: Console, dataset: str) -> Release | None:
    """Of those that have a candidate."""
    releases = reversed(console.history().releases())
    return next((release for release in releases if release.dataset == dataset and release.candidate), None)
