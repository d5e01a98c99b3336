"""Trying settings on real data: what a policy could promise."""
