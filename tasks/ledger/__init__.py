"""The append-only, hash-chained ledger: `event_log` appends and reads, `store_…` keeps it, and `history` reads it once it is checked."""
