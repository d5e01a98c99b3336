"""How the inner loops are compiled: the one place that says so. Compiled code is kept beside its source (`cache`), and runs without the
interpreter's lock (`nogil`). A wrapper for C, which nobody calls, is left out: a twentieth of the compilation.

numba counts the references to every array of a tuple at every call, by locked additions; in loops over small groups that took nine tenths
of the time. Inner loops make no arrays and keep none, so nothing has to be counted (`_nrt`): whoever calls holds what they look at.

What a loop leaves open, numba takes over from whichever loop happens to compile it: so everything is said here.

To numba a plain 0 or −1 that is passed on is a type of its own, for which a loop is compiled once more: such constants are np.int64.

`inner`, `inlined` and `making` have no wrapper for Python, which halves their compilation: calling one of them from Python ends the
process.

A tuple of arrays is copied at every call, seven words an array. So what belongs together is one array of records, not an array for each
field, and what a search calls for every group that it looks at is `inlined`: the compiler writes it into the caller's machine code. (That
is `forceinline`; numba's own `inline="always"` copies the source instead, which did not help.) Names of fields that numpy's own scalars
have as well (`size`, `shape`, `item`) would be hidden without numba.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

Records = Any  # np.recarray: loops and tests read a field as an attribute, `boxes[3].low`

_compiled: Any = partial(numba.njit, cache=True, nogil=True, no_cfunc_wrapper=True)
_with_arrays: Any = partial(_compiled, _nrt=True)
_without_arrays: Any = partial(_compiled, _nrt=False, no_cpython_wrapper=True)

dividing: Any = _with_arrays(error_model="python")  # called from anywhere; a division by 0 raises ZeroDivisionError, as in Python
loop: Any = _with_arrays(error_model="numpy")  # called from Python, and from loops; here and below, x / 0 is inf or NaN, and i // 0 is 0
copied: Any = _with_arrays(error_model="numpy", inline="always")  # its source is copied into its callers; Python may call it
making: Any = _with_arrays(error_model="numpy", no_cpython_wrapper=True)  # called from loops only, makes arrays
inner: Any = _without_arrays(error_model="numpy")  # called from loops only; makes no arrays, returns none
inlined: Any = _without_arrays(error_model="numpy", forceinline=True)  # an `inner` written into its callers


def record(**fields: type) -> np.dtype[Any]:
    """A kind of record. Its fields are aligned, as compiled loops want them."""
    return np.dtype(list(fields.items()), align=True)


def empty_records(shape: int | tuple[int, ...], kind: np.dtype[Any]) -> Records:
    """Records of zeros. Memory is taken when it is first written to."""
    return np.zeros(shape, kind).view(np.recarray)


def unset_records(shape: int | tuple[int, ...], kind: np.dtype[Any]) -> Records:
    """Records of anything, to be written before they are read."""
    return np.empty(shape, kind).view(np.recarray)


def starts_of(pieces: Sequence[Any]) -> NDArray[np.int64]:
    """The place at which each piece begins after joining, and the place at which the last one ends."""
    return np.concatenate([[0], np.cumsum(np.array([len(piece) for piece in pieces], dtype=np.int64))]).astype(np.int64)


def joined(pieces: Sequence[NDArray[Any]], dtype: type) -> NDArray[Any]:
    return np.ascontiguousarray(np.concatenate(pieces).astype(dtype)) if len(pieces) else np.empty(0, dtype=dtype)
