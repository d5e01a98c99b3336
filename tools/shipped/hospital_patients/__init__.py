"""The invented hospital."""
