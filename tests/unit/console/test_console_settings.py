from __future__ import annotations

import pytest

from console.access.provider import ProviderSettings
from console.console_settings import provider_of
from headgate.core.errors import InputRejected

NAMED = {"HEADGATE_OIDC_ISSUER": "https://login.hospital.example/realm", "HEADGATE_OIDC_CLIENT": "headgate", "HEADGATE_OIDC_SECRET": "s"}


def test_a_provider_is_named_by_the_environment() -> None:
    assert provider_of({}) is None
    assert provider_of(NAMED) == ProviderSettings("https://login.hospital.example/realm", "headgate", "s", "login.hospital.example")
    assert provider_of({**NAMED, "HEADGATE_OIDC_TITLE": "the hospital"}).title == "the hospital"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "change", [{"HEADGATE_OIDC_ISSUER": "http://login.hospital.example"}, {"HEADGATE_OIDC_ISSUER": "login"}, {"HEADGATE_OIDC_CLIENT": ""}]
)
def test_one_that_is_not_secure_or_not_complete_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(InputRejected):
        provider_of({**NAMED, **change})
