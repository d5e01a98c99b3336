from __future__ import annotations

import math

import pytest

from headgate.core.errors import Defect
from tasks.reporting.language import ENGLISH, LANGUAGES, Entry, Language, language, message, preferred, read_catalogue

CATALOGUE = """# of nobody
msgid ""
msgstr ""
"Language: de\\n"

#: a.py
msgid "Kept for %(days)s days"
msgstr ""
"%(days)s Tage "
"aufbewahrt"

msgid "%(number)s person"
msgid_plural "%(number)s people"
msgstr[0] "eine Person"
msgstr[1] "%(number)s Personen"

msgid "quoted \\"so\\" in 50 %%"
msgstr ""
"""
ENTRIES = {entry.message: entry for entry in read_catalogue(CATALOGUE)}
GERMAN = Language("de", ENTRIES, ENTRIES)


def test_a_catalogue_gives_its_entries_with_both_forms_and_without_its_head() -> None:
    assert list(read_catalogue(CATALOGUE)) == [
        Entry("Kept for %(days)s days", "", ("%(days)s Tage aufbewahrt",)),
        Entry("%(number)s person", "%(number)s people", ("eine Person", "%(number)s Personen")),
        Entry('quoted "so" in 50 %%', "", ("",)),
    ]


def test_a_sentence_is_said_in_the_language_or_else_in_english() -> None:
    assert GERMAN.say("Kept for %(days)s days", days=3) == "3 Tage aufbewahrt"
    assert ENGLISH.say("Kept for %(days)s days", days=3) == "Kept for 3 days"
    assert GERMAN.say("Unknown %(x)s", x="<b>") == "Unknown <b>"
    assert GERMAN.say('quoted "so" in 50 %%') == 'quoted "so" in 50 %'
    assert message("as it stands") == "as it stands"


@pytest.mark.parametrize(("number", "german", "english"), [(1, "eine Person", "1 person"), (1200, "1.200 Personen", "1,200 people")])
def test_one_thing_and_several_have_their_own_form(number: int, german: str, english: str) -> None:
    assert GERMAN.count("%(number)s person", "%(number)s people", number) == german
    assert ENGLISH.count("%(number)s person", "%(number)s people", number) == english


def test_a_finished_sentence_is_known_by_its_form_and_keeps_what_stands_in_its_places() -> None:
    assert GERMAN.reword("Kept for 12 (or more) days") == "12 (or more) Tage aufbewahrt"
    assert GERMAN.reword("Nobody knows this") == "Nobody knows this"
    assert GERMAN.knows("Kept for 12 days")
    assert not GERMAN.knows("Nobody knows this")
    assert ENGLISH.knows("Nobody knows this")


def said(*pairs: tuple[str, str]) -> Language:
    return Language("de", sentences={english: Entry(english, "", (german,)) for english, german in pairs})


def test_what_stands_in_a_place_is_kept_reworded_or_listed_by_the_name_of_the_place() -> None:
    twice = said(("%(a)s is %(a)s", "%(a)s ist gleich"))
    assert twice.reword("x is x") == "x ist gleich"
    assert twice.reword("x is y") == "x is y"
    nested = said(
        ("In %(names)s, %(said_rest)s.", "In %(names)s gilt: %(said_rest)s."),
        ("%(number)s may", "%(number)s dürfen"),
        ("Or: %(list_of)s.", "Oder: %(list_of)s."),
    )
    assert nested.reword("In table-1, 1,234.5 may.") == "In table-1 gilt: 1.234,5 dürfen."
    assert nested.reword("In table-1, nobody may.") == "In table-1, nobody may."
    assert nested.reword("Or: 2 may; x.") == "Oder: 2 dürfen; x."
    assert nested.reword("In table-1, 5 may. Nobody knows this.") == "In table-1 gilt: 5 dürfen. Nobody knows this."
    assert nested.knows("In table-1, 5 may. Or: 2 may.")
    assert not nested.knows("In table-1, 5 may. Nobody knows this.")
    assert said(("%(names)s: yes", "%(names)s: ja")).reword("a and b: yes") == "a and b: ja"


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        (None, "not measured", "not measured"),
        (10, "10", "10"),
        (1234567.0, "1,234,567", "1.234.567"),
        (2 / 3, "0.667", "0,667"),
        (1234.567, "1,235", "1.235"),
        (0.000012345, "0.0000123", "0,0000123"),
        (math.inf, "∞", "∞"),
        (-0.25, "-0.25", "-0,25"),
    ],
)
def test_a_number_has_three_digits_unless_it_is_whole(value: float | None, english: str, german: str) -> None:
    assert ENGLISH.number(value) == english
    assert GERMAN.number(value) == german


@pytest.mark.parametrize(
    ("share", "said"), [(None, "not measured"), (0.0, "0 %"), (1 / 3, "33.3 %"), (0.29, "29 %"), (1.0, "100 %"), (0.07, "7 %")]
)
def test_a_share_is_a_percentage(share: float | None, said: str) -> None:
    assert ENGLISH.share(share) == said


@pytest.mark.parametrize(("share", "said"), [(0.05, "1 in 20"), (1 / 3, "1 in 3"), (0.19, "about 1 in 5"), (1.0, "100 %"), (0.0, "0 %")])
def test_a_small_chance_is_told_as_one_in_so_many(share: float, said: str) -> None:
    assert ENGLISH.one_in(share) == said


def test_exact_figures_days_and_lists_have_the_signs_of_the_language() -> None:
    assert ENGLISH.exact(1 / 3) == "0.3333333333333333"
    assert GERMAN.exact(0.1 + 0.2) == "0,30000000000000004"
    assert GERMAN.exact(12000) == "12.000"
    assert GERMAN.day("2026-08-01T03:00:12Z") == "01.08.2026"
    assert ENGLISH.day("2026-08-01T03:00:12Z") == "2026-08-01"
    assert [ENGLISH.listed(names) for names in ((), ("a",), ("a", "b", "c"))] == ["", "a", "a, b and c"]


@pytest.mark.parametrize(
    ("accepted", "code"),
    [("de-AT,de;q=0.9,en;q=0.5", "de"), ("fr, en;q=0.4, de;q=0.3", "en"), ("", "en"), ("it;q=x,de;q=nonsense", "en"), ("*", "en")],
)
def test_a_browser_gets_the_first_of_its_languages_that_there_is(accepted: str, code: str) -> None:
    assert preferred(accepted) == code


def test_a_language_without_catalogues_is_a_defect() -> None:
    with pytest.raises(Defect, match="no catalogues in the language 'xx'"):
        language("xx")
    assert all(language(code).code == code for code in LANGUAGES)


def test_what_is_longer_than_a_sentence_is_not_matched() -> None:
    """A hostile name that repeats the words of a sentence would be matched for minutes."""
    moved = said(("%(a)s to %(b)s", "%(a)s bis %(b)s"))
    assert moved.reword("x to y") == "x bis y"
    assert moved.reword("x to y" * 1000) == "x to y" * 1000
