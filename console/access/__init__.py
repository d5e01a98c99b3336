"""Who is there: accounts, sessions, invitations, and what the operator's files make of a principal."""
