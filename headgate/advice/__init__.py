"""What settings can a table carry: bounds before any work, a search that really tries, and what to choose from it."""
