"""The lines of an OpenSSH allowed_signers file, read more strictly than `ssh-keygen -Y verify` reads them.

Nothing is accepted here that OpenSSH refuses. The rules that are stricter: every line names one person and one key, since an approval
counts for exactly one person; one spelling per person; no patterns, no certificate authorities; times end in Z, so that a file means the
same everywhere; no control characters and no line ends but LF and CRLF, so that everybody sees the lines that headgate reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from headgate.core.errors import InputRejected
from tasks.signing.public_keys import KINDS, PublicKey, public_key

NAMESPACE = "headgate"
PRINCIPAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,126}")
OPTION = re.compile(r'([A-Za-z-]+)="([^"\\]*)"')
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
LAYOUTS = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
EXAMPLE = 'Write one line per key: alice namespaces="headgate" ssh-ed25519 AAAA….'


@dataclass(frozen=True)
class SignerEntry:
    """One line of the file: during this time, this key signs for this principal."""

    principal: str
    key: PublicKey
    valid_after: datetime | None = None
    valid_before: datetime | None = None
    namespaces: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        return self.key.fingerprint

    def valid_at(self, moment: datetime) -> bool:
        """From valid-after on, and up to but not at valid-before."""
        return (self.valid_after is None or moment >= self.valid_after) and (self.valid_before is None or moment < self.valid_before)

    @property
    def for_headgate(self) -> bool:
        """Without `namespaces` a key may sign anything; with them, `headgate` must be among them and not excluded."""
        if not self.namespaces:
            return True
        matching = [pattern for pattern in self.namespaces if _matches(pattern.removeprefix("!"), NAMESPACE)]
        return bool(matching) and not any(pattern.startswith("!") for pattern in matching)


def lines_of(text: str, file: str) -> Iterator[tuple[str, str]]:
    """Each line that says something, with its place for messages. Lines end at LF or CRLF and hold nothing that cannot be seen."""
    for number, whole in enumerate(text.removesuffix("\n").split("\n"), 1):
        line, place = whole.removesuffix("\r"), f"{file}, line {number}"
        if UNSEEN.search(line):
            raise InputRejected(f"{place} holds a character that cannot be seen.", "Write the line anew in a plain text editor.")
        line = line.strip(" \t")
        if line and not line.startswith("#"):
            yield place, line


def signers_from_text(text: str, file: str = "signers") -> tuple[SignerEntry, ...]:
    """Every line of the file. If a line is not understood, the whole file is refused."""
    entries: list[SignerEntry] = []
    owners: dict[str, str] = {}
    spellings: dict[str, str] = {}
    for place, line in lines_of(text, file):
        entry = _entry(line, place)
        if owners.setdefault(entry.fingerprint, entry.principal) != entry.principal:
            raise InputRejected(f"{place}: this key already belongs to another principal.", "Give every person their own key.")
        if spellings.setdefault(entry.principal.casefold(), entry.principal) != entry.principal:
            raise InputRejected(f"{place}: this principal is spelt in two ways.", "Write a person's name the same way everywhere.")
        if any(entry.fingerprint == other.fingerprint for other in entries):
            raise InputRejected(f"{place}: this key is listed twice.", "Keep one line per key.")
        entries.append(entry)
    return tuple(entries)


def _entry(line: str, place: str) -> SignerEntry:
    words = _words(line, place)
    if words[0] in KINDS:
        raise InputRejected(f"{place} names nobody.", "Put the person's name before the key.")
    if len(words) < 3:
        raise InputRejected(f"{place} is not complete.", EXAMPLE)
    principal, *rest = words
    if not PRINCIPAL.fullmatch(principal):
        raise InputRejected(f"{place}: the principal is a pattern, a list or has unsafe characters.", "Name one person per line.")
    options = {} if rest[0] in KINDS or ("=" not in rest[0] and "-authority" not in rest[0]) else _options(rest.pop(0), place)
    if rest and "=" in rest[0]:
        raise InputRejected(f"{place} has a blank between its options.", "Separate options by commas, without blanks.")
    if len(rest) < 2:
        raise InputRejected(f"{place} has no public key.", EXAMPLE)
    return _described(SignerEntry(principal, public_key(rest[0], rest[1], place)), options, place)


def _described(entry: SignerEntry, options: dict[str, str], place: str) -> SignerEntry:
    """From when on and up to when the key counts, and for which namespaces."""
    after = _moment(options["valid-after"], place) if "valid-after" in options else None
    before = _moment(options["valid-before"], place) if "valid-before" in options else None
    if after and before and after >= before:
        raise InputRejected(f"{place}: the key stops being valid before it begins.", "Exchange valid-after and valid-before.")
    namespaces = tuple(options["namespaces"].split(",")) if "namespaces" in options else ()
    if "namespaces" in options and not all(pattern.removeprefix("!") for pattern in namespaces):
        raise InputRejected(f"{place} has an empty namespace.", EXAMPLE)
    return SignerEntry(entry.principal, entry.key, after, before, namespaces)


def _words(line: str, place: str) -> list[str]:
    """Split at blanks and tabs outside double quotes; the quotes stay."""
    if line.count('"') % 2:
        raise InputRejected(f"{place} has a quote that is not closed.", EXAMPLE)
    return re.findall(r'(?:[^ \t"]|"[^"]*")+', line)


def _options(text: str, place: str) -> dict[str, str]:
    """As OpenSSH writes them: names in any case, values in double quotes, separated by commas."""
    given: dict[str, str] = {}
    for part in _separated(text, place):
        name = part.partition("=")[0].lower()
        if name == "cert-authority":
            raise InputRejected(f"{place}: certificate authorities are not accepted.", "List every person's own key.")
        if name not in ("namespaces", "valid-after", "valid-before"):
            shown = name[:40] if name.isascii() else "that is used"
            raise InputRejected(f"{place}: option {shown} is not understood.", "Use namespaces, valid-after and valid-before.")
        quoted = OPTION.fullmatch(part)
        if quoted is None:
            raise InputRejected(f"{place}: the value of {name} is not in double quotes.", f'Write {name}="…".')
        if name in given:
            raise InputRejected(f"{place} gives the option {name} twice.", "Keep one of them.")
        given[name] = quoted[2]
    return given


def _separated(text: str, place: str) -> Sequence[str]:
    parts: list[str] = re.findall(r'(?:[^,"]|"[^"]*")+', text)
    if ",".join(parts) != text:
        raise InputRejected(f"{place} has an empty option.", EXAMPLE)
    return parts


def _moment(text: str, place: str) -> datetime:
    digits, layout = text[:-1], LAYOUTS.get(len(text) - 1)
    try:
        if layout is None or text[-1] != "Z" or not re.fullmatch("[0-9]+", digits):
            raise ValueError
        return datetime.strptime(digits, layout).replace(tzinfo=UTC)
    except ValueError:
        raise InputRejected(f"{place}: the time cannot be read.", "Write YYYYMMDDZ or YYYYMMDDHHMMSSZ, in UTC.") from None


def _matches(pattern: str, text: str) -> bool:
    wild = "".join(".*" if sign == "*" else "." if sign == "?" else re.escape(sign) for sign in pattern)
    return re.fullmatch(wild, text) is not None
