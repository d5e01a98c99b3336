"""The append-only, hash-chained ledger: its chain, its file, its locks, and its history once checked."""
