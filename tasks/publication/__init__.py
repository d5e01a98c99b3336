"""Putting an approved version in place, with its attestation, and withdrawing it."""
