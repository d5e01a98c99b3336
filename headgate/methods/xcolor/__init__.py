"""`faithful`: the XColor paper's relaxed equitable coloring."""
