"""The published form of a table: how rows are generalized by group, and how published cells are read again."""
