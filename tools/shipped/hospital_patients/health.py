"""Conditions of the invented patients: they depend on age, sex, family history, job and income, and on each other."""

from __future__ import annotations

import numpy as np

from tools.shipped.hospital_patients.people import Draws, Numbers, People, Places

NONE = "none"
CODES = (
    "hypertension",
    "diabetes",
    "heart-disease",
    "asthma",
    "cancer",
    "depression",
    "kidney-disease",
    "hepatitis",
    "epilepsy",
    "substance-use",
    "hiv",
)
FAMILY_HISTORY = ("none", "cardiovascular", "cancer", "diabetes", "mental-illness")


def family_histories(draws: Draws, people: People) -> Places:
    """What runs in the family; known a little better in the midlands, where the clinics ask."""
    asked = np.where((people.district >= 8) & (people.district < 16), 1.1, 1.0)
    known = np.tile(np.array([0.46, 0.21, 0.15, 0.11, 0.07]), (len(people), 1))
    known[:, 1:] *= asked[:, None]
    return draws.one_of(known, len(people))


def diagnoses(draws: Draws, people: People, family: Places, manual_work: Numbers, poverty: Numbers) -> list[str]:
    """The codes of each patient, joined by |, in the order of CODES; `none` where none applies."""
    size = len(people)
    age = people.age.astype(np.float64)
    old = np.clip((age - 35) / 50, 0, 1)
    male = people.sex.astype(np.float64)
    heart, cancer, sugar, mind = (np.where(family == place, 1.0, 0.0) for place in (1, 2, 3, 4))

    has: dict[str, Numbers] = {}

    def draw(code: str, probability: Numbers) -> None:
        has[code] = draws.happens(np.clip(probability, 0.0, 0.9), size).astype(np.float64)

    draw("hypertension", (0.03 + 0.19 * old) * (1 + 1.6 * heart) + 0.02 * poverty)
    draw("diabetes", (0.01 + 0.05 * old) * (1 + 3.5 * sugar) + 0.02 * poverty + 0.16 * has["hypertension"])
    draw("heart-disease", (0.01 + 0.06 * old) * (1 + 1.5 * heart) * (1 + 0.3 * male) + 0.14 * has["hypertension"] + 0.12 * has["diabetes"])
    draw("asthma", 0.05 + 0.03 * manual_work)
    draw("cancer", (0.015 + 0.08 * old) * (1 + 3.0 * cancer))
    draw("depression", (0.05 + 0.03 * (1 - male)) * (1 + 4.0 * mind) + 0.03 * poverty + 0.06 * has["cancer"])
    draw("kidney-disease", 0.01 + 0.02 * old + 0.14 * has["diabetes"] + 0.04 * has["hypertension"])
    draw("substance-use", np.where(age < 55, 0.03, 0.015) * (1 + 0.6 * male) + 0.03 * poverty + 0.16 * has["depression"])
    draw("hepatitis", 0.012 + 0.008 * manual_work + 0.12 * has["substance-use"])
    draw("hiv", np.where((age > 22) & (age < 65), 0.009, 0.004) * (1 + 0.8 * male) + 0.06 * has["substance-use"])
    draw("epilepsy", 0.012 + 0.03 * has["substance-use"])

    held = np.stack([has[code] > 0 for code in CODES], axis=1)
    return ["|".join(code for code, here in zip(CODES, row, strict=True) if here) or NONE for row in held.tolist()]
