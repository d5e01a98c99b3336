"""The policy file: its keys, how it is read, and what must fit together."""
