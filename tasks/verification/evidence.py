"""All that proves one release, published, refused or rejected, in one archive: whoever has it, a list of signers and the ledger's public
key checks it offline with ssh-keygen and sha256sum, without this product."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Sequence
from pathlib import Path

from headgate.core.errors import IntegrityBroken, Refusal, TransitionRefused
from policies.ledger.events import CandidateSealed, RunStarted, SignedDecisionEvent
from policies.ledger.standing import Release
from tasks.approval.approvals import kept_envelope
from tasks.approval.kept_policies import kept_policy
from tasks.approval.reasons import kept_reason
from tasks.approval.statements import check_decision
from tasks.ledger.chain import Entry, check_own_chain, entry_bytes
from tasks.ledger.event_log import Ledger, event_of
from tasks.ledger.history import History, read_history
from tasks.publication.attestation import ATTESTATION_FILE
from tasks.publication.targets import open_targets
from tasks.runtime.home import Home
from tasks.signing.detached import ENVELOPE, detached_files
from tasks.signing.home_keys import ledger_key
from tasks.signing.keys import PrivateKey
from tasks.signing.registration import REGISTRATION
from tasks.signing.signatures import EVIDENCE, sign_statement, statement
from tasks.stores.files import read_file, replace_file
from tasks.stores.release_store import ReleaseStore
from tasks.stores.seal import MANIFEST, REPORT, load_sealed
from tasks.verification.cosigned_heads import Cosigned

POLICY, POLICY_DIGESTED = "policy.yaml", "policy.json"
# In docs/guide-auditor.md too, and in every archive as verify.sh.
RECIPE = r"""set -e; d=$(mktemp -d); at="the list of signers, of revoked keys or the ledger's key"
trap 'rm -rf "$d"; [ -z "$at" ] || echo "NOT PROVEN: something is wrong with $at."' EXIT
cat "$SIGNERS" "$REVOKED" > "$d/all"; sed 's/^/ledger /' "$LEDGER" > "$d/ledger"; link=$(printf '%064d' 0)
sum() { sha256sum < "$1" | grep -oE '^[0-9a-f]{64}' || echo missing; }; has() { grep -qF "\"$1\":\"$2\"" "$3"; }
said() { grep -aoE "\"$1\":\"[^\"]*\"" "$2" | sed 's/.*:"//; s/"$//'; }; n() { cat events/* | grep -aoE "$1" | grep -c . || :; }
is() { at=$2; [ "$(said predicateType "$2.signed")" = "urn:headgate:$1:1" ] && \
  grep -qF "{\"digest\":{\"sha256\":\"$4\"},\"name\":\"$3\"}" "$2.signed"; }
by() { at=$3; ssh-keygen -Y verify -f "$1" -I "$2" -n headgate -r "$REVOKED" -s "$3.sig" < "$3.signed"; }
for event in events/*; do at=$event; grep -qaE "64:$link,64:[0-9a-f]{64},\$" "$event"; link=$(sum "$event"); done
is evidence bundle last-event "$link"; grep -qF "\"events\":$(ls events | grep -c .)," bundle.signed; by "$d/ledger" ledger bundle
release=$(said release bundle.signed); digest=$(sum manifest.json); first=$(ls events/* | head -n 1)
for p in policy_sha256:policy.yaml policy_digest:policy.json; do at=${p#*:}
  if [ -e "$at" ] || [ "$(said policy_sha256 "$first")" ]; then [ "$(sum "$at")" = "$(said "${p%:*}" "$first")" ]; fi; done
for c in cosigned/*.sig; do [ -e "$c" ] || break; c=${c%.sig}; at=$c; event=events/${c#*/}; event=${event%-*}
  link=$(said hash "$c.signed"); [ ! -e "$event" ] || link=$(sum "$event"); is cosigned-head "$c" head "$link"
  by "$SIGNERS" "$(ssh-keygen -Y find-principals -f "$SIGNERS" -s "$c.sig")" "$c"; done
