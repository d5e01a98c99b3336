"""What attackers may hold, what it costs if they find somebody, and what they learn from a published table."""
