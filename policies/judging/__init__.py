"""Published tables measured and judged by every gate, and what would help where one refuses."""
