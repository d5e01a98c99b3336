"""One privacy principle per file: the figure of the table, of each group, and who falls short."""
