"""The only I/O: one step of the release a file, each a plain function and its Prefect task."""
