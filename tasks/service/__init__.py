"""The socket through which other accounts of the machine use a home, and what passes over it."""
