"""The reader's language: sentences from catalogues, and numbers as people write them.

English is what stands in the code and in the templates, so it has no catalogue. Each package that speaks has one gettext file for each
other language, `catalogues/LANGUAGE.po` beside its modules, which any tool for translators edits. It is read when it is first needed:
nothing is compiled. `python -m tools.catalogues` adds to it what is said and not yet translated.

Sentences that other rooms finish (of gates, attacks and series, with figures in them) are in `LANGUAGE.sentences.po`, by their form:
`Language.reword` finds it. What has no translation is shown in English.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources

from headgate.core.errors import Defect

LANGUAGES = {"en": "English", "de": "Deutsch"}
PACKAGE = "tasks.reporting"
SIGNS = {"en": (",", "."), "de": (".", ",")}  # between thousands, and before decimals
DIGITS = 3  # that people take in
LONGEST = 2000  # of a sentence: names may make it long, and a hostile one would be matched for minutes
PLACEHOLDER = re.compile(r"%\((\w+)\)s")
NUMBERS = re.compile(r"-?[\d,]+(\.\d+)?( %)?")
SENTENCES = re.compile(r"(?<=[.!”]) (?=[A-ZΑ-Ω'“`])")  # between two of them
LINE = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d\])?)?\s*(".*")')


@dataclass(frozen=True)
class Entry:
    """One message of a catalogue. `plural` is empty where there is one form; `forms` are the translations."""

    message: str
    plural: str = ""
    forms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Language:
    """`sentences`: those that other rooms finish, known by their form."""

    code: str
    entries: Mapping[str, Entry] = field(default_factory=dict, repr=False)
    sentences: Mapping[str, Entry] = field(default_factory=dict, repr=False)

    def gettext(self, message: str) -> str:
        """As it stands, with its placeholders."""
        entry = self.entries.get(message)
        return entry.forms[0] if entry is not None and entry.forms and entry.forms[0] else message

    def ngettext(self, one: str, several: str, number: float) -> str:
        """The languages that are shipped have a form for 1 and a form for all else."""
        entry = self.entries.get(one)
        forms = entry.forms if entry is not None and len(entry.forms) == 2 and all(entry.forms) else (one, several)
        return forms[0] if number == 1 else forms[1]

    def say(self, message: str, **values: object) -> str:
        """A sentence with its values: placeholders are written %(name)s, a per cent sign %%."""
        return self.gettext(message) % values

    def count(self, one: str, several: str, number: float, **values: object) -> str:
        """The same about a number of things: %(number)s."""
        return self.ngettext(one, several, number) % {"number": self.number(number), **values}

    def reword(self, text: str) -> str:
        """Finished sentences from elsewhere: what stands in their places is kept, and the rest is said in this language. One that is not
        known stays as it is."""
        if self.code == "en":
            return text
        parts = SENTENCES.split(text)
        told = [self._reworded(part) for part in parts]
        whole = None if len(parts) > 1 and None not in told else self._reworded(text)
        return " ".join(new or part for new, part in zip(told, parts, strict=True)) if whole is None else whole

    def knows(self, text: str) -> bool:
        """Whether it reads as this language when it is reworded."""
        known = (self._reworded(part) is not None for part in SENTENCES.split(text))
        return self.code == "en" or all(known) or self._reworded(text) is not None

    def _reworded(self, sentence: str) -> str | None:
        """None where it is not known."""
        for entries in (self.sentences, self.entries):
            known = entries.get(sentence) or entries.get(sentence.replace("%", "%%"))
            if known is not None and known.forms and known.forms[0]:
                return known.forms[0].replace("%%", "%")
        for pattern, entry in self._patterns if len(sentence) <= LONGEST else ():
            match = pattern.fullmatch(sentence)
            if match is None:
                continue
            values = {name: self._placed(name, value) for name, value in match.groupdict().items()}
            if None not in values.values():
                return entry.forms[0] % values
        return None

    def _placed(self, name: str, value: str) -> str | None:
        """What stands at a place, by how its name begins: `said` is a part of a sentence, `list` several of them, `names` are names of
        tables or versions; all else is kept, and numbers but for their signs."""
        if name.startswith("said"):
            return self._reworded(value)
        if name.startswith("list"):
            return "; ".join(self._reworded(part) or part for part in value.split("; "))
        if name.startswith("names"):
            first, word, last = value.partition(" to ")
            if word:
                return self.say("%(low)s to %(high)s", low=first, high=last)
            return self.listed([self._reworded(each) or each for each in re.split(", | and ", value)])
        return self._signs(value) if NUMBERS.fullmatch(value) else value

    @cached_property
    def _patterns(self) -> tuple[tuple[re.Pattern[str], Entry], ...]:
        """Longer sentences are tried first, since a short one may be the beginning of many."""
        said = sorted((entry for entry in self.sentences.values() if PLACEHOLDER.search(entry.message)), key=lambda e: -len(e.message))
        return tuple((_pattern(entry.message), entry) for entry in said if entry.forms and entry.forms[0])

    def number(self, number: float | None, digits: int = DIGITS) -> str:
        """Whole numbers in full, others with three significant digits."""
        if number is None:
            return self.gettext("not measured")
        if math.isinf(number):
            return "∞" if number > 0 else "−∞"
        if float(number).is_integer() and abs(number) < 1e15:
            return self._signs(f"{int(number):,}")
        return self._signs(_significant(number, digits))

    def share(self, share: float | None, digits: int = DIGITS) -> str:
        """As a percentage."""
        if share is None:
            return self.gettext("not measured")
        return f"{self.number(float(f'{share * 100:.12g}'), digits)} %"

    def one_in(self, share: float) -> str:
        """A small chance as people say it: 1 in 20."""
        if share <= 0 or share >= 1:
            return self.share(share)
        whole = round(1 / share)
        if math.isclose(whole, 1 / share, rel_tol=1e-6):
            return self.say("1 in %(number)s", number=self.number(whole))
        return self.say("about 1 in %(number)s", number=self.number(whole))

    def exact(self, number: float | None) -> str:
        """With all its digits, for those who compare."""
        if number is None:
            return self.gettext("not measured")
        return self._signs(f"{int(number):,}" if float(number).is_integer() and abs(number) < 1e15 else repr(float(number)))

    def day(self, moment: str) -> str:
        """The day of an ISO 8601 time."""
        day = moment[:10]
        return ".".join(reversed(day.split("-"))) if self.code == "de" and re.fullmatch(r"\d{4}-\d\d-\d\d", day) else day

    def moment(self, moment: str) -> str:
        """The day and the minute of an ISO 8601 time, which is UTC."""
        found = re.fullmatch(r"\d{4}-\d\d-\d\dT(\d\d:\d\d)(:[\d.]+)?(Z|\+00:00)", moment)
        return moment if found is None else f"{self.day(moment)} {found[1]} UTC"

    def listed(self, names: Sequence[str]) -> str:
        """a, b and c."""
        return (
            names[0] if len(names) == 1 else self.say("%(some)s and %(last)s", some=", ".join(names[:-1]), last=names[-1]) if names else ""
        )

    def _signs(self, text: str) -> str:
        thousands, decimal = SIGNS[self.code]
        return text.translate({ord(","): thousands, ord("."): decimal})


def _significant(number: float, digits: int) -> str:
    text = f"{number:,.{digits}g}"
    if "e" in text:
        places = digits - 1 - math.floor(math.log10(abs(number)))
        text = f"{number:,.0f}" if abs(number) >= 1 else f"{number:.{places}f}".rstrip("0")
    return text


def message(text: str) -> str:
    """Marks a constant that is said later, so that it gets into the catalogues."""
    return text


def _pattern(text: str) -> re.Pattern[str]:
    """Where a placeholder stands, anything may stand; the same one twice is the same text."""
    parts, seen = [], set[str]()
    for place, part in enumerate(PLACEHOLDER.split(text)):
        if place % 2 == 0:
            parts.append(re.escape(part.replace("%%", "%")))
        else:
            digits = r"[\d.,]+" if part.startswith("number") else ".+?"
            parts.append(f"(?P={part})" if part in seen else f"(?P<{part}>{digits})")
            seen.add(part)
    return re.compile("".join(parts), re.DOTALL)


@cache
def language(code: str, *packages: str) -> Language:
    """With the catalogues of these packages, of which the later ones win; without any, with that of this one."""
    if code not in LANGUAGES:
        raise Defect(f"There are no catalogues in the language {code!r}.", f"Name one of these: {', '.join(LANGUAGES)}.")
    entries: dict[str, Entry] = {}
    sentences: dict[str, Entry] = {}
    for package in packages or (PACKAGE,):
        for name, into in ((f"{code}.po", entries), (f"{code}.sentences.po", sentences)) if code != "en" else ():
            file = resources.files(package).joinpath("catalogues", name)
            if file.is_file():
                into |= {entry.message: entry for entry in read_catalogue(file.read_text(encoding="utf-8"))}
    return Language(code, entries, sentences)


def read_catalogue(text: str) -> Iterator[Entry]:
    """The entries of a gettext file but its head, which has no message."""
    fields: dict[str, str] = {}
    key = ""
    for line in [*text.splitlines(), ""]:
        found = LINE.fullmatch(line.strip())
        if found is None:
            if fields.get("msgid"):
                yield _entry(fields)
            if not line.startswith("#") or fields.get("msgid"):
                fields, key = {}, ""
            continue
        key = found[1] or key
        fields[key] = fields.get(key, "") + str(ast.literal_eval(found[2]))


def _entry(fields: Mapping[str, str]) -> Entry:
    forms = tuple(text for name, text in fields.items() if name.startswith("msgstr"))
    return Entry(fields["msgid"], fields.get("msgid_plural", ""), forms)


def preferred(accepted: str) -> str:
    """The first language of an Accept-Language header that there is."""
    weighed = []
    for place, part in enumerate(accepted.split(",")[:20]):
        name, _, weight = part.strip().partition(";q=")
        try:
            weighed.append((-float(weight or 1), place, name.split("-")[0].lower()))
        except ValueError:
            continue
    return next((name for _, _, name in sorted(weighed) if name in LANGUAGES), "en")


ENGLISH: Language = language("en")
