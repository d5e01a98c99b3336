"""What a table that nobody has described yet seems to hold: what its headers say, and what its values look like."""
