"""The small words that all parts of a policy are made of: exact numbers, names, paths, frozen models."""
