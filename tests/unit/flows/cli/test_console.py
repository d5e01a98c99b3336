from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.flows.conftest import Outcome

ORIGIN = "https://release.hospital.example"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would have been served."""
    from console import serving

    given: list[Any] = []
    monkeypatch.setattr(serving, "serve_console", lambda *arguments: given.extend(arguments))
    return given


def test_the_console_listens_to_this_machine_and_is_called_localhost(run: Callable[..., Outcome], served: list[Any]) -> None:
    assert run("console").code == 0
    settings, address, port, _ = served
    assert (settings.origin, settings.hosts, settings.proxies) == ("http://localhost:8321", ("localhost:8321",), ())
    assert (address, port) == ("127.0.0.1", 8321)


def test_behind_a_proxy_it_is_called_as_people_call_it(run: Callable[..., Outcome], served: list[Any]) -> None:
    assert run("console", "--proxy", ORIGIN, "--listen", "10.0.0.2", "--proxy-address", "10.0.0.1", "--port", "9000").code == 0
    settings, address, port, _ = served
    assert (settings.origin, settings.hosts, settings.proxies) == (ORIGIN, ("release.hospital.example",), ("10.0.0.1",))
    assert (address, port) == ("10.0.0.2", 9000)
    served.clear()
    assert run("console", "--proxy", ORIGIN).code == 0
    assert served[0].proxies == ("127.0.0.1", "::1")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--listen", "0.0.0.0"),
        ("--proxy-address", "10.0.0.1"),
        ("--proxy", "http://release.hospital.example"),
        ("--proxy", "https://release.hospital.example/path"),
        ("--proxy", "release.hospital.example"),
    ],
)
def test_what_would_be_open_to_others_without_encryption_is_refused(
    run: Callable[..., Outcome], served: list[Any], arguments: tuple[str, ...]
) -> None:
    assert run("console", *arguments).code == 2
    assert served == []


def test_whoever_has_the_home_makes_a_link_for_anybody(run: Callable[..., Outcome], served: list[Any]) -> None:
    made = run("console", "--proxy", ORIGIN, "--invite", "anna@hospital.example")
    assert made.code == 0
    assert made.out.startswith(f"{ORIGIN}/join/")
    assert run("console", "--invite", "no name").code == 2
    assert served == []
    assert run("console", "--reset", "no name").code == 2
    assert run("console", "--reset", "anna@hospital.example").code == 2, "who has no account is invited"
    assert run("console", "--reset", "anna", "--invite", "anna").code == 2
