"""Policies that run by themselves: which there are, what a Prefect server has for them, and the runs that were missed."""
