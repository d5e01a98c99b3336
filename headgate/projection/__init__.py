"""Complete disjoint projections: which sensitive attributes are published together (paper "codip", DEFINITIONS §6)."""
