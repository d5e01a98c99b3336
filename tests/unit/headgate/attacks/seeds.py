"""Seeds that hypothesis draws."""

from __future__ import annotations

from hypothesis import strategies as st

seeds = st.integers(0, 10**6)
