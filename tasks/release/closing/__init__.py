"""What becomes of a release: what it has done so far, put together, is tracked and sealed, or ends as refused, failed or nothing new."""
