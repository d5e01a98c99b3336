"""Ways to make groups, and the one place that chooses between them."""
