"""What a release is still worth (DEFINITIONS §8)."""
