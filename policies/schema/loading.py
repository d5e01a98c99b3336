"""From the text of a policy file to a Policy, or to a message that says where it is wrong, what was found and what is accepted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from headgate.core.errors import PolicyInvalid
from policies.schema.policy import Policy
from policies.words.fields import KeyPath, Problem, Problems, Section, WrittenDecimal, WrittenInt, choices

MOST_ATTRIBUTES = 2_000
CHARACTERS = 125  # per attribute that is allowed: what parsing costs grows with both
MORE = "The operator can allow more: HEADGATE_MAX_ATTRIBUTES."
DEEPEST_POLICY = 30
LARGEST_WHOLE = 2**53 - 1  # what JSON, and so the policy's digest, holds exactly
MOST_PROBLEMS = 5
LONGEST_FOUND = 60
CURE = "docs/reference-policy.md describes every key; `headgate init TABLE` drafts a policy."
SHAPES = {
    "string_too_long": "at most {max_length} characters",
    "string_too_short": "at least {min_length} characters",
    "too_long": "at most {max_length} values",
    "too_short": "at least {min_length} values",
}
PATTERNS = {
    "dataset": "small letters, digits and '-', at most 63, such as patients-2024",
    "callable": "module:function",
    "url_env": "the name of an environment variable",
}
TAG = "tag:yaml.org,2002:"

S = TypeVar("S", bound=Section)


@dataclass
class _Written:
    """The plain content of a policy file and the line of every key."""

    content: dict[str, Any]
    lines: dict[KeyPath, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line(self, path: KeyPath) -> int:
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path, 1)


def parse_policy(text: str, filename: str, most_attributes: int = MOST_ATTRIBUTES) -> Policy:
    written = _read(text, filename, CHARACTERS * most_attributes)
    attributes = written.content.get("attributes")
    if isinstance(attributes, Mapping) and len(attributes) > most_attributes:
        raise PolicyInvalid(
            f"{filename}, line {written.line(('attributes',))}: found {len(attributes)} attributes; accepted: at most {most_attributes}.",
            f"Leave out columns that nobody needs. {MORE}",
        )
    return _validated(Policy, written, filename)


def parse_file(model: type[S], text: str, filename: str) -> S:
    """YAML 1.2, one document, one mapping; what it says twice or by reference (duplicate keys, anchors, tags) is refused."""
    return _validated(model, _read(text, filename, CHARACTERS * MOST_ATTRIBUTES), filename)


def _validated(model: type[S], written: _Written, filename: str) -> S:
    if written.problems:
        raise _invalid(filename, written, written.problems)
    try:
        return model.model_validate(written.content)
    except ValidationError as error:
        problems = list(_problems(error, written.content))
    raise _invalid(filename, written, problems)


def _read(text: str, filename: str, longest: int) -> _Written:
    if len(text) > longest:
        raise PolicyInvalid(
            f"{filename}: found {len(text)} characters; accepted: at most {longest}.",
            f"Move lists of values to files of their own. If this is a table, `headgate init` drafts a policy for it. {MORE}",
        )
    if not text.strip():
        raise PolicyInvalid(f"{filename}, line 1: found an empty file; accepted: a policy.", CURE)
    try:
        _refuse_references(YAML(typ="rt", pure=True).parse(text), filename)
        root = YAML(typ="rt", pure=True).compose(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        message = f"{filename}, line {line}: found text that is not YAML ({error.problem or 'it has no structure'}); accepted: YAML 1.2."
    except YAMLError:
        message = f"{filename}: found a character that YAML does not allow; accepted: YAML 1.2 in UTF-8."
    else:
        if not isinstance(root, MappingNode):
            raise PolicyInvalid(f"{filename}, line 1: found {_kind_of(root)}; accepted: a mapping of keys to values.", CURE)
        written = _Written({})
        written.content = _plain(root, (), written)
        return written
    raise PolicyInvalid(message, CURE)


def _refuse_references(events: Iterable[Event], filename: str) -> None:
    """A policy reads the same for everyone: no anchor or alias that repeats a part, no tag that changes what a value is."""
    depth = documents = 0
    for event in events:
        refused = ""
        depth += isinstance(event, MappingStartEvent | SequenceStartEvent) - isinstance(event, MappingEndEvent | SequenceEndEvent)
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None) is not None:
            refused = "an anchor or alias (& or *)"
        elif getattr(event, "ctag", None) is not None:
            refused = "a tag (!)"
        elif isinstance(event, DocumentStartEvent):
            documents += 1
            if documents > 1:
                refused = "a second document"
            elif event.version is not None and tuple(event.version) != (1, 2):
                refused = "a directive for another version of YAML"
        if depth > DEEPEST_POLICY:
            refused = f"more than {DEEPEST_POLICY} levels"
        if refused:
            line = event.start_mark.line + 1
            raise PolicyInvalid(
                f"{filename}, line {line}: found {refused}; accepted: plain YAML 1.2, everything written out where it stands.", CURE
            )


def _plain(node: Node, path: KeyPath, written: _Written) -> Any:
    if isinstance(node, SequenceNode):
        for place, item in enumerate(node.value):
            written.lines[*path, place] = item.start_mark.line + 1
        return [_plain(item, (*path, place), written) for place, item in enumerate(node.value)]
    if isinstance(node, MappingNode):
        return _plain_mapping(node, path, written)
    return _scalar(node, path, written)


def _plain_mapping(node: MappingNode, path: KeyPath, written: _Written) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, ScalarNode) or key.tag == TAG + "null" or _halved(str(key.value)):
            written.lines[*path, f"line {line}"] = line
            written.problems.append(Problem((*path, f"line {line}"), "a key that is not a word", "a word before the colon"))
            continue
        name = str(key.value)
        here = (*path, name)
        if name in plain:
            first = written.lines[here]
            written.lines[here] = line
            written.problems.append(Problem(here, f"'{name}' a second time (first on line {first})", "each key once"))
            continue
        written.lines[here] = line
        plain[name] = _plain(value, here, written)
        if plain[name] is None:
            accepted = "a decimal with a point, such as 0.9" if name.isdigit() else "a value; leave the key out where none is meant"
            written.problems.append(Problem(here, "nothing after the colon", accepted))
    return plain


def _scalar(node: Node, path: KeyPath, written: _Written) -> Any:
    """Numbers keep their spelling, dates stay text."""
    text, tag = str(node.value), str(node.tag).removeprefix(TAG)
    if _halved(text):
        written.problems.append(Problem(path, "an unpaired surrogate (an escape from D800 to DFFF)", "whole characters"))
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
            written.problems.append(Problem(path, _found(text), f"a whole number up to {LARGEST_WHOLE}; quote it where text is meant"))
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


def _problems(error: ValidationError, content: Mapping[str, Any]) -> Iterator[Problem]:
    for item in error.errors(include_url=False):
        path = _key_path(item["loc"], content)
        cause = (item.get("ctx") or {}).get("error")
        if isinstance(cause, Problems):
            yield from (problem.below(*path) for problem in cause.problems)
            continue
        found = _found(item["input"])
        accepted = item["msg"].removeprefix("Input should be ").removeprefix("Value should be ")
        if item["type"] == "missing" and isinstance(item["loc"][-1], int):
            accepted = f"a list with {item['loc'][-1] + 1} values at least"
        elif item["type"] == "missing":
            found, accepted = "nothing", f"the key '{item['loc'][-1]}', which is required"
        elif item["type"] in ("enum", "literal_error") and isinstance(item["input"], str):
            words = [word.strip().strip("'") for word in item["ctx"]["expected"].replace(" or ", ", ").split(",")]
            accepted = choices(words, item["input"])
        elif item["type"] in ("union_tag_invalid", "union_tag_not_found"):
            path, found, accepted = _wrong_tag(path, item)
        elif item["type"] in SHAPES:
            accepted = SHAPES[item["type"]].format(**item["ctx"]).replace(" 1 characters", " 1 character")
        elif item["type"] == "string_pattern_mismatch":
            accepted = PATTERNS.get(str(path[-1]), accepted)
        yield Problem(path, found, _accepted_words(accepted))


def _wrong_tag(path: KeyPath, item: Any) -> tuple[KeyPath, str, str]:
    """A section whose `kind` decides its keys, and has none or an unknown one."""
    context = item["ctx"]
    key = str(context["discriminator"]).strip("'")
    if "tag" not in context:
        return path, f"no '{key}'" if isinstance(item["input"], Mapping) else _found(item["input"]), f"a mapping with the key '{key}'"
    words = [word.strip().strip("'") for word in context["expected_tags"].split(",")]
    return (*path, key), f"'{context['tag']}'", choices(words, str(context["tag"]))


def _accepted_words(accepted: str) -> str:
    plain = {
        "a valid dictionary or object to extract fields from": "a mapping of keys to values",
        "a valid dictionary": "a mapping of keys to values",
        "a valid dictionary or instance": "a mapping of keys to values",
        "a valid tuple": "a list",
        "a valid integer": "a whole number",
        "a valid string": "text (put a number in quotes)",
        "a valid boolean": "true or false",
        "a dictionary or an instance": "a mapping of keys to values",
    }
    return next((words for start, words in plain.items() if accepted == start or accepted.startswith((start + " ", start + ","))), accepted)


def _key_path(loc: Iterable[str | int], content: Any) -> KeyPath:
    """The place in the file of a place in the model: names of union members are not keys."""
    path: list[str | int] = []
    for step in loc:
        if isinstance(content, Mapping) and step in content:
            content = content[str(step)]
        elif isinstance(content, list) and isinstance(step, int) and step < len(content):
            content = content[step]
        else:
            continue
        path.append(step)
    return tuple(path)


def _found(value: Any) -> str:
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


def _invalid(filename: str, written: _Written, problems: Iterable[Problem]) -> PolicyInvalid:
    lines = []
    for problem in sorted(dict.fromkeys(problems), key=lambda entry: (written.line(entry.path), entry.path and str(entry.path[-1]))):
        place = ".".join(str(step) for step in problem.path) or "the file"
        line = f"{filename}, line {written.line(problem.path)}, {place}: found {problem.found}; accepted: {problem.accepted}."
        lines.append("".join(sign if sign.isprintable() else "�" for sign in line))
    more = len(lines) - MOST_PROBLEMS
    shown = lines[:MOST_PROBLEMS] + ([f"… and {more} more."] if more > 0 else [])
    return PolicyInvalid("\n".join(shown), CURE)
