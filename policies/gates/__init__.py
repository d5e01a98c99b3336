"""What published tables must satisfy: how each gate is measured and judged."""
