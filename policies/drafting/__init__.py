"""A first policy for a table: which role each column seems to have, why, and what only a person can know."""
