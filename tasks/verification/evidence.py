"""All that proves one release, published, refused or rejected, in one archive: whoever has it, a list of signers and the ledger's public
key checks it offline with ssh-keygen and sha256sum, without this product."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

from headgate.core.errors import IntegrityBroken, Refusal, TransitionRefused
from policies.ledger.events import CandidateSealed, SignedDecisionEvent
from policies.ledger.standing import Release
from tasks.approval.approvals import kept_envelope
from tasks.approval.reasons import kept_reason
from tasks.approval.statements import check_decision
from tasks.ledger.chain import HEAD_FILE, HEAD_SIGNATURE, Entry, check_own_chain, entry_bytes, signed_head
from tasks.ledger.event_log import Ledger, event_of
from tasks.ledger.history import History, read_history
from tasks.publication.attestation import ATTESTATION_FILE
from tasks.publication.targets import open_targets
from tasks.runtime.home import Home
from tasks.signing.detached import ENVELOPE, detached_files
from tasks.signing.home_keys import ledger_key
from tasks.signing.registration import REGISTRATION
from tasks.stores.files import read_file, replace_file
from tasks.stores.release_store import ReleaseStore
from tasks.stores.seal import MANIFEST, REPORT, load_sealed

# In docs/guide-auditor.md too, and in every archive as verify.sh.
RECIPE = r"""set -e; all=$(mktemp); trap 'rm -f "$all"' EXIT; { cat "$SIGNERS"; echo "ledger $(cat "$LEDGER")"; } > "$all"
sum() { sha256sum "$1" | cut -c1-64 | grep . || echo missing; }; has() { grep -qF "$(sum "$1")" "$2"; }
n() { cat events/* | grep -aoE "$1" | wc -l; }; said() { grep -aoE "\"$1\":\"[^\"]*\"" "$2" | cut -d'"' -f4; }; link=$(printf '%064d' 0)
by() { ssh-keygen -Y verify -f "$all" -I "$1" -n headgate -s "$2.sig" < "$2.signed"; }; sigs=$(ls signed/*.sig 2> /dev/null || :)
for event in events/*; do grep -qF "64:$link,64:" "$event"; link=$(sum "$event"); [ $(said event "$event" | wc -l) -eq 1 ]; done
grep -qF "$link" head.json; has head.json head.signed; by ledger head
[ $(echo $sigs | wc -w) -eq $(n '"event":"(sealed|approved|changes_requested|rejected|withdrawn|resumed|abandoned)"') ]
for s in $sigs; do s=${s%.sig}; who=${s#*-}; event=${s%%-*}; event=events/${event#signed/}
  [ ! -e manifest.json ] || has manifest.json "$s.signed"; case "$(said event "$event") $(said action "$s.signed")" in "approved approve"|\
    "rejected reject"|"changes_requested request-changes"|"withdrawn withdraw"|"resumed resume"|"abandoned abandon") by "$who" "$s"
    has "$s.reason" "$s.signed"; has "$s.reason" "$event"; [ "$(said principal "$event") $(said principal "$s.signed")" = "$who $who" ];;
  "sealed ") grep -qF "\"runner\":{\"principal\":\"$who\"" "$event"; if [ ! -e registration.sig ]; then by "$who" "$s"; continue; fi
    by "$who" registration; grep -qF '"urn:headgate:schedule:1"' registration.signed
    [ "$(said policy_digest registration.signed)" = "$(said policy_digest "$event")" ]
    ssh-keygen -Y check-novalidate -n headgate -s "$s.sig" < "$s.signed" | grep -F " $(said machine registration.signed)";;
  *) exit 1; esac; done
if [ $(n '"event":"sealed"') -gt 0 ]; then [ $(n "$(sum manifest.json)") -gt 0 ]; has report.html manifest.json; fi
if [ $(n '"event":"published"') -gt 0 ]; then [ $(n "$(sum attestation.dsse.json)") -eq 1 ]; by ledger attestation
  has manifest.json attestation.signed; fi; echo "All of it holds."
"""
README = """\
The evidence of one release of headgate: its events, its decisions with their reasons, its manifest and report, and the ledger's head.

  SIGNERS=/path/to/your/signers LEDGER=/path/to/your/ledger.pub sh verify.sh

Take both files from where you trust them, not from here, and compare verify.sh with the auditor's guide. Each line that begins with
Good is a signature that holds; the last line says that everything else does. Then read the events (events/), in their order.
"""


def evidence(home: Home, ledger: Ledger, name: str, store: ReleaseStore | None = None) -> bytes:
    """The archive, the same bytes each time while nothing happens to the release. IntegrityBroken if something in it does not hold,
    TransitionRefused while votes are hidden."""
    history = read_history(ledger)
    release = history.find(name)
    if release.hides_votes:
        raise TransitionRefused(
            [Refusal("blind", "nobody is shown the votes before it is decided")], "Export it once it is approved or has ended."
        )
    own = history.of(release.release_id)
    head, signature = signed_head(check_own_chain(own, release.release_id), ledger_key(home.keys))
    files = {HEAD_FILE: head, **detached_files(HEAD_SIGNATURE, signature), "README.txt": README.encode(), "verify.sh": RECIPE.encode()}
    files |= {f"events/{_place(entry)}": entry_bytes(entry) for entry in own}
    for entry in own:
        event = event_of(entry)
        files |= _decision(home, release, entry, event) if isinstance(event, SignedDecisionEvent) else {}
    files |= _sealed(home, history, release, store) if release.candidate else _unsealed(home, release)
    return _archive(files, f"evidence-{release.release_id}")


def write_evidence(home: Home, ledger: Ledger, name: str, path: Path) -> Path:
    """In a folder under a name of its own; else as the file that is named."""
    made = evidence(home, ledger, name)
    target = path / f"evidence-{read_history(ledger).find(name).release_id}.tar.gz" if path.is_dir() else path
    replace_file(target, made)
    return target


def _place(entry: Entry) -> str:
    """So that the shell lists them in their order."""
    return f"{entry.seq:08}"


def _sealed(home: Home, history: History, release: Release, store: ReleaseStore | None) -> dict[str, bytes]:
    candidate = load_sealed(home.candidates, release.candidate)
    files = {MANIFEST: candidate.manifest_bytes, REPORT: read_file(candidate.folder, REPORT).content}
    if release.machine:
        files |= detached_files(REGISTRATION, read_file(candidate.folder, REGISTRATION).content)
    for entry in history.of(release.release_id):
        event = event_of(entry)
        if isinstance(event, CandidateSealed):
            files |= detached_files(f"signed/{_place(entry)}-{event.runner.principal}{ENVELOPE}", candidate.manifest_envelope)
    if "published" in release.seen and release.version is not None:
        there = (store or open_targets(home)).series(release.target).read(release.version)
        if ATTESTATION_FILE not in there:
            raise IntegrityBroken(f"{ATTESTATION_FILE} is missing from the published version.", "Run `headgate audit verify`.")
        files |= {ATTESTATION_FILE: there[ATTESTATION_FILE].content, **detached_files(ATTESTATION_FILE, there[ATTESTATION_FILE].content)}
    return files


def _decision(home: Home, release: Release, entry: Entry, event: SignedDecisionEvent) -> dict[str, bytes]:
    path = f"signed/{_place(entry)}-{event.signer.principal}"
    envelope = kept_envelope(home, event.decided, event.statement_sha256)
    check_decision(envelope, event, release.dataset, path)
    reason = kept_reason(home, event.decided, event.reason_sha256)
    return {**detached_files(path + ENVELOPE, envelope), f"{path}.reason": reason.content}


def _unsealed(home: Home, release: Release) -> dict[str, bytes]:
    """A refused release has no candidate and no signature of its runner; its report is a copy to read."""
    folder = home.refused / release.release_id
    return {REPORT: read_file(folder, REPORT).content} if (folder / REPORT).is_file() else {}


def _archive(files: dict[str, bytes], top: str) -> bytes:
    """Nothing in it depends on who packs it, where or when."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, content in sorted(files.items()):
            member = tarfile.TarInfo(f"{top}/{path}")
            member.size, member.mode = len(content), 0o644
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(plain.getvalue(), mtime=0)
