"""From the text of a policy file to a Policy, or to a message that says where it is wrong, what was found and what is accepted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from headgate.core.errors import PolicyInvalid
from policies.schema.policy import Policy
from policies.schema.written_file import CURE, MORE, Written, found_words, read_written
from policies.words.fields import KeyPath, Problem, Problems, Section, choices

MOST_ATTRIBUTES = 2_000
CHARACTERS = 125  # per attribute that is allowed: what parsing costs grows with both
MOST_PROBLEMS = 5
FEWEST_KEYS = 3  # of a policy's own, without which a file with other keys is taken for something else
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

S = TypeVar("S", bound=Section)


def parse_policy(text: str, filename: str, most_attributes: int = MOST_ATTRIBUTES) -> Policy:
    written = read_written(text, filename, CHARACTERS * most_attributes, CURE)
    _refuse_foreign(written, filename)
    attributes = written.content.get("attributes")
    if isinstance(attributes, Mapping) and len(attributes) > most_attributes:
        raise PolicyInvalid(
            f"{filename}, line {written.line(('attributes',))}: found {len(attributes)} attributes; accepted: at most {most_attributes}.",
            f"Leave out columns that nobody needs. {MORE}",
        )
    return _validated(Policy, written, filename)


def parse_file(model: type[S], text: str, filename: str, cure: str) -> S:
    """YAML 1.2, one document, one mapping; what it says twice or by reference (duplicate keys, anchors, tags) is refused. `cure`: where its
    keys are described."""
    return _validated(model, read_written(text, filename, CHARACTERS * MOST_ATTRIBUTES, cure), filename)


def _refuse_foreign(written: Written, filename: str) -> None:
    """The keys of a file that is no policy may be data: how many there are is told, and where, but not what they say."""
    names = {field.alias or name for name, field in Policy.model_fields.items()}
    foreign = sorted(written.line((key,)) for key in written.content if key not in names)
    if foreign and len(names & written.content.keys()) < FEWEST_KEYS:
        where = f"line {foreign[0]}" if foreign[0] == foreign[-1] else f"lines {foreign[0]} to {foreign[-1]}"
        what = "1 key that no policy has" if len(foreign) == 1 else f"{len(foreign)} keys that no policy has"
        raise PolicyInvalid(f"{filename}, {where}: found {what}; accepted: a policy.", CURE)


def _validated(model: type[S], written: Written, filename: str) -> S:
    if written.problems:
        raise _invalid(filename, written, written.problems)
    try:
        return model.model_validate(written.content)
    except ValidationError as error:
        problems = list(_problems(error, written.content))
    raise _invalid(filename, written, problems)


def _problems(error: ValidationError, content: Mapping[str, Any]) -> Iterator[Problem]:
    for item in error.errors(include_url=False):
        path = _key_path(item["loc"], content)
        cause = (item.get("ctx") or {}).get("error")
        if isinstance(cause, Problems):
            yield from (problem.below(*path) for problem in cause.problems)
            continue
        found = found_words(item["input"])
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
        return path, f"no '{key}'" if isinstance(item["input"], Mapping) else found_words(item["input"]), f"a mapping with the key '{key}'"
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


def _invalid(filename: str, written: Written, problems: Iterable[Problem]) -> PolicyInvalid:
    lines = []
    for problem in sorted(dict.fromkeys(problems), key=lambda entry: (written.line(entry.path), entry.path and str(entry.path[-1]))):
        place = ".".join(str(step) for step in problem.path) or "the file"
        line = f"{filename}, line {written.line(problem.path)}, {place}: found {problem.found}; accepted: {problem.accepted}."
        lines.append("".join(sign if sign.isprintable() else "�" for sign in line))
    more = len(lines) - MOST_PROBLEMS
    shown = lines[:MOST_PROBLEMS] + ([f"… and {more} more."] if more > 0 else [])
    return PolicyInvalid("\n".join(shown), written.cure)
