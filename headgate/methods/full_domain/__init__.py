"""Full-domain generalization: one level of its hierarchy for a whole quasi-identifier, chosen over the lattice of all levels."""
