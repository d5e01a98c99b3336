"""`python -m tools.catalogues`: adds to each catalogue the sentences that it lacks, with an empty translation, and takes out those that
nobody says any more. `--check` changes nothing, and fails where something is missing, left over, or has other placeholders.

Said is what stands as a literal in `gettext`, `ngettext`, `_` and `{% trans %}` of a template, in `.say`, `.count`, `.gettext`, `.ngettext`
and `message` of a module, and in what a package says for others (`SAID_ELSEWHERE`).
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from policies.gates.every_gate import GATES
from policies.schema.about import TITLES
from policies.sealed.promise import NOBODY_CHECKED
from tasks.reporting.candidate_page.regulators import regulators
from tasks.reporting.language import LANGUAGES, PLACEHOLDER, Entry, read_catalogue

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("tasks/reporting", "console")
SAYING = {"say": 1, "gettext": 1, "message": 1, "count": 2, "ngettext": 2}  # and how many of the first arguments are said
NUMBERS = {"number", "count", "num"}  # placeholders that a form for one thing may say in a word
OTHER_LANGUAGES = tuple(code for code in LANGUAGES if code != "en")
HEAD = r"""msgid ""
msgstr ""
"Language: {}\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"
"""


def of_pages() -> Iterator[str]:
    """What gates say of themselves, what a policy says of itself, and what regulators' texts say: the page shows it."""
    yield NOBODY_CHECKED
    yield from TITLES.values()
    for clause in (clause for text in regulators().texts for clause in text.clauses):
        yield from (said.replace("%", "%%") for said in (clause.term, clause.words, clause.note) if said)
    for gate in GATES:
        yield gate.meaning
        yield from gate.plain.values()
        yield from filter(None, [gate.plain_of_one])
        for figure in gate.figures:
            yield from (text for text in (figure.title, figure.meaning) if text)


SAID_ELSEWHERE: dict[str, Callable[[], Iterable[str]]] = {"tasks/reporting": of_pages}


def said_in(package: str) -> dict[str, Entry]:
    """Every message of a package, in the order of its files."""
    folder = ROOT / package
    entries: dict[str, Entry] = {}
    for path in sorted(folder.rglob("*.py")):
        entries |= {entry.message: entry for entry in _of_module(path.read_text(encoding="utf-8"))}
    for path in sorted(folder.rglob("*.j2")):
        entries |= {entry.message: entry for entry in _of_template(path.read_text(encoding="utf-8"))}
    return entries | {text: Entry(text) for text in SAID_ELSEWHERE.get(package, tuple)()}


def _of_module(source: str) -> Iterator[Entry]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
        texts = [argument.value for argument in node.args[: SAYING.get(name, 0)] if isinstance(argument, ast.Constant)]
        if texts and len(texts) == SAYING[name] and all(isinstance(text, str) for text in texts):
            yield _entry_of([str(text) for text in texts])


def _of_template(source: str) -> Iterator[Entry]:
    from jinja2 import Environment
    from jinja2.ext import InternationalizationExtension, extract_from_ast

    environment = Environment(extensions=[InternationalizationExtension], trim_blocks=True, lstrip_blocks=True)
    environment.policies["ext.i18n.trimmed"] = True
    for _, _, said in extract_from_ast(environment.parse(source), ("_", "gettext", "ngettext")):
        texts = [text for text in (said if isinstance(said, tuple) else (said,)) if isinstance(text, str)]
        if texts:
            yield _entry_of(texts)


def _entry_of(texts: list[str]) -> Entry:
    return Entry(texts[0], texts[1] if len(texts) > 1 else "")


def problems_of(package: str, code: str) -> list[str]:
    """What is missing in a catalogue, left over in it, or has other placeholders than the English sentence."""
    wanted, there = said_in(package), catalogue_of(package, code)
    problems = [f"missing: {message}" for message in wanted if not there.get(message, Entry("")).forms or not all(there[message].forms)]
    problems += [f"left over: {message}" for message, entry in there.items() if message not in wanted]
    for message, entry in there.items():
        english = (message, entry.plural)
        allowed = placeholders(message) | placeholders(entry.plural)
        forms = 2 if wanted.get(message, entry).plural else 1
        if len(entry.forms) != forms:
            problems.append(f"{forms} forms expected: {message}")
        for own, form in zip(english, entry.forms, strict=False):  # each form needs what its English one has, but the number
            if form and (placeholders(form) - allowed or placeholders(own) - NUMBERS - placeholders(form)):
                problems.append(f"other placeholders: {message}")
        # A sentence with no value in it is shown as it stands: "%%" there would be two signs.
        if any(re.search(r"%(?!\(|%)", form.replace("%%", "")) for form in (message, *entry.forms)):
            problems.append(f"a single per cent sign: {message}")
    return problems


def placeholders(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


def catalogue_of(package: str, code: str) -> dict[str, Entry]:
    path = ROOT / package / "catalogues" / f"{code}.po"
    return {entry.message: entry for entry in read_catalogue(path.read_text(encoding="utf-8"))} if path.is_file() else {}


def catalogue_text(package: str, code: str) -> str:
    """The whole file, in the order in which things are said."""
    there, parts = catalogue_of(package, code), [HEAD.format(code)]
    for message, entry in said_in(package).items():
        old = there.get(message, Entry("")).forms
        lines = [f"msgid {_quoted(message)}"]
        if entry.plural:
            forms = old if len(old) == 2 else ("", "")
            lines += [f"msgid_plural {_quoted(entry.plural)}", *(f"msgstr[{n}] {_quoted(form)}" for n, form in enumerate(forms))]
        else:
            lines.append(f"msgstr {_quoted(old[0] if len(old) == 1 else '')}")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def main(arguments: list[str]) -> int:
    """0 where every catalogue is whole."""
    speaking = [package for package in PACKAGES if (ROOT / package).is_dir()]
    pairs = [(package, code) for package in speaking for code in OTHER_LANGUAGES]
    if "--check" not in arguments:
        for package, code in pairs:
            path = ROOT / package / "catalogues" / f"{code}.po"
            path.parent.mkdir(exist_ok=True)
            path.write_text(catalogue_text(package, code), encoding="utf-8")
    problems = [f"{package} {code}: {problem}" for package, code in pairs for problem in problems_of(package, code)]
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
