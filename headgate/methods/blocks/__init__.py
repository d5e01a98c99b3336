"""`blocks`: groups of people who are near each other, within the limits (DEFINITIONS §4, Utility)."""
