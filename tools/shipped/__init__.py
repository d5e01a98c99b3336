"""What makes the data of the shipped policies."""
