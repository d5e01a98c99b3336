"""Folders whose every file is accounted for: candidates and published series."""
