"""The append-only, hash-chained ledger: `event_log` appends and reads, `store_…` keeps it, and `history` is what it says once checked."""
