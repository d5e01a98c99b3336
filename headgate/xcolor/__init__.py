"""XColor: partitions whose groups keep every sensitive value among few similar ones (paper "xcolor", DEFINITIONS §4)."""
