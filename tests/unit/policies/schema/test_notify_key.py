from __future__ import annotations

import pytest

from headgate.core.errors import PolicyInvalid
from policies.schema.loading import parse_file
from policies.schema.operator_file import OPERATORS_PAGE, Operator
from policies.words.notice_kind import NoticeKind


def read(text: str) -> Operator:
    return parse_file(Operator, text, "operator.yaml", OPERATORS_PAGE)


def test_who_is_named_gets_what_they_want_of_the_datasets_they_want() -> None:
    text = "notify:\n  - {to: env:OPS}\n  - {to: 'file:/etc/law', kinds: [published, integrity-broken], datasets: [people]}\n"
    everybody, law = read(text).notify
    assert all(everybody.wants(kind, "any") for kind in NoticeKind)
    assert law.wants(NoticeKind.PUBLISHED, "people")
    assert not law.wants(NoticeKind.PUBLISHED, "others")
    assert not law.wants(NoticeKind.FAILED, "people")
    assert law.wants(NoticeKind.INTEGRITY_BROKEN, "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("notify: [{to: 'mailto://ann:SECRET@host'}]\n", "not a reference"),
        ("notify: [{to: 'env:SECRET KEY'}]\n", "not a reference"),
        ("notify: [{to: 'file:SECRET'}]\n", "not a reference"),
        ("notify: [{to: 'json://SECRET'}]\n", "env:NAME or file:/PATH"),
        ("notify: [{kinds: [failed]}]\n", "the key 'to', which is required"),
        ("notify: [{to: env:A, kinds: [fail]}]\n", "candidate-waits, changes-requested"),
        ("notify: [{to: env:A, kinds: []}]\n", "notify.0.kinds"),
        ("notify: [{to: env:A, datasets: ['../x']}]\n", "notify.0.datasets"),
        ("notify: [{to: env:A}, {to: env:A, kinds: [failed]}]\n", "an address that is listed twice"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_no_secret_is_repeated(text: str, said: str) -> None:
    with pytest.raises(PolicyInvalid) as refused:
        read(text)
    assert said in str(refused.value)
    assert "SECRET" not in str(refused.value)
