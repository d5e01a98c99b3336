from __future__ import annotations

import hashlib

from console.pages.frame import Console
from policies.ledger.events import CandidateDownloaded, CandidateViewed
from tests.unit.console.conftest import Client, House


def views(house: House, candidate: str, viewer: str) -> list[str]:
    """The files of the events that say that somebody looked."""
    events = house.ledger.events_of(house.console.history().find(candidate).release_id)
    looked = ["" for event in events if isinstance(event, CandidateViewed) and event.viewer == viewer]
    return looked + [event.file_sha256 for event in events if isinstance(event, CandidateDownloaded) and event.reader == viewer]


def test_looking_at_a_candidate_is_an_event_and_looking_again_is_none(client: Client, house: House) -> None:
    candidate = house.candidates["rejected"].id
    client.sign_in("auditor")
    before = views(house, candidate, "auditor")
    for _ in range(2):
        assert "requirements are met" in client.see(f"/candidates/{candidate}").text
    assert sorted(views(house, candidate, "auditor")) == sorted([*before, ""])


def test_a_download_is_what_was_sealed_and_is_an_event(client: Client, house: House) -> None:
    candidate = house.candidates["published"]
    client.sign_in("auditor")
    for entry in candidate.manifest.files:
        answer = client.see(f"/candidates/{candidate.id}/files/{entry.sha256}")
        assert hashlib.sha256(answer.content).hexdigest() == entry.sha256
        assert answer.headers["content-disposition"].startswith("attachment")
        assert "sandbox" in answer.headers["content-security-policy"]
    assert set(views(house, candidate.id, "auditor")) >= {entry.sha256 for entry in candidate.manifest.files}


def test_nothing_but_sealed_files_can_be_downloaded(client: Client, house: House) -> None:
    candidate, other = house.candidates["published"], house.candidates["half"]
    client.sign_in("auditor")
    manifest = hashlib.sha256(candidate.manifest_bytes).hexdigest()
    for digest in (manifest, "0" * 64, hashlib.sha256((house.home.root / "operator.yaml").read_bytes()).hexdigest()):
        assert client.get(f"/candidates/{candidate.id}/files/{digest}").status_code == 404
    assert client.get(f"/candidates/{'0' * 64}/files/{other.manifest.files[0].sha256}").status_code == 404
    for path in ("..%2f..%2foperator.yaml", "../../operator.yaml", "report.html"):
        assert client.get(f"/candidates/{candidate.id}/files/{path}").status_code in (400, 404)


def test_a_release_is_no_candidate(client: Client, house: House) -> None:
    client.sign_in("auditor")
    assert client.get("/candidates/release-1").status_code == 400


def test_a_file_that_was_changed_is_not_given_away(client: Client, house: House) -> None:
    console: Console = house.console
    entry = house.candidates["awaiting"].manifest.files[0]
    file = house.candidates["awaiting"].folder / entry.path
    content = file.read_bytes()
    client.sign_in("auditor")
    file.chmod(0o644)
    try:
        file.write_bytes(content[:-1] + b"?")
        answer = client.get(f"/candidates/{house.candidates['awaiting'].id}/files/{entry.sha256}")
    finally:
        file.write_bytes(content)
        file.chmod(0o444)
    assert answer.status_code == 500
    assert "is not what was sealed" in answer.text
    assert console.history().find(house.candidates["awaiting"].id).state == "awaiting_approval"


def test_the_same_file_of_another_candidate_is_another_download(client: Client, house: House) -> None:
    one, other = house.candidates["rejected"], house.candidates["changes_requested"]
    shared = {entry.sha256 for entry in one.manifest.files} & {entry.sha256 for entry in other.manifest.files}
    digest = min(shared)
    client.sign_in("operator")
    for candidate in (one, other):
        client.see(f"/candidates/{candidate.id}/files/{digest}")
        assert digest in views(house, candidate.id, "operator")


def test_to_ask_for_a_picture_alone_is_to_look(client: Client, house: House) -> None:
    candidate = house.candidates["changes_requested"].id
    client.sign_in("steward")
    before = len(views(house, candidate, "steward"))
    client.get(f"/candidates/{candidate}/pictures/any")
    assert len(views(house, candidate, "steward")) == before + 1
