"""Style and scripts: a fixed list of files, each under its digest, so that browsers may keep them."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

from fastapi import APIRouter
from starlette.responses import Response

from console.pages.frame import NotFound

FILES = {
    "page.css": ("tasks.reporting", "templates/page.css", "text/css; charset=utf-8"),
    "console.css": ("console", "static/console.css", "text/css; charset=utf-8"),
}
router = APIRouter()


@router.get("/static/{version}/{name}", include_in_schema=False)
def static_file(version: str, name: str) -> Response:
    if name not in FILES or version != version_of(name):
        raise NotFound
    return Response(_content(name), media_type=FILES[name][2], headers={"Cache-Control": "public, max-age=31536000, immutable"})


@cache
def version_of(name: str) -> str:
    return hashlib.sha256(_content(name)).hexdigest()[:16]


@cache
def _content(name: str) -> bytes:
    package, path, _ = FILES[name]
    return resources.files(package).joinpath(path).read_bytes()
