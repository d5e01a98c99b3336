"""The policy file together with every file it refers to: read once, hashed, and parsed.

Paths are relative to the policy file. What is hashed is what was parsed, so that a policy's digest says which hierarchy, code
list, dictionary, suite and signers it was judged by. The source is data, not policy: `tasks.reading.ingest` reads it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from headgate.core.columns import Role
from headgate.core.errors import CellsRejected, HeadgateError, InputRejected, PolicyInvalid
from headgate.core.hierarchy import Hierarchy
from headgate.core.units import counted
from policies.attackers.sensitivity_key import PeopleKey
from policies.schema.attribute import ValuesFrom
from policies.schema.digest import digested_form, policy_digest
from policies.schema.intake_keys import RegionKey
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy, files_of
from tasks.reading.arrow_frame import texts_of, trimmed_texts
from tasks.reading.open_source import open_file
from tasks.reading.registers import RegisterTexts, read_register
from tasks.reading.source import Source, read_bytes, require_columns
from tasks.runtime.input_limits import ATTRIBUTES, LIST_BYTES, SET_VALUES

CODE_HEADERS = ("value", "values", "code", "codes", "key", "id", "name", "label", "description", "term")
COLUMN_MARKS = {";": "a semicolon", "\t": "a tab", ",": "a comma"}
TABLES = (".csv", ".gz", ".parquet", ".pq", ".xlsx", ".sav", ".dta")  # endings of files that hold data
HierarchyRows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class WeightsFile:
    """What people themselves want weighed, as its bytes: unlike an opened table it can be sent to where the source is read."""

    key: PeopleKey
    content: bytes = field(repr=False)

    def opened(self) -> Source:
        path = self.key.path
        return open_file(self.content, path, f"The table of weights {path}", self.key.separator, self.key.encoding)


@dataclass(frozen=True, eq=False)
class References:
    """The referenced files, parsed; hierarchies and code lists by attribute."""

    hierarchies: Mapping[str, HierarchyRows] = field(default_factory=dict)
    codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    regions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by attribute: what each key of its table belongs to
    dictionaries: Mapping[str, RegisterTexts] = field(default_factory=dict)  # by name; not those that a query gives
    people: WeightsFile | None = None
    signers: str | None = None
    suite: str | None = None


@dataclass(frozen=True, eq=False)
class LoadedPolicy:
    """`file_digests` maps each path, as the policy writes it, to the SHA-256 of the file's bytes. `content`: the policy file's
    own bytes."""

    policy: Policy
    path: Path
    file_digests: Mapping[str, str]
    digest: str
    references: References
    content: bytes = field(default=b"", repr=False)

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def digested(self) -> bytes:
        """The bytes whose SHA-256 is the digest."""
        return digested_form(self.policy, self.file_digests)


def load_policy(path: Path | str) -> LoadedPolicy:
    """Reads, checks and digests the policy. Every problem names the file, and the line or key where there is one."""
    path = Path(path).expanduser().absolute()
    content = _policy_bytes(path)
    policy = _parsed(path, content)
    contents = {named: read_bytes(path.parent / named, f"The file of {_key(place)},") for place, named in files_of(policy).items()}
    digests = {named: hashlib.sha256(content).hexdigest() for named, content in contents.items()}
    return LoadedPolicy(policy, path, digests, policy_digest(policy, digests), _parse(policy, contents), content)


def read_policy(path: Path) -> Policy:
    """The policy alone, without the files that it names."""
    return _parsed(path, _policy_bytes(path))


def _parsed(path: Path, content: bytes) -> Policy:
    if path.suffix.lower() in TABLES:
        raise PolicyInvalid(f"{path.name} is a table, not a policy.", f"`headgate init {path.name}` drafts a policy for it.")
    return parse_policy(_text(content, f"The policy {path.name}"), path.name, ATTRIBUTES.most)


def _policy_bytes(path: Path) -> bytes:
    try:
        return read_bytes(path, "The policy", LIST_BYTES)
    except InputRejected as refusal:
        problem = PolicyInvalid(refusal.message, "Correct the path; `headgate init TABLE` drafts a policy.")
    raise problem


def _key(place: Sequence[str | int]) -> str:
    return ".".join(str(step) for step in place)


def _text(content: bytes, what: str) -> str:
    LIST_BYTES.check(len(content), what)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content[: problem.start].count(b"\n") + 1
    raise InputRejected(f"{what} is not UTF-8: line {line} cannot be decoded.", "Save it as UTF-8.")


def _parse(policy: Policy, contents: Mapping[str, bytes]) -> References:
    hierarchies: dict[str, HierarchyRows] = {}
    codes: dict[str, tuple[str, ...]] = {}
    regions: dict[str, Mapping[str, str]] = {}
    for name, attribute in policy.attributes.items():
        if isinstance(attribute.hierarchy, str):
            hierarchies[name] = read_hierarchy(contents[attribute.hierarchy], attribute.hierarchy, name)
        if isinstance(attribute.values, str):
            codes[name] = read_codes(contents[attribute.values], attribute.values, name)
        if isinstance(attribute.values_from, ValuesFrom):
            codes[name] = read_key_values(contents[attribute.values_from.path], attribute.values_from)
        if attribute.region is not None:
            regions[name] = read_regions(contents[attribute.region.path], attribute.region)
    of_sets = sum(len(codes.get(name, policy.attributes[name].values or ())) for name in policy.sets)
    SET_VALUES.check(of_sets, "The list of all values of the policy's sensitive sets")
    signers, suite = policy.approval.signers, policy.expect.suite
    attackers = policy.gates.attackers
    files = [(given, given.file[1]) for given in (attackers.dictionaries if attackers else ()) if given.file is not None]
    identifiers = policy.named(Role.IDENTIFIER)
    people = attackers.sensitivity.people if attackers and attackers.sensitivity else None
    weights = None if people is None else WeightsFile(people, contents[people.path])
    if weights is not None:
        weights.opened()  # what cannot be read is refused before any work
    return References(
        hierarchies,
        codes,
        regions,
        {
            given.called: read_register(
                given, open_file(contents[path], path, f"The dictionary {path}", given.separator, given.encoding), identifiers
            )
            for given, path in files
        },
        weights,
        None if signers is None else _text(contents[signers], f"The signers file {signers}"),
        None if suite is None else _text(contents[suite], f"The suite {suite}"),
    )


def read_hierarchy(content: bytes, path: str, attribute: str) -> HierarchyRows:
    """leaf;…;root, one leaf per line, no header. Blank lines mean nothing. Refuses what is not a tree."""
    text = _text(content, f"The hierarchy {path}")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";")
    numbered = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    lines, rows = [line for line, _ in numbered], [row for _, row in numbered]
    if rows and len(rows[0]) == 1 and any(mark in rows[0][0] for mark in ",\t"):
        raise InputRejected(f"The hierarchy {path} has one column in line {lines[0]} when split at ';'.", "Separate its levels by ';'.")
    try:
        return tuple(tuple(row) for row in Hierarchy.from_rows(rows, attribute, lines).labels.tolist())
    except HeadgateError as refusal:
        problem = InputRejected(f"{path}: {refusal.message}", refusal.cure)
    raise problem


def read_codes(content: bytes, path: str, attribute: str) -> tuple[str, ...]:
    """One value per line, the whole line, in quotation marks or not. A header would become a value that is published, so a table is
    refused."""
    lines = [line.strip() for line in _text(content, f"The code list {path}").splitlines() if line.strip()]
    if lines:
        first = re.split(r"[,;\t]", lines[0])[0].strip().strip('"').lower()
        if first in (*CODE_HEADERS, attribute.lower()):
            raise InputRejected(f"The code list {path} begins with a header.", f"Remove line 1, or {_named_column(path)}")
    for mark, word in COLUMN_MARKS.items():
        parted = sum(len(row) > 1 for row in csv.reader(lines, delimiter=mark))
        if 2 * parted > len(lines):
            raise InputRejected(
                f"The code list {path} has {word} in {parted} of its {counted(len(lines), 'line')}, so it seems to be a table.",
                f"If each line is one value, put it in quotation marks; else {_named_column(path)}",
            )
    return _distinct([_unquoted(line) for line in lines], path)


def _named_column(path: str) -> str:
    return f"name the column that holds the values: values_from: {{path: {path}, key: COLUMN}}."


def _unquoted(line: str) -> str:
    quoted = len(line) > 1 and line[0] == line[-1] == '"'
    return line[1:-1].replace('""', '"').strip() if quoted else line


def _distinct(values: Sequence[str], path: str) -> tuple[str, ...]:
    if not values:
        raise InputRejected(f"The code list {path} has no values.", "Write one value per line.")
    blank, twice = sum(value == "" for value in values), len(values) - len(set(values))
    if blank or twice:
        raise InputRejected(f"The code list {path} has {blank} blank and {twice} repeated values.", "Keep each value once.")
    return tuple(values)


def read_key_values(content: bytes, given: ValuesFrom) -> tuple[str, ...]:
    """The distinct present values of one column, sorted."""
    source = open_file(content, given.path, f"The table {given.path}", given.separator, given.encoding)
    require_columns(source, (given.key,))
    texts = texts_of(source.read([given.key]).column(given.key), given.key, source.name)
    values = sorted({text.strip() for text in texts.to_pylist() if text is not None and text.strip()})
    return _distinct(values, given.path)


def read_regions(content: bytes, given: RegionKey) -> Mapping[str, str]:
    """What each key belongs to. A key that belongs to two regions belongs to none that anybody can name."""
    source = open_file(content, given.path, f"The table {given.path}", given.separator, given.encoding)
    require_columns(source, (given.key, given.value))
    table = source.read(list(dict.fromkeys((given.key, given.value))))
    keys, values = (trimmed_texts(table.column(name), name, source.name).to_pylist() for name in (given.key, given.value))
    regions: dict[str, str] = {}
    blank = [row for row, (key, value) in enumerate(zip(keys, values, strict=True)) if key is None or value is None]
    twice = [
        row
        for row, (key, value) in enumerate(zip(keys, values, strict=True))
        if key is not None and value is not None and regions.setdefault(key, value) != value
    ]
    for rows, what, cure in (
        (blank, "no '{key}' or no '{value}'", "Complete or remove them."),
        (twice, "another '{value}' for a '{key}' of a line above", "Give each key one value."),
    ):
        if rows:
            has = f"{counted(len(rows), 'row')} {'has' if len(rows) == 1 else 'have'} {what.format(key=given.key, value=given.value)}"
            refusal = CellsRejected(given.key, ("", ""), cure, rows, (), sentence=f"{source.name}: {has}")
            raise source.located(refusal).without_cells()
    return regions
