"""Proofs that no partition can keep the limits, and bounds on what could be promised."""
