"""Groups where groups of near people do not come out: every partition of a small table, and a search in a larger one."""
