"""What pages are styled with. Whoever has not signed in sees the form in the same style."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from console.pages.frame import NotFound
from console.static_content import FILES, content_of, version_of

router = APIRouter()


@router.get("/static/{version}/{name}", include_in_schema=False)
def static_file(version: str, name: str) -> Response:
    if name not in FILES or version != version_of(name):
        raise NotFound
    return Response(content_of(name), media_type=FILES[name][2], headers={"Cache-Control": "public, max-age=31536000, immutable"})
