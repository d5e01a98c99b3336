"""Attacks tried on finished tables."""
