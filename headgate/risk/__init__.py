"""What somebody could find out about a person: who they are, and what it would cost."""
