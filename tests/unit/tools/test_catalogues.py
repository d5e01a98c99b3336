"""Every sentence of a page has its translation, with the same placeholders; nothing that is no longer said is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.reporting.language import Entry
from tools import catalogues
from tools.catalogues import OTHER_LANGUAGES, PACKAGES, ROOT, catalogue_of, catalogue_text, main, problems_of, said_in

TEMPLATE = """{{ _("In a template, %(x)s", x=1) }}{% trans n=3 %}{{ n }} thing{% pluralize %}{{ n }} things{% endtrans %}"""
MODULE = """
def speak(words, name):
    words.say("In a module, %(x)s", x=1)
    words.count("%(number)s day", "%(number)s days", 3)
    words.say(name)
    return message("Kept for later")
"""


@pytest.fixture
def speaking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(catalogues, "ROOT", tmp_path)
    monkeypatch.setattr(catalogues, "PACKAGES", ("room", "not there"))
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "page.html.j2").write_text(TEMPLATE)
    (tmp_path / "room" / "words.py").write_text(MODULE)
    return tmp_path / "room" / "catalogues" / "de.po"


@pytest.mark.parametrize("package", [PACKAGES[0], *(package for package in PACKAGES[1:] if (ROOT / package / "catalogues").is_dir())])
@pytest.mark.parametrize("code", OTHER_LANGUAGES)
def test_every_sentence_has_its_translation_with_the_same_placeholders(package: str, code: str) -> None:
    assert problems_of(package, code) == []


def test_what_is_said_is_found_in_templates_and_modules(speaking: Path) -> None:
    assert list(said_in("room").values()) == [
        Entry("In a module, %(x)s"),
        Entry("%(number)s day", "%(number)s days"),
        Entry("Kept for later"),
        Entry("In a template, %(x)s"),
        Entry("%(n)s thing", "%(n)s things"),
    ]


def test_missing_sentences_are_added_empty_and_translations_are_kept(speaking: Path) -> None:
    assert main([]) == 1
    speaking.write_text(speaking.read_text().replace('msgid "Kept for later"\nmsgstr ""', 'msgid "Kept for later"\nmsgstr "Später"'))
    speaking.write_text(speaking.read_text() + '\nmsgid "Nobody says it"\nmsgstr "Niemand"\n')
    assert "left over: Nobody says it" in problems_of("room", "de")
    assert main([]) == 1
    assert "Nobody says it" not in speaking.read_text()
    assert catalogue_of("room", "de")["Kept for later"].forms == ("Später",)
    assert "missing: In a module, %(x)s" in problems_of("room", "de")
    assert catalogue_text("room", "de") == speaking.read_text()


@pytest.mark.parametrize(
    ("german", "problem"),
    [
        ('"Im Modul, %(y)s"', "other placeholders"),
        ('"Im Modul"', "other placeholders"),
        ('"Im Modul, %(x)s zu 5 %"', "a single per cent sign"),
    ],
)
def test_other_placeholders_and_lone_signs_are_found(speaking: Path, german: str, problem: str) -> None:
    main([])
    speaking.write_text(
        speaking.read_text().replace('msgid "In a module, %(x)s"\nmsgstr ""', f'msgid "In a module, %(x)s"\nmsgstr {german}')
    )
    assert f"{problem}: In a module, %(x)s" in problems_of("room", "de")


def test_a_check_changes_nothing(speaking: Path) -> None:
    assert main(["--check"]) == 1
    assert not speaking.exists()
