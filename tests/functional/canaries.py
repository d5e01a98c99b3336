"""Values planted where they may be read, and the search for them in every byte that a run wrote."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

import pyarrow.parquet as parquet

CANARY = "Canary"  # every planted value begins like this
IDENTIFIER = f"{CANARY}Ident"
DROPPED = f"{CANARY}Dropped"
BAD = f"{CANARY}BadCell"


def places_with(needle: str, folders: list[Path], streams: list[str]) -> list[str]:
    """Every file whose bytes hold the needle: as they are, inflated where they are compressed, and in UTF-16. A file that somebody takes
    away meanwhile, as Prefect's database does, holds nothing."""
    places = [f"stream {place}" for place, text in enumerate(streams) if needle in text]
    forms = [needle.encode(), needle.encode("utf-16-le")]
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink():
                try:
                    whole = path.read_bytes()
                except FileNotFoundError:
                    continue
                if any(form in text for form in forms for text in (whole, *inflated(whole, path))):
                    places.append(str(path))
    return places


def inflated(whole: bytes, path: Path) -> list[bytes]:
    texts = []
    if path.suffix == ".parquet":
        texts.append(repr(parquet.read_table(io.BytesIO(whole)).to_pydict()).encode())
    if whole[:2] == b"\x1f\x8b":
        texts.append(gzip.decompress(whole))
    for start in (b"\x78\x9c", b"\x78\x01", b"\x78\xda"):
        place = whole.find(start)
        while place >= 0:
            try:
                texts.append(zlib.decompressobj().decompress(memoryview(whole)[place:]))
            except zlib.error:
                texts.append(b"")
            place = whole.find(start, place + 1)
    return texts
