"""Writing published tables and reading them back."""
