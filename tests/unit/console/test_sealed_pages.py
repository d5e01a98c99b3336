from __future__ import annotations

from console import sealed_pages
from console.sealed_pages import SealedPages


def test_a_page_is_read_once_and_only_a_few_are_kept(monkeypatch) -> None:
    monkeypatch.setattr(sealed_pages, "MOST", 2)
    pages, read = SealedPages(), []

    def reading(name: str):
        return lambda: read.append(name) or f"page of {name}"

    for name in ("a", "a", "b", "a", "c", "a", "b"):
        assert pages.get(name, reading(name)) == f"page of {name}"
    assert read == ["a", "b", "c", "b"]
