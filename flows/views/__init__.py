"""What commands show of releases, candidates and calendars: for people, and for programs (`--json`)."""
