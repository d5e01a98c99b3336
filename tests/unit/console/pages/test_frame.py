from __future__ import annotations

import pytest

from console.pages.frame import NAVIGATION, own_path
from tests.unit.console.conftest import Client


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        ("/", "/"),
        ("/account", "/account"),
        ("/datasets/people", "/datasets/people"),
        (f"/candidates/{'a' * 64}", f"/candidates/{'a' * 64}"),
        ("", "/"),
        ("/people", "/"),
        ("//evil.example", "/"),
        ("https://evil.example", "/"),
        ("/datasets/people\nx", "/"),
        ("/datasets/people?x=1", "/"),
        (f"/candidates/{'a' * 64}\\..", "/"),
    ],
)
def test_only_a_page_of_the_console_is_led_to(wanted: str, path: str) -> None:
    assert own_path(wanted) == path


def test_the_navigation_shows_what_is_for_the_person(client: Client) -> None:
    for person, operates in (("operator", True), ("anna", False)):
        client.sign_in(person)
        assert ('href="/people"' in client.see("/account").text) == operates
    assert len({entry.path for entry in NAVIGATION}) == len(NAVIGATION)


def test_where_one_is_the_navigation_says_and_nobody_who_has_not_signed_in_sees_it(client: Client) -> None:
    client.sign_in("anna")
    assert 'href="/account" aria-current="page"' in client.see("/account").text
    client.cookies.clear()
    assert "<nav" not in client.see("/sign-in").text


def test_a_page_is_in_the_language_that_the_reader_asks_for(client: Client) -> None:
    for language in ("en", "de"):
        assert f'<html lang="{language}">' in client.get("/sign-in", headers={"Accept-Language": language}).text
