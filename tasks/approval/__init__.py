"""Signed decisions on candidates, and which of them count."""
