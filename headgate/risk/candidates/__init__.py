"""Which individuals of a dictionary a record may be: ρ, counted exactly on codes."""
