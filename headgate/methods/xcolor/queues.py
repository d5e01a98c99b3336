"""Two queues over rows that are cheap to keep while classes change: the violation whose departure loses least, and all rows by what
their departure loses.

The first is a tournament (each node holds the least key below it; equal keys go to the lower row), the second a row of buckets of
rows that lose about the same: a search visits the promising rows first and stops where no bucket can hold a better one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import copied, loop

NOBODY = np.int64(2**62)  # a key above all others
BUCKETS = 2_048


class Queues(NamedTuple):
    tree: NDArray[np.int64]  # root at 1, the rows' own keys in the second half
    head: NDArray[np.int64]  # of each bucket its first row; −1: empty
    after: NDArray[np.int64]  # the next row in the same bucket
    before: NDArray[np.int64]
    bucket: NDArray[np.int64]  # of each row; −1: in none
    width: int  # of a bucket


def empty_queues(rows: int, deepest: int) -> Queues:
    """`deepest`: what a departure lowers the loss by, at most."""
    leaves = 1 << max(1, (rows - 1).bit_length())
    return Queues(
        tree=np.full(2 * leaves, NOBODY, dtype=np.int64),
        head=np.full(BUCKETS, -1, dtype=np.int64),
        after=np.empty(rows, dtype=np.int64),
        before=np.empty(rows, dtype=np.int64),
        bucket=np.full(rows, -1, dtype=np.int64),
        width=deepest // BUCKETS + 1,
    )


@loop
def set_key(queues: Queues, row: int, key: int) -> None:
    tree = queues.tree
    node = len(tree) // 2 + row
    tree[node] = key
    node //= 2
    while node > 0:
        least = min(tree[2 * node], tree[2 * node + 1])
        if tree[node] == least:
            break
        tree[node] = least
        node //= 2


@loop
def first_row(queues: Queues) -> int:
    """The row with the least key, the lowest of them; −1 if there is none."""
    tree = queues.tree
    if tree[1] == NOBODY:
        return -1
    node, leaves = 1, len(tree) // 2
    while node < leaves:
        node = 2 * node if tree[2 * node] == tree[node] else 2 * node + 1
    return node - leaves


@loop
def file_row(queues: Queues, row: int, departure: int) -> None:
    """Puts the row into the bucket of its departure; the last bucket holds those that lose most by it."""
    b = BUCKETS - 1 - min(BUCKETS - 1, -departure // queues.width)
    if queues.bucket[row] == b:
        return
    if queues.bucket[row] >= 0:
        previous, following = queues.before[row], queues.after[row]
        if previous >= 0:
            queues.after[previous] = following
        else:
            queues.head[queues.bucket[row]] = following
        if following >= 0:
            queues.before[following] = previous
    first = queues.head[b]
    queues.after[row], queues.before[row], queues.bucket[row] = first, -1, b
    if first >= 0:
        queues.before[first] = row
    queues.head[b] = row


@copied
def least_departure(queues: Queues, b: int) -> int:
    """No row in bucket b or a later one has a lower departure."""
    return -(BUCKETS - b) * queues.width
