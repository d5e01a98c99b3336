"""What an attacker with a dictionary can do with a release (DEFINITIONS §7)."""
