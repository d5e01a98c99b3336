"""Characters that nobody sees: they steer a terminal, turn the order of what is read, or make two words look like one."""

from __future__ import annotations

import unicodedata

CONTROLS = frozenset(("Cc", "Cf", "Zl", "Zp"))
# Of other categories, and shown as nothing all the same (Unicode's Default_Ignorable_Code_Point, and the blank of Braille).
BLANK = frozenset(
    chr(point)
    for first, last in (
        (0x034F, 0x034F),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x2065, 0x2065),
        (0x2800, 0x2800),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFFA0, 0xFFA0),
        (0xFFF0, 0xFFF8),
        (0xE0000, 0xE0FFF),
    )
    for point in range(first, last + 1)
)


def unseen_in(text: str, allowed: str = "") -> str:
    """The first such character, "" if there is none."""
    if text.isascii() and text.isprintable():
        return ""
    return next((sign for sign in text if sign not in allowed and (sign in BLANK or unicodedata.category(sign) in CONTROLS)), "")


def code_point(sign: str) -> str:
    """By number and, where it has one, by name: the character itself would not be seen here either."""
    name = unicodedata.name(sign, "")
    return f"U+{ord(sign):04X}" + (f" ({name.lower()})" if name else "")
