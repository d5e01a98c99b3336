"""Lines of a title above the header of a table, as reports and exports have them: what stands there is no column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

LOOKED_AT = 200  # lines, to see what most of them look like
MOST_TITLES = 20
MOST = 0.8  # of the lines below a header have as many fields as it


def below_titles(lines: Sequence[tuple[int, int, int]]) -> int | None:
    """The number of the line that seems to name the columns: the first of which all fields are filled, and that has as many as most lines.
    None where the first line may well be the header. Of each of the first lines: its number, its fields, and how many are filled."""
    if not lines:
        return None
    width = Counter(fields for _, fields, _ in lines).most_common(1)[0][0]
    place = next((place for place, (_, fields, filled) in enumerate(lines[: MOST_TITLES + 1]) if fields == filled == width), 0)
    below = lines[place:]
    alike = sum(fields == width for _, fields, _ in below)
    if width < 2 or place == 0 or alike < MOST * len(below) or 2 * lines[0][2] > width:
        return None
    return lines[place][0]
