from __future__ import annotations

from console.static_content import FILES, content_of, static_path


def test_every_file_is_there_and_its_address_follows_from_its_bytes() -> None:
    for name in FILES:
        assert content_of(name) or name == "follow.js"
        assert static_path(name).startswith("/static/")
        assert static_path(name).endswith(f"/{name}")
    assert len({static_path(name).split("/")[2] for name in FILES}) == len(FILES)


def test_styles_fetch_nothing() -> None:
    for name in FILES:
        text = content_of(name).decode()
        assert "@import" not in text
        assert "url(" not in text
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
