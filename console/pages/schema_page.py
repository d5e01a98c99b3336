"""What the console takes and gives, for programs that test it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from console.pages.frame import SignedIn

router = APIRouter()


@router.get("/openapi.json", include_in_schema=False)
def schema(request: Request, person: SignedIn) -> Response:
    return JSONResponse(request.app.openapi())
