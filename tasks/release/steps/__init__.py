"""From the source to published tables that are judged: one file per step, each a plain function with typed, frozen input and output."""
