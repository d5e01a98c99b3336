"""How the inner loops of grouping are compiled.

numba counts the references to every array of a tuple at every call, by locked additions; in loops over small groups that took nine tenths
of the time. Inner loops make no arrays and keep none, so nothing has to be counted (`_nrt`): whoever calls holds what they look at.

To numba a plain 0 or −1 that is passed on is a type of its own, for which a loop is compiled once more: such constants are np.int64.

`inner` and `making` have no wrapper for Python, which halves their compilation: calling one of them from Python ends the process.
"""

from __future__ import annotations

from typing import Any

import numba

loop: Any = numba.njit(cache=True, nogil=True, error_model="numpy", _nrt=True)  # called from Python
inner: Any = numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True, _nrt=False)  # called from loops, makes none
making: Any = numba.njit(cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True, _nrt=True)  # called from loops, makes arrays
