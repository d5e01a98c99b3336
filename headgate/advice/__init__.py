"""Which settings a table supports: bounds before any work, a search that tries them, and what to choose from."""
