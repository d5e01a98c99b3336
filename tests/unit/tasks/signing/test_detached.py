from __future__ import annotations

from pathlib import Path

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.signing.detached import check_detached, detached_files, with_detached
from tasks.signing.signatures import HEAD, sign_statement, statement
from tests.unit.tasks.signing.openssh import accepted_by_keygen, needs_ssh_keygen


@pytest.fixture
def envelope(keys) -> bytes:
    return sign_statement(statement({"head.json": "a" * 64}, HEAD, {"seq": 1}), keys["ann"])


@needs_ssh_keygen
def test_what_lies_beside_an_envelope_is_what_ssh_keygen_takes(world, envelope: bytes, tmp_path: Path) -> None:
    files = detached_files("head.dsse.json", envelope)
    assert set(files) == {"head.signed", "head.sig"}
    assert files["head.signed"].startswith(b"DSSEv1 28 application/vnd.in-toto+json ")
    (tmp_path / "head.sig").write_bytes(files["head.sig"])
    assert accepted_by_keygen(world.home.signers, tmp_path / "head.sig", files["head.signed"])


def test_only_envelopes_get_files_beside_them(envelope: bytes) -> None:
    files = with_detached({"x/ann.dsse.json": envelope, "manifest.json": b"{}"})
    assert set(files) == {"x/ann.dsse.json", "x/ann.signed", "x/ann.sig", "manifest.json"}
    check_detached("x/ann.dsse.json", files)


@pytest.mark.parametrize("name", ["x.signed", "x.sig"])
def test_a_file_that_is_missing_or_says_something_else_is_found(envelope: bytes, name: str) -> None:
    files = with_detached({"x.dsse.json": envelope})
    for wrong in ({**files, name: files[name] + b"\n"}, {path: content for path, content in files.items() if path != name}):
        with pytest.raises(IntegrityBroken, match=f"{name} is missing or is not what x.dsse.json holds"):
            check_detached("x.dsse.json", wrong)


def test_what_is_no_envelope_has_nothing_beside_it() -> None:
    for content in (b"", b"{}", b"[1]", b'{"payload": 1}'):
        with pytest.raises(IntegrityBroken, match="not a signed statement"):
            detached_files("x.dsse.json", content)
