"""A manifest that could lead a restore astray is refused, even where the home's own key has signed it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import rfc8785

from headgate.core.errors import IntegrityBroken
from tasks.backup.backup_manifest import BackedFile, BackedLink, BackupManifest, checked_manifest, safe_path, written_manifest
from tasks.signing.keys import PrivateKey

DIGEST = "ab" * 32


def manifest(key: PrivateKey, **changes: Any) -> BackupManifest:
    said: dict[str, Any] = {
        "product": "headgate",
        "home": key.fingerprint,
        "at": "2026-01-01T00:00:00+00:00",
        "seq": 3,
        "hash": DIGEST,
        "segments": [{"first": 1, "last": 3, "hash": DIGEST, "sha256": DIGEST, "bytes": 9}],
        "files": [],
        "links": [],
        "keys": {"sha256": DIGEST, "bytes": 9, "mark": DIGEST, "recipients": ["age1"]},
        "absent": [],
    }
    return BackupManifest.model_validate(said | changes)


def file(path: str) -> BackedFile:
    return BackedFile(path=path, sha256=DIGEST, bytes=9, mode=0o600)


def test_what_is_written_is_read_back(keys: Any) -> None:
    made = manifest(keys["ann"], files=(file("state/a"), file("b")))
    assert checked_manifest(*written_manifest(made, keys["ann"]), "x")[0] == made
    assert made.objects == {DIGEST: 9}


@pytest.mark.parametrize(
    "paths", [("../a",), ("/a",), ("a//b",), ("a/./b",), ("a/.b",), ("a\nb",), ("a", "a"), ("a", "a/b"), ("a/b", "a/b/c"), ("",), ("a\\b",)]
)
def test_a_path_that_leads_astray_is_refused(keys: Any, paths: tuple[str, ...]) -> None:
    made = manifest(keys["ann"], files=tuple(map(file, paths)))
    with pytest.raises(IntegrityBroken, match="outside of the home, or twice"):
        checked_manifest(*written_manifest(made, keys["ann"]), "x")


def test_a_link_names_a_version_and_stands_in_nobodys_way(keys: Any) -> None:
    with pytest.raises(ValueError, match="target"):
        BackedLink(path="releases/people/latest", target="/etc")
    made = manifest(keys["ann"], files=(file("releases/people/latest/a"),), links=(BackedLink(path="releases/people/latest", target="1"),))
    with pytest.raises(IntegrityBroken, match="outside of the home, or twice"):
        checked_manifest(*written_manifest(made, keys["ann"]), "x")


@pytest.mark.parametrize("changes", [{"seq": 4}, {"hash": "cd" * 32}, {"segments": ()}])
def test_events_that_do_not_reach_the_head_are_refused(keys: Any, changes: dict[str, Any]) -> None:
    with pytest.raises(IntegrityBroken, match="do not end with its head"):
        checked_manifest(*written_manifest(manifest(keys["ann"], **changes), keys["ann"]), "x")


def test_events_with_a_gap_are_refused(keys: Any) -> None:
    segments = [{"first": 2, "last": 3, "hash": DIGEST, "sha256": DIGEST, "bytes": 9}]
    with pytest.raises(IntegrityBroken, match="do not follow each other"):
        checked_manifest(*written_manifest(manifest(keys["ann"], segments=segments), keys["ann"]), "x")


def test_only_the_home_that_it_names_can_sign_it(keys: Any) -> None:
    content, _ = written_manifest(manifest(keys["ann"]), keys["ann"])
    _, stranger = written_manifest(manifest(keys["ann"]), keys["bob"])
    with pytest.raises(IntegrityBroken, match="not one that its home has signed"):
        checked_manifest(content, stranger, "x")


def test_a_key_more_or_another_form_is_refused(keys: Any) -> None:
    content, envelope = written_manifest(manifest(keys["ann"]), keys["ann"])
    with pytest.raises(IntegrityBroken, match="not the one that was signed"):
        checked_manifest(bytes(rfc8785.dumps(json.loads(content) | {"more": 1})), envelope, "x")


def test_a_safe_path_has_one_spelling() -> None:
    assert safe_path("mlartifacts/1/2/artifacts/charts/a b.svg")
    assert not any(map(safe_path, ("a/", "~/../a", "a/..", "a\x7f", "a" * 256)))
