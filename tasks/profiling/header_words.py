"""What the header of a column says, in the languages of header_words.toml."""

from __future__ import annotations

import functools
import re
import tomllib
import unicodedata
from pathlib import Path

from policies.drafting.table_profile import Meaning

WORDS = Path(__file__).with_name("header_words.toml")
PLAIN = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ß": "ss"})


def folded(text: str) -> str:
    """Small letters without accents."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in apart if not unicodedata.combining(sign)).translate(PLAIN)


def meaning_of(header: str) -> Meaning | None:
    """The first meaning of which a phrase fits some whole words of the header, however they are joined."""
    words = _words(header)
    runs = {"".join(words[first:last]) for first in range(len(words)) for last in range(first + 1, len(words) + 1)}
    return next((meaning for meaning, form in _forms().items() if any(form.fullmatch(run) for run in runs)), None)


def _words(header: str) -> list[str]:
    apart = re.sub(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", " ", re.sub(r"([^\W\d_])(?=[^\W\d_])", _parted, header))
    return re.findall(r"[^\W_]+", folded(apart).replace("'", "").replace("’", ""))


def _parted(sign: re.Match[str]) -> str:
    """zipCode is two words."""
    letter, following = sign[1], sign.string[sign.end()]
    return f"{letter} " if letter.islower() and following.isupper() else letter


@functools.cache
def _forms() -> dict[Meaning, re.Pattern[str]]:
    sections = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    return {Meaning(meaning): _form(",".join(listed.values())) for meaning, listed in sections.items()}


def _form(phrases: str) -> re.Pattern[str]:
    joined = [folded(re.sub(r"\s", "", phrase)) for phrase in phrases.split(",")]
    return re.compile("|".join(re.escape(phrase).replace(r"\*", ".*") for phrase in joined))
