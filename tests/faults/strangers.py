"""(d) The parsers that meet strangers' bytes: only refusals of ours may come out of them, whatever goes in.

Bytes that are right, from a release that was published, are changed a little or much by Hypothesis. Where a signature or hash would
stop what was changed, it is made anew, so that what stands behind is reached. What broke a parser once stays in `corpus/`.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from headgate.core.errors import Defect, HeadgateError
from policies.schema.loading import parse_policy
from policies.sealed.manifest import Manifest
from tasks.ledger.chain import check_own_chain, entries_from_lines, entry_hash, verify_head
from tasks.ledger.event_log import event_of
from tasks.reading.arrow_frame import frame_of
from tasks.reading.source_csv import open_csv_bytes
from tasks.reading.source_parquet import open_parquet_bytes
from tasks.signing.keys import PrivateKey, load_key, make_key
from tasks.signing.public_keys import key_of_blob
from tasks.signing.revocation import revoked_from
from tasks.signing.signatures import APPROVAL, open_envelope, sign_payload, verify_envelope
from tasks.signing.signers_file import signers_from_text
from tasks.signing.sshsig import verify_bytes
from tasks.stores.files import Stored
from tasks.stores.seal import MANIFEST, read_manifest
from tasks.verification.claims import remeasure
from tests.faults.result import Result
from tests.faults.workshop import Workshop

CORPUS = Path(__file__).with_name("corpus")
ROUND = 300  # inputs, then the time is looked at
WORDS = (
    b"\0 \xff \xfe\xff \r \n \x0c \xe2\x80\xa8 ' \" \\ \\ud800 { } [ ] , : ; | - -1 0 1e999 NaN Infinity null true {} [] * & ! % @ # "
    b'99999999999999999999 -9223372036854775809 1/0 .inf ../ namespaces="headgate" ssh-ed25519 \xc3\xa9 \xf0\x9f\x98\x80'
).split(b" ")


@dataclass(frozen=True)
class Parser:
    """`read` is given changed bytes; `seeds` are right."""

    name: str
    read: Callable[[bytes], object]
    seeds: tuple[bytes, ...]


Edit = tuple[str, float, float, bytes]
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["put", "replace", "cut", "twice", "flip", "length"]),
        st.floats(0, 1),
        st.floats(0, 1),
        st.one_of(st.sampled_from(WORDS), st.binary(max_size=8)),
    ),
    min_size=1,
    max_size=6,
)


def changed(content: bytes, edits: list[Edit]) -> bytes:
    for how, at, length, word in edits:
        place = int(at * len(content))
        end = place + int(length * length * length * (len(content) - place))
        match how:
            case "put":
                content = content[:place] + word + content[place:]
            case "replace":
                content = content[:place] + word + content[place + max(1, len(word)) :]
            case "cut":
                content = content[:place] + content[end:]
            case "twice":
                content = content[:end] + content[place:]
            case "flip" if content:
                place = min(place, len(content) - 1)
                content = content[:place] + bytes([content[place] ^ (1 << int(length * 7))]) + content[place + 1 :]
            case "length" if len(content) >= 4:
                content = content[:place] + bytes([0, 0, 0, int(length * 255)]) + content[place + 4 :]
    return content


def refused_or_read(parser: Parser, content: bytes) -> None:
    try:
        parser.read(content)
    except Defect:
        raise
    except HeadgateError:
        return


def fuzz(parser: Parser, seconds: float) -> Result:
    """Until the time is over; what is kept of before first."""
    until, count = time.monotonic() + seconds, 0
    problems = []
    kept = tuple(path.read_bytes() for path in sorted((CORPUS / parser.name).glob("*")))
    for content in (*kept, *parser.seeds):
        problems += _problem(parser, content)
    while time.monotonic() < until and not problems:
        tried = _round(parser, parser.seeds + kept, count)
        count += len(tried)
        problems += _problem(parser, tried[-1])
    return Result(parser.name, "strangers' bytes", parser.name, problems, place=f"{count} inputs", times=count)


def _round(parser: Parser, seeds: tuple[bytes, ...], number: int) -> list[bytes]:
    """What was tried; if something broke the parser, the last of them did, made as small as Hypothesis can."""
    tried: list[bytes] = []

    @seed(number + int(hashlib.sha256(parser.name.encode()).hexdigest()[:8], 16))
    @settings(
        max_examples=ROUND, deadline=None, database=None, suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.shrink)
    )
    @given(st.sampled_from(seeds), EDITS)
    def each(content: bytes, edits: list[Edit]) -> None:
        tried.append(changed(content, edits))
        refused_or_read(parser, tried[-1])

    with suppress(Exception):
        each()
    return tried


def _problem(parser: Parser, content: bytes) -> list[str]:
    """Kept, so that it is tried ever after."""
    try:
        refused_or_read(parser, content)
    except Exception as problem:  # noqa: BLE001 - as above
        place = CORPUS / parser.name / hashlib.sha256(content).hexdigest()[:16]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        return [f"{type(problem).__name__}: {problem} ({place.name} in the corpus)"]
    return []


def every_fuzz(shop: Workshop, seconds: float, only: str) -> list[Callable[[], Result]]:
    parsers = [parser for parser in every_parser(shop) if not only or parser.name in only.split(",")]
    return [partial(fuzz, parser, seconds / len(parsers)) for parser in parsers]


def every_parser(shop: Workshop) -> tuple[Parser, ...]:
    version = next(path for path in (shop.cases["withdraw"].home / "releases").glob("*/2"))
    files = {path.relative_to(version).as_posix(): path.read_bytes() for path in version.rglob("*") if path.is_file()}
    make_key(shop.folder / "stranger")
    key = load_key(shop.folder / "stranger")
    manifest = read_manifest(files[MANIFEST])
    envelopes = tuple(content for path, content in files.items() if path.endswith(".dsse.json"))
    opened = [open_envelope(content, "an envelope") for content in envelopes]
    tables = {path: content for path, content in files.items() if path.startswith("tables/")}
    signers, line = shop.signers.read_bytes(), shop.signers.read_text().splitlines()[0]
    blob = base64.b64decode(key.public.split()[1])
    return (
        Parser("policy", lambda content: parse_policy(content.decode("utf-8", "replace"), "policy.yaml"), (shop.policy.read_bytes(),)),
        Parser("signers", lambda content: signers_from_text(content.decode("utf-8", "replace")), (signers, line.encode())),
        Parser("revocation", revoked_from, (signers.split(b"\n")[0].partition(b" ")[2], b"SHA256:" + b"a" * 43 + b"\n", b"SSHKRL\n\0")),
        Parser("public_key", lambda content: key_of_blob(content, "a key"), (blob,)),
        Parser("envelope", lambda content: verify_envelope(content, "an envelope", APPROVAL), envelopes),
        Parser("statement", partial(_statement, key), tuple(each.payload for each in opened)),
        Parser("signature", lambda content: verify_bytes(opened[0].signed, content, "a signature"), tuple(each.armored for each in opened)),
        Parser("manifest", read_manifest, (files[MANIFEST],)),
        Parser("claims", partial(_claims, files), (files[MANIFEST],)),
        Parser("events", _events, (files["events.jsonl"],)),
        Parser("head", lambda content: verify_head(content, files["head.dsse.json"]), (files["head.json"],)),
        Parser("csv", lambda content: _frame(open_csv_bytes(content, "The table")), _ending(tables, ".csv")),
        Parser("parquet", lambda content: _frame(open_parquet_bytes(content, "The table")), _ending(tables, ".parquet")),
        Parser("cells", partial(_cells, manifest, files), _ending(tables, ".csv")),
    )


def _ending(files: Mapping[str, bytes], ending: str) -> tuple[bytes, ...]:
    return tuple(content for path, content in files.items() if path.endswith(ending))


def _frame(source: object) -> object:
    return frame_of(source.read(source.names), source.name)  # type: ignore[attr-defined]


def _statement(key: PrivateKey, payload: bytes) -> object:
    """Truly signed, whatever it says."""
    return verify_envelope(sign_payload(payload, key), "an envelope", APPROVAL)


def _events(content: bytes) -> object:
    """Every entry is given the hash of what it holds."""
    entries = entries_from_lines(content.decode("utf-8", "replace"), "events.jsonl")
    honest = []
    for entry in entries:
        fields = {**dataclasses.asdict(entry), "release_previous": honest[-1].hash if honest else entry.release_previous}
        fields.pop("hash")
        honest.append(dataclasses.replace(entry, release_previous=fields["release_previous"], hash=entry_hash(**fields)))
    check_own_chain(honest, honest[0].release)
    return [event_of(entry) for entry in honest]


def _claims(files: Mapping[str, bytes], content: bytes) -> object:
    """A manifest that says something else of the same tables."""
    return remeasure(read_manifest(content), {path: Stored(path, each) for path, each in files.items() if path != MANIFEST})


def _cells(manifest: Manifest, files: Mapping[str, bytes], content: bytes) -> object:
    """The first table's cells are others than the manifest says."""
    path = next(entry.path for entry in manifest.files if entry.path.endswith(".csv"))
    return remeasure(manifest, {each: Stored(each, content if each == path else stored) for each, stored in files.items()})
