"""Checking what was published and what the ledger says, for people who trust nobody."""
