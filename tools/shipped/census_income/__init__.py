"""The census file, from UCI."""
