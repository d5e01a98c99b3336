"""From the text of a YAML file to its plain content and the line of every key. What it says twice, by reference or unseen is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.parser import RoundTripParser

from headgate.core.errors import PolicyInvalid
from policies.words.fields import KeyPath, Problem, WrittenDecimal, WrittenInt
from policies.words.unseen import code_point, unseen_in

CURE = "docs/reference-policy.md describes every key; `headgate init TABLE` drafts a policy."
MORE = "The operator can allow more: limits.attributes in operator.yaml, or HEADGATE_MAX_ATTRIBUTES."
DEEPEST_POLICY = 30
LARGEST_WHOLE = 2**53 - 1  # what JSON, and so the policy's digest, holds exactly
LONGEST_FOUND = 60
TAG = "tag:yaml.org,2002:"
LAID_OUT = {"query": "\n\t", "separator": "".join(map(chr, range(32)))}  # by key: what its text may hold besides what is seen
NULLS = ("map",)  # keys below which a null that is written out means something: a missing cell
SEEN = "characters that people see; in a list of values that needs others, the path of a file of them"


class _NotPlain(Exception):
    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.what, self.line = what, line


class _PlainParser(RoundTripParser):  # type: ignore[misc]
    """A policy reads the same for everyone: no anchor or alias that repeats a part, no tag that changes what a value is. Each event is
    looked at before anything is made of it."""

    depth = documents = 0

    def get_event(self) -> Any:
        event = super().get_event()
        refused = ""
        self.depth += isinstance(event, MappingStartEvent | SequenceStartEvent) - isinstance(event, MappingEndEvent | SequenceEndEvent)
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None) is not None:
            refused = "an anchor or alias (& or *)"
        elif getattr(event, "ctag", None) is not None:
            refused = "a tag (!)"
        elif isinstance(event, DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                refused = "a second document"
            elif event.version is not None and tuple(event.version) != (1, 2):
                refused = "a directive for another version of YAML"
        if self.depth > DEEPEST_POLICY:
            refused = f"more than {DEEPEST_POLICY} levels"
        if refused:
            raise _NotPlain(refused, event.start_mark.line + 1)
        return event


@dataclass
class Written:
    """The plain content of a policy file and the line of every key."""

    content: dict[str, Any]
    cure: str
    lines: dict[KeyPath, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line(self, path: KeyPath) -> int:
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_written(text: str, filename: str, longest: int, cure: str) -> Written:
    if len(text) > longest:
        table = f"Move lists of values to files of their own. If this is a table, `headgate init` drafts a policy for it. {MORE}"
        raise PolicyInvalid(f"{filename}: found {len(text)} characters; accepted: at most {longest}.", table if cure == CURE else cure)
    if not text.strip():
        raise PolicyInvalid(f"{filename}, line 1: found an empty file; accepted: a mapping of keys to values.", cure)
    _refuse_unseen(text, filename, cure)
    yaml = YAML(typ="rt", pure=True)
    yaml.Parser = _PlainParser
    try:
        root = yaml.compose(text)
    except _NotPlain as found:
        plain = "plain YAML 1.2, everything written out where it stands"
        raise PolicyInvalid(f"{filename}, line {found.line}: found {found.what}; accepted: {plain}.", cure) from None
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        message = f"{filename}, line {line}: found text that is not YAML ({error.problem or 'it has no structure'}); accepted: YAML 1.2."
    except YAMLError:
        message = f"{filename}: found a character that YAML does not allow; accepted: YAML 1.2 in UTF-8."
    else:
        if not isinstance(root, MappingNode):
            raise PolicyInvalid(f"{filename}, line 1: found {_kind_of(root)}; accepted: a mapping of keys to values.", cure)
        written = Written({}, cure)
        written.content = _plain(root, (), written)
        return written
    raise PolicyInvalid(message, cure)


def _refuse_unseen(text: str, filename: str, cure: str) -> None:
    """Comments are read by people too. Characters written as escapes are found where they are read."""
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        sign = unseen_in(line, "\t")
        if sign:
            raise PolicyInvalid(f"{filename}, line {number}: found {code_point(sign)}, which is invisible; accepted: {SEEN}.", cure)


def _plain(node: Node, path: KeyPath, written: Written) -> Any:
    if isinstance(node, SequenceNode):
        for place, item in enumerate(node.value):
            written.lines[*path, place] = item.start_mark.line + 1
        return [_plain(item, (*path, place), written) for place, item in enumerate(node.value)]
    if isinstance(node, MappingNode):
        return _plain_mapping(node, path, written)
    return _scalar(node, path, written)


def _plain_mapping(node: MappingNode, path: KeyPath, written: Written) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, ScalarNode) or key.tag == TAG + "null" or _halved(str(key.value)):
            written.lines[*path, f"line {line}"] = line
            written.problems.append(Problem((*path, f"line {line}"), "a key that is not a word", "a word before the colon"))
            continue
        name = str(key.value)
        here = (*path, name)
        if sign := unseen_in(name):
            written.lines[here] = line
            written.problems.append(Problem(here, f"{code_point(sign)} in a key", SEEN))
            continue
        if name in plain:
            first = written.lines[here]
            written.lines[here] = line
            written.problems.append(Problem(here, f"'{name}' a second time (first on line {first})", "each key once"))
            continue
        written.lines[here] = line
        plain[name] = _plain(value, here, written)
        if plain[name] is None and not (path and path[-1] in NULLS and value.value):
            accepted = "a decimal with a point, such as 0.9" if name.isdigit() else "a value; leave the key out where none is meant"
            written.problems.append(Problem(here, "nothing after the colon", accepted))
    return plain


def _scalar(node: Node, path: KeyPath, written: Written) -> Any:
    """Numbers keep their spelling, dates stay text."""
    text, tag = str(node.value), str(node.tag).removeprefix(TAG)
    if _halved(text):
        written.problems.append(Problem(path, "an unpaired surrogate (an escape from D800 to DFFF)", "whole characters"))
        return ""
    if sign := unseen_in(text, LAID_OUT.get(str(path[-1]), "") if path else ""):
        written.problems.append(Problem(path, f"{code_point(sign)} in a text", SEEN))
        return ""
    if tag == "null":
        return None
    if tag == "bool":
        return text.lower() == "true"
    try:
        if tag == "int":
            number = WrittenInt(text)
            if abs(number) <= LARGEST_WHOLE:
                return number
            written.problems.append(Problem(path, found_words(text), f"a whole number up to {LARGEST_WHOLE}; quote it where text is meant"))
            return text
        if tag == "float" and not text.lower().lstrip("+-").startswith((".inf", ".nan")):
            return WrittenDecimal(text)
    except (ValueError, ArithmeticError):
        written.problems.append(Problem(path, f"'{text[:LONGEST_FOUND]}'", "a number; quote it where text is meant"))
        return text
    return text


def _halved(text: str) -> bool:
    """An unpaired surrogate is not a character, and no file can hold it."""
    return any("\ud800" <= sign <= "\udfff" for sign in text)


def found_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    text = getattr(value, "text", None) or (
        "true" if value is True else "false" if value is False else "null" if value is None else str(value)
    )
    return f"'{text}'" if len(text) <= LONGEST_FOUND else f"'{text[:LONGEST_FOUND]}…'"


def _kind_of(root: Node | None) -> str:
    return "nothing but comments" if root is None else "a list" if isinstance(root, SequenceNode) else "a single value"
