"""The ten people by whom docs/blocks.md explains `blocks`: every step of it, run, as `make docs` writes it into the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.columns import Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.items import Itemized, groups_of_rows, items_of
from headgate.grouping.limits import NeighbourhoodLimit, linkability
from headgate.grouping.recount import Recount, recount
from headgate.methods.blocks.draft import Draft
from headgate.methods.blocks.first_draft import draft_of
from headgate.methods.blocks.local_groups import MOVES, PRICE
from headgate.methods.blocks.moves import move_rows
from headgate.methods.blocks.setting_aside import still_aside
from headgate.methods.blocks.stages import parts_by_item, place_rows, relieve, unite_twins
from headgate.methods.blocks.tree import Tree, grow_tree
from headgate.methods.blocks.ways import first_groups

AGES = (28, 36, 39, 44, 47, 54, 70, 71, 77, 78)
ILLNESSES = ("flu", "cold", "gout", "gout", "flu", "flu", "cold", "flu", "gout", "gout")
K, SHARE = 2, "0.5"

Rows = tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """The groups after a step, and who is in none."""

    groups: tuple[Rows, ...]
    aside: Rows


@dataclass(frozen=True, eq=False)
class Example:
    tree: Tree
    begun: Step
    started: Step
    placed: Step
    moved: Step
    moves: int
    groups: NDArray[np.int32]
    recount: Recount


def table() -> Table:
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "illness": ColumnSpec("illness", Kind.CATEGORY, Role.SENSITIVE),
    }
    return encode_table(pd.DataFrame({"age": AGES, "illness": ILLNESSES}), specs)


def limits(people: Table) -> tuple[NeighbourhoodLimit, ...]:
    return (linkability(people["illness"], SHARE),)


def example() -> Example:
    """The steps of `headgate.methods.blocks.local_groups.divide`, one by one."""
    people = table()
    itemized = items_of(people, limits(people))
    items, state = itemized.items, np.zeros(3, dtype=np.int64)
    price = PRICE * K / items.limits.allowed[:, K]
    tree = grow_tree(items, np.arange(items.cells), K, price, 2 * items.cells + 1, state)
    draft = draft_of(items, first_groups(items, tree, K, price, state), K, state)
    begun = _step(itemized, draft)
    relieve(draft)
    started = _step(itemized, draft)
    place_rows(draft, np.arange(draft.aside.many[0]), K)
    still_aside(draft.aside)
    placed = _step(itemized, draft)
    moves = move_rows(draft, MOVES)
    moved = _step(itemized, draft)
    unite_twins(draft)
    groups = np.asarray(groups_of_rows(itemized.item, *parts_by_item(draft)))
    return Example(tree, begun, started, placed, moved, moves, groups, recount(itemized, limits(people), groups))


def _step(itemized: Itemized, draft: Draft) -> Step:
    """Every person differs from the others, so an item is one row."""
    own = [draft.groups.part[group.begin : group.begin + group.parts].number for group in draft.groups.of[: draft.groups.now[0].groups]]
    left = draft.aside.left[: draft.aside.many[0]].number
    return Step(tuple(_rows(itemized, items) for items in own if len(items)), _rows(itemized, left))


def _rows(itemized: Itemized, items: NDArray[np.int64]) -> Rows:
    return tuple(sorted(itemized.first[items].tolist()))


def people_table() -> str:
    lines = ["| " + " | ".join(("age", *map(str, AGES))) + " |", "|---" * (len(AGES) + 1) + "|"]
    return "\n".join([*lines, "| " + " | ".join(("illness", *ILLNESSES)) + " |"]) + "\n"


def tree_picture() -> str:
    tree = example().tree
    lines = ["```mermaid", "graph TD"]
    for number, box in enumerate(tree.box):
        rows = sorted(tree.order[box.start : box.stop].tolist())
        lines.append(f'    b{number}["{AGES[rows[0]]}–{AGES[rows[-1]]}<br/>{len(rows)} people"]')
    for number, box in enumerate(tree.box):
        lines += [f"    b{number} --> b{half}" for half in (int(box.left), int(box.right)) if half >= 0]
    return "\n".join([*lines, "```"]) + "\n"


def begun_table() -> str:
    return _groups_table(example().begun)


def started_table() -> str:
    return _groups_table(example().started)


def placed_table() -> str:
    return _groups_table(example().placed)


def moved_table() -> str:
    return _groups_table(example().moved)


def recount_table() -> str:
    """What is published, and the count that says whether it may be."""
    counted = example()
    lines = ["| group | published age | illnesses | most alike | at most |", "|---|---|---|---|---|"]
    for group in range(int(counted.groups.max()) + 1):
        rows = np.flatnonzero(counted.groups == group).tolist()
        ages = f"{AGES[rows[0]]}–{AGES[rows[-1]]}"
        lines.append(f"| {group + 1} | {ages} | {_illnesses(rows)} | {_most_alike(rows)} | {len(rows) // 2} |")
    kept = "reached" if counted.recount.reached(K) else "not reached"
    return (
        "\n".join([*lines, "", f"Smallest group: {counted.recount.smallest}. Information loss: {counted.recount.loss:.3f}. **{kept}**"])
        + "\n"
    )


def _groups_table(step: Step) -> str:
    lines = ["| group | ages | illnesses | most alike | at most |", "|---|---|---|---|---|"]
    for number, rows in enumerate(step.groups, 1):
        ages = ", ".join(str(AGES[row]) for row in rows)
        lines.append(f"| {number} | {ages} | {_illnesses(rows)} | {_most_alike(rows)} | {len(rows) // 2} |")
    aside = ", ".join(f"{AGES[row]} ({ILLNESSES[row]})" for row in step.aside)
    return "\n".join([*lines, "", f"Aside: {aside or 'nobody'}."]) + "\n"


def _illnesses(rows: Sequence[int]) -> str:
    return ", ".join(ILLNESSES[row] for row in rows)


def _most_alike(rows: Sequence[int]) -> int:
    own = [ILLNESSES[row] for row in rows]
    return max(map(own.count, own))
