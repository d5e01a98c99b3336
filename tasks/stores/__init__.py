"""Candidates and published series, every file of them accounted for; each kind of target has a file, `store_…`."""
