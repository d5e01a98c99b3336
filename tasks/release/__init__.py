"""A release: its run, its steps in the order of the flow, and what becomes of it."""
