"""One file per gate: its key in the policy file, what it measures and compares, what helps and what it means; and the tuple of them."""
