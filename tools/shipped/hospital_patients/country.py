"""An invented country: 24 districts in 6 provinces in 3 areas, with the share of the people who live in each district."""

from __future__ import annotations

ROOT = "*"

# area → province → (district, share of the people in thousandths)
AREAS: dict[str, dict[str, tuple[tuple[str, int], ...]]] = {
    "Uplands": {
        "Arvane": (("Altisburg", 62), ("Brennack", 31), ("Corvey Vale", 24), ("Dunmarch", 19)),
        "Belmory": (("Estwick", 71), ("Farrowdale", 35), ("Grenholt", 27), ("Halvern", 22)),
    },
    "Midlands": {
        "Corvesse": (("Ilmarsh", 96), ("Jarrowby", 48), ("Kestrelford", 37), ("Lindmoor", 29)),
        "Dalmere": (("Morvale", 84), ("Nethercombe", 41), ("Orrinstead", 33), ("Pellworth", 26)),
    },
    "Coast": {
        "Estoria": (("Quarrand", 79), ("Rothbay", 39), ("Saltmere", 30), ("Tarnhaven", 21)),
        "Fenwall": (("Ulverey", 58), ("Vexmouth", 43), ("Wendlesea", 28), ("Yarrowpoint", 17)),
    },
}


def districts() -> tuple[str, ...]:
    return tuple(row[0] for row in hierarchy())


def shares() -> tuple[int, ...]:
    return tuple(share for provinces in AREAS.values() for places in provinces.values() for _, share in places)


def hierarchy() -> tuple[tuple[str, str, str, str], ...]:
    """The level table: district, province, area, root."""
    return tuple(
        (district, province, area, ROOT)
        for area, provinces in AREAS.items()
        for province, places in provinces.items()
        for district, _ in places
    )
