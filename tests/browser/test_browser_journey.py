"""A release from a sealed candidate to a published version by people who use nothing but a browser, and one that they reject."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from policies.words.publication_moment import PublicationMoment
from tasks.ledger.history import read_history
from tests.browser.conftest import Site, Visitor
from tests.unit.tasks.signing.openssh import accepted_by_keygen, needs_ssh_keygen

pytestmark = [pytest.mark.long, needs_ssh_keygen]
MINUTELY = PublicationMoment(cron="* * * * *", timezone="UTC")


def state(site: Site, candidate: str) -> str:
    return str(read_history(site.world.ledger).find(candidate).state)


@pytest.mark.timeout(240)
def test_two_people_bring_a_release_out_and_reject_another_with_nothing_but_a_browser(
    site: Site, visit: Callable[[str], Visitor], tmp_path: Path
) -> None:
    anna, bert, auditor = visit("anna"), visit("bert"), visit("auditor")
    for person in (anna, bert, auditor):
        person.sign_in()

    # Each makes a passkey; the operator, who alone can, adds the lines that were read out.
    lines = [person.add_passkey() for person in (anna, bert)]
    assert "does not count yet" in anna.text()
    signers = site.home.signers
    signers.write_text(signers.read_text() + "".join(f"{line}\n" for line in lines))
    roles = site.world.hold_roles(**{"data-protection": ("anna",), "methods": ("bert",)})
    (site.home.root / "operator.yaml").write_text(
        "runners: [steward]\noperators: [operator]\nroles: {data-protection: [anna], methods: [bert]}\n"
        f'passkeys: {{rp: localhost, origins: ["{site.url}"]}}\n'
    )
    anna.go("/passkeys")
    assert "counts" in anna.text()

    # Anna reads the first candidate and asks for changes.
    first = site.world.seal("steward", roles_required=roles, not_before=MINUTELY, source_hmac="01" * 32).id
    anna.go("/")
    assert "people" in anna.text()
    anna.go(f"/candidates/{first}")
    anna.decide(first, "Request changes", "Regions are too small.")
    assert "Regions are too small." in anna.text()
    assert first in anna.text()
    anna.sign()
    assert state(site, first) == "changes_requested"

    # The steward's next candidate answers it; both sign it, each with their own passkey.
    second = site.world.seal("steward", roles_required=roles, not_before=MINUTELY, answers=(first,), source_hmac="02" * 32).id
    bert.go(f"/candidates/{second}")
    assert "Regions are too small." in bert.text()
    anna.decide(second, "Approve", "Regions are large enough now.")
    anna.sign()
    assert "You approved it" in anna.text()
    bert.decide(second, "Approve", "The figures are right.")
    bert.sign()
    assert state(site, second) == "approved"

    # Before its moment nothing is published.
    due = read_history(site.world.ledger).find(second).due
    assert due is not None
    if (due - datetime.now(UTC)).total_seconds() > 15:
        early = site.run("publish", second)
        assert (early.returncode, "it is not published before" in early.stderr) == (4, True), early.stderr

    # They write to each other, and reject a third candidate. The auditor reads no comment.
    third = site.world.seal("steward", roles_required=roles, source_hmac="03" * 32).id
    anna.go("/datasets/people/comments")
    anna.page.get_by_role("textbox").fill("Bert, look at <b>this</b>")
    anna.press("Send")
    bert.go("/datasets/people/comments")
    assert "Bert, look at <b>this</b>" in bert.text()
    bert.decide(third, "Reject", "Nobody may have this.")
    bert.sign()
    assert state(site, third) == "rejected"
    anna.go(f"/candidates/{third}/decide")
    assert "What you cannot do, and why" in anna.text()

    # When the moment has come, it is published.
    time.sleep(max(0.0, (due - datetime.now(UTC)).total_seconds()))
    published = site.run("publish", second)
    assert published.returncode == 0, published.stderr
    assert state(site, second) == "published"

    # From the published folder alone, stock ssh-keygen says who agreed.
    folder = site.home.releases / "people" / "1"
    trusted = tmp_path / "signers"
    trusted.write_text(signers.read_text())
    found = sorted(folder.rglob("*.sig"))
    by = {}
    for name in ("anna", "bert"):
        for signature in found:
            message = signature.with_suffix(".signed").read_bytes()
            if b"urn:headgate:approval:1" in message and accepted_by_keygen(trusted, signature, message, name):
                by[name] = signature
                assert not accepted_by_keygen(trusted, signature, message + b" ", name)
    assert set(by) == {"anna", "bert"}
    for signature in by.values():
        assert b"webauthn" in _decoded(signature)

    # The auditor follows it: every event opens, the chain holds, the evidence is taken along.
    auditor.go("/datasets/people/comments")
    assert "There is no such page" in auditor.text()
    auditor.go(f"/audit?release={second}")
    assert re.search(r"published", auditor.text())
    auditor.page.get_by_role("rowheader").get_by_role("link").first.click()
    assert "Its place in the chain" in auditor.text()
    with auditor.page.expect_download() as download:
        auditor.follow("Take along all evidence of this release")
    assert Path(download.value.path()).stat().st_size > 1000
    auditor.go("/audit/chain")
    auditor.press("Check it now")
    auditor.page.get_by_text("Whole up to event").wait_for()

    ignored = ("404",)  # what the browser says of the page that is not there
    said = [text for person in (anna, bert, auditor) for text in person.said if not any(word in text for word in ignored)]
    assert said == []


def _decoded(signature: Path) -> bytes:
    import base64

    return base64.b64decode("".join(signature.read_text().splitlines()[1:-1]))


@pytest.mark.timeout(120)
def test_without_a_script_everything_is_done_but_passkeys(site: Site, visit: Callable[..., Visitor], tmp_path: Path) -> None:
    from tasks.signing.sshsig import sign_bytes

    candidate = site.world.seal("steward", source_hmac="04" * 32).id
    bert = visit("bert", java_script_enabled=False)
    bert.sign_in()
    bert.decide(candidate, "Reject", "Read without a script.")
    assert bert.page.get_by_role("button", name="Sign with your passkey").is_hidden()
    with bert.page.expect_download() as download:
        bert.page.get_by_role("link", name=re.compile("statement$")).click()
    statement = Path(download.value.path()).read_bytes()
    (tmp_path / "x.sig").write_bytes(sign_bytes(statement, site.world.keys["bert"]))
    bert.page.get_by_label("Signature").set_input_files(tmp_path / "x.sig")
    bert.press("Hand in the signature")
    bert.page.wait_for_url("**/decide")
    assert state(site, candidate) == "rejected"


@pytest.mark.timeout(120)
def test_a_run_and_the_check_of_the_chain_are_followed_without_reloading(site: Site, visit: Callable[[str], Visitor]) -> None:
    from policies.ledger.events import RunStarted
    from policies.sealed.manifest import Signer
    from tasks.release.kept_progress import KeptProgress, kept_progress
    from tasks.release.listener import Listener

    ledger, runner = site.world.ledger, Signer(principal="steward", fingerprint=site.world.keys["steward"].fingerprint)
    started = RunStarted(
        release_id="followed", at=ledger.now().isoformat(), dataset="followed", policy_digest="a" * 64, runner=runner, product="x"
    )
    ledger.append("followed", [started], 0, "steward")
    anna = visit("anna")
    anna.sign_in()
    with ledger.lock("followed", "followed"), kept_progress(site.home, "followed", Listener()) as listener:
        assert isinstance(listener, KeptProgress)
        listener.began("ingest")
        anna.go("/runs/followed")
        assert "Reading the source" in anna.text()
        anna.page.evaluate("window.stayed = true")
        listener.ended("ingest", "", 2.0, True)
        listener.began("anonymize", "table-1")
        anna.page.get_by_text("Anonymizing").wait_for()
        assert anna.page.evaluate("window.stayed")
    assert anna.said == []
