"""What all methods share: items, axes, limits, conditions, neighbour counts, the recount, stopping."""