at="the number of signatures"; sigs=$(ls signed/*.sig 2> /dev/null || :)
[ $(echo $sigs | grep -o "[.]sig" | grep -c .) -eq \
  $(n '"event":"(sealed|approved|changes_requested|rejected|withdrawn|resumed|abandoned|purged)"') ]
for s in $sigs; do s=${s%.sig}; at=$s; who=${s#*-}; event=${s%%-*}; event=events/${event#signed/}
  case "$(said event "$event") $(said action "$s.signed")" in "sealed ") kind=candidate;; "withdrawn withdraw") kind=withdrawal;;
    "approved approve"|"rejected reject"|"changes_requested request-changes") kind=approval;;
    "resumed resume"|"abandoned abandon"|"purged purge") kind=operation;; *) false;; esac
  if [ -e manifest.json ]; then is $kind "$s" manifest.json "$digest"; else is $kind "$s" policy "$(said policy_digest "$event")"; fi
  has release "$release" "$s.signed"; if [ $kind != candidate ]; then by "$SIGNERS" "$who" "$s"
    for file in "$s.signed" "$event"; do has reason_sha256 "$(sum "$s.reason")" "$file"; done
    [ "$(said principal "$event") $(said principal "$s.signed")" = "$who $who" ]; continue; fi
  has candidate "$digest" "$event"; grep -qF "\"runner\":{\"principal\":\"$who\"" "$event"
  if [ ! -e registration.sig ]; then by "$SIGNERS" "$who" "$s"; continue; fi
  is schedule registration policy "$(said policy_digest "$event")"; by "$SIGNERS" "$who" registration; at=$s
  key=$(grep -v -- -- "$s.sig" | base64 -d | tail -c +15 | head -c 51 | base64 | tr -d '\n'); echo machine ssh-ed25519 $key > "$d/machine"
  by "$d/machine" machine "$s" > "$d/by"; grep -F " $(said machine registration.signed)" "$d/by"; done
at="manifest.json or report.html"; if [ $(n '"event":"sealed"') -gt 0 ]; then
  grep -qF "\"path\":\"report.html\",\"sha256\":\"$(sum report.html)\"" manifest.json; fi
at=attestation; if [ $(n '"event":"published"') -gt 0 ]; then [ $(n "\"attestation_sha256\":\"$(sum attestation.dsse.json)\"") -eq 1 ]
  is attestation attestation manifest.json "$digest"; by "$d/ledger" ledger attestation; fi
echo "Release $release: all of its events up to event $(said event bundle.signed) of the ledger, of $(said at bundle.signed)."
at=; echo "All of it holds."
"""
README = """\
The evidence of one release of headgate: its events, its decisions with their reasons, its policy, its manifest and report, and a
statement of the ledger's key over all of its events (bundle). policy.yaml is the policy file as it was; policy.json is what it means, with
the SHA-256 of each file that it names, and its own SHA-256 is the policy's digest.

  SIGNERS=/path/to/your/signers REVOKED=/path/to/your/revoked_keys LEDGER=/path/to/your/ledger.pub sh verify.sh

Take the three files from where you trust them, not from here (/dev/null where no key was revoked), and compare verify.sh with the auditor's
guide. Only "All of it holds." in the last line says that it does; then read the events (events/), in their order.

What it does not prove: what happened after the event of the ledger that the line before the last names, and what whoever holds the
ledger's key has left out. Compare that event with the head that you cosigned, and the ledger with `headgate audit verify --cosigned`.
"""


def evidence(home: Home, ledger: Ledger, name: str, store: ReleaseStore | None = None, cosigned: Sequence[Cosigned] = ()) -> bytes:
    """The archive, the same bytes each time while nothing happens in the ledger. `cosigned`: heads that auditors signed, to lie in it.
    IntegrityBroken if something in it does not hold, TransitionRefused while votes are hidden."""
    last = ledger.last()  # before the release's own events: they are complete up to here
    history = read_history(ledger)
    release = history.find(name)
    if release.hides_votes:
        raise TransitionRefused(
            [Refusal("blind", "nobody is shown the votes before it is decided")], "Export it once it is approved or has ended."
        )
    own = history.of(release.release_id)
    extent = signed_extent(own, max(last or own[-1], own[-1], key=lambda entry: entry.seq), ledger_key(home.keys))
    files = {**detached_files(f"bundle{ENVELOPE}", extent), "README.txt": README.encode(), "verify.sh": RECIPE.encode()}
    files |= {f"events/{_place(entry)}": entry_bytes(entry) for entry in own}
    for entry in own:
        event = event_of(entry)
        files |= _decision(home, release, entry, event) if isinstance(event, SignedDecisionEvent) else {}
    for number, head in enumerate(cosigned, 1):
        if not history.holds(head.head):
            raise IntegrityBroken(f"The head that {head.signer} cosigned does not lie on the chain.", "Run `headgate audit verify`.")
        files |= detached_files(f"cosigned/{head.head.seq:08}-{number}{ENVELOPE}", head.envelope)
    files |= _policy(home, own[0])
    files |= _sealed(home, history, release, store) if release.candidate else _unsealed(home, release)
    return _archive(files, f"evidence-{release.release_id}")


def write_evidence(home: Home, ledger: Ledger, name: str, path: Path, cosigned: Sequence[Cosigned] = ()) -> Path:
    """In a folder under a name of its own; else as the file that is named."""
    made = evidence(home, ledger, name, cosigned=cosigned)
    target = path / f"evidence-{read_history(ledger).find(name).release_id}.tar.gz" if path.is_dir() else path
    replace_file(target, made)
    return target


def signed_extent(own: Sequence[Entry], last: Entry, key: PrivateKey) -> bytes:
    """That these are all events of a release when `last` was the newest of the ledger: neither an older head of it nor a part of its events
    can stand in for them."""
    said = {"release": own[0].release, "events": len(own), "event": str(last.seq), "hash": last.hash, "at": last.at}
    return sign_statement(statement({"last-event": check_own_chain(own, own[0].release).hash}, EVIDENCE, said), key)


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


def _policy(home: Home, first: Entry) -> dict[str, bytes]:
    started = event_of(first)
    kept = kept_policy(home, started) if isinstance(started, RunStarted) else None
    return {} if kept is None else {POLICY: kept.content, POLICY_DIGESTED: kept.digested}


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
