"""The life of a release: its states and transitions, its events, and their fold."""
