"""What is promised of a release, and the manifest that seals what was made."""
