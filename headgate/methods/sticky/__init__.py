"""Groups of a new version of a dataset in which people who were published together stay together (DEFINITIONS §11)."""
