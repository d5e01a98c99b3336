"""`make screenshots`: every page of the console at three widths, light and dark, and in German at two, into a folder, and the best into
docs/console/.

The home is made up: a real release of the shipped hospital data that awaits approval, and small ones in every other state.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from policies.ledger.events import ExpectationsChecked, ReleaseRefused, RunStarted, SourceIngested
from policies.sealed.manifest import Signer
from tasks.approval.threads import add_comment
from tasks.release.kept_progress import KeptProgress, kept_progress
from tasks.release.listener import Listener
from tests.browser.conftest import CHROMIUM, Site, Visitor, give_passkeys, new_site, running_console
from tests.free_port import free_port
from tests.unit.tasks.world import make

ROOT = Path(__file__).resolve().parents[2]
POLICY = ROOT / "policies/shipped/hospital-patients.yaml"
DOCS = ROOT / "docs/console"
WIDTHS = {390: 844, 820: 1180, 1280: 860}
BEST = {
    ("candidate", 1280, "light"),
    ("statement", 1280, "light"),
    ("releases", 1280, "light"),
    ("audit", 1280, "light"),
    ("decide", 390, "light"),
}


def sealed_hospital(site: Site) -> str:
    """By the command line, as a steward does it."""
    import json

    made = site.run("release", str(POLICY), "--json", key="steward")
    if made.returncode:
        sys.exit(made.stderr)
    return str(json.loads(made.stdout)["candidate"])


def small_releases(site: Site) -> None:
    """In other states."""
    from tasks.approval.decisions import reject, request_changes

    world = site.world
    published = world.seal("steward", source_hmac="01" * 32, dataset="school-census", title="School census", publish_to="schools")
    world.approve(published, "anna", "bert")
    world.publish(published)
    other = {"dataset": "discharges", "title": "Discharges", "publish_to": "discharges"}
    asked = world.seal("steward", source_hmac="02" * 32, **other)
    request_changes(world.home, world.ledger, asked.id, world.keys["bert"], "Ages of children are too fine: use bands of five years.")
    answer = world.seal("steward", source_hmac="03" * 32, answers=(asked.id,), **other)
    add_comment(world.home, world.ledger, answer.id, "anna", "Why do 14 people fewer take part than last year?")
    add_comment(world.home, world.ledger, answer.id, "steward", "They asked to be left out; the register says so.")
    world.approve(answer, "bert")
    no = world.seal("steward", source_hmac="04" * 32, dataset="visits", title="Visits", publish_to="visits")
    reject(world.home, world.ledger, no.id, world.keys["anna"], "The purpose is not ours.")
    runner = Signer(principal="steward", fingerprint=world.keys["steward"].fingerprint)
    for release, dataset, ends in (("refused-run", "visits", True), ("going-on-run", "laboratory", False)):
        base = {"release_id": release, "at": world.ledger.now().isoformat()}
        events: list[Any] = [
            RunStarted(**base, dataset=dataset, policy_digest="a" * 64, runner=runner, product="headgate"),
            SourceIngested(**base, rows=12000, columns=9, source_hmac="9" * 64),
            ExpectationsChecked(**base, direction="inbound", expectations=12, successful=12),
            *([ReleaseRefused(**base, failed=("linkability", "closeness"))] if ends else []),
        ]
        world.ledger.append(release, events, 0, "steward")
    report = world.home.refused / "refused-run" / "report.html"
    report.parent.mkdir(parents=True)
    report.write_text("<p>figures</p>")


@contextmanager
def going_on(site: Site) -> Iterator[None]:
    """A run in the middle of its work."""
    world = site.world
    with world.ledger.lock("laboratory", "going-on-run"), kept_progress(world.home, "going-on-run", Listener()) as listener:
        assert isinstance(listener, KeptProgress)
        for step, seconds in (("ingest", 3.2), ("expect", 0.8), ("transform", 0.3), ("plan", 14.9)):
            listener.began(step)
            listener.ended(step, "", seconds, True)
        listener.began("anonymize", "table-1")
        listener.ended("anonymize", "table-1", 6.4, True)
        listener.began("anonymize", "table-2")
        listener._written = 0.0
        listener.working("anonymize", 7400, 12000, "rows grouped")
        yield


def take(site: Site, browser: Any, folder: Path) -> None:
    setup = visitor(site, browser, "anna")
    setup.sign_in()
    line = setup.add_passkey()
    signers = site.home.signers
    signers.write_text(signers.read_text() + line + "\n")
    candidate = sealed_hospital(site)
    small_releases(site)
    setup.decide(candidate, "Approve", "I have read the report; what it promises is what the policy asks for.")
    statement = setup.page.url.removeprefix(site.url)
    setup.go("/audit/chain")
    setup.press("Check it now")
    setup.page.locator("#live .done, #live .problem").first.wait_for()
    state = setup.page.context.storage_state()
    operator = visitor(site, browser, "operator")
    operator.sign_in()
    operators = operator.page.context.storage_state()
    pages = {
        "releases": "/",
        "dataset": "/datasets/discharges",
        "candidate": f"/candidates/{candidate}",
        "decide": f"/candidates/{candidate}/decide",
        "statement": statement,
        "comments": "/datasets/discharges/comments",
        "passkeys": "/passkeys",
        "account": "/account",
        "runs": "/runs",
        "run": "/runs/going-on-run",
        "refused": "/runs/refused-run",
        "audit": "/audit",
        "timeline": "/audit?view=timeline&dataset=discharges",
        "event": f"/audit/events/{site.world.ledger.last().seq}",
        "chain": "/audit/chain",
        "missing": "/candidates/none",
    }
    with going_on(site):
        for width, height in WIDTHS.items():
            for scheme in ("light", "dark"):
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, storage_state=state)
                page = context.new_page()
                for name, path in pages.items():
                    page.goto(site.url + path)
                    file = folder / f"{name}-{width}-{scheme}.png"
                    page.screenshot(path=file, full_page=True)
                    if (name, width, scheme) in BEST:
                        DOCS.mkdir(exist_ok=True)
                        page.screenshot(path=DOCS / f"{name}.png")
                context.close()
                shown = {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
                context = browser.new_context(**shown, storage_state=operators)
                _shoot(context.new_page(), f"{site.url}/people", folder / f"people-{width}-{scheme}.png")
                context.close()
        for width in (390, 1280):
            german = browser.new_context(viewport={"width": width, "height": WIDTHS[width]}, locale="de-DE", storage_state=state)
            page = german.new_page()
            for name, path in pages.items():
                _shoot(page, site.url + path, folder / f"{name}-{width}-german.png")
            german.close()
        page = browser.new_context(viewport={"width": 820, "height": 1180}).new_page()
        page.goto(site.url + "/sign-in")
        page.screenshot(path=folder / "sign-in-820-light.png", full_page=True)


def _shoot(page: Any, address: str, file: Path) -> None:
    page.goto(address)
    page.screenshot(path=file, full_page=True)


def visitor(site: Site, browser: Any, name: str) -> Visitor:
    context = browser.new_context()
    page = context.new_page()
    give_passkeys(context, page)
    return Visitor(name, site, page)


def smaller(folder: Path) -> None:
    """Few colours are enough for a page."""
    from PIL import Image

    for file in sorted(folder.glob("*.png")):
        Image.open(file).convert("RGB").quantize(64, dither=Image.Dither.NONE).save(file, optimize=True)


def main(folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        sys.exit("There is no chromium on this machine: install Debian's package chromium.")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="headgate-screenshots-") as place, sync_playwright() as playwright:
        home, port = Path(place), free_port()
        (home / "made").mkdir()
        site = Site(new_site(home, make(home / "made", 60), port), f"http://localhost:{port}", home / "console.log")
        with running_console(site, port):
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            take(site, browser, folder)
            browser.close()
    smaller(DOCS)
    kib = sum(file.stat().st_size for file in DOCS.glob("*.png")) / 1024
    sys.stdout.write(f"{len(list(folder.glob('*.png')))} pictures in {folder}; {kib:.0f} KiB in {DOCS.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/screenshots").absolute())
