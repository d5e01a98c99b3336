"""Messages to people about what the ledger says: each is derived from an event, kept in an outbox, and sent from there."""
