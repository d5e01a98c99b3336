"""Style and scripts: a fixed list of files, each under its digest, so that browsers may keep them."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

CSS = "text/css; charset=utf-8"
SCRIPT = "text/javascript; charset=utf-8"
FILES = {
    "icon.svg": ("console", "static/icon.svg", "image/svg+xml"),
    "page.css": ("tasks.reporting", "templates/page.css", CSS),
    "console.css": ("console", "static/console.css", CSS),
    "passkey.js": ("console", "static/passkey.js", SCRIPT),
    "follow.js": ("console", "static/follow.js", SCRIPT),
}


def static_path(name: str) -> str:
    return f"/static/{version_of(name)}/{name}"


@cache
def version_of(name: str) -> str:
    return hashlib.sha256(content_of(name)).hexdigest()[:16]


@cache
def content_of(name: str) -> bytes:
    package, path, _ = FILES[name]
    return resources.files(package).joinpath(path).read_bytes()
